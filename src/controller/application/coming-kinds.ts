import { setTimeout as sleep } from 'node:timers/promises';
import { declaredKinds } from '../../core/diff/index.ts';
import { kindText } from '../../core/objects/index.ts';
import type { Task } from '../../core/sync/index.ts';
import type { Ready } from './gather.ts';

const lookEveryMs = 100;
/** Longer than a healthy API server needs from a CRD to its kind, and short enough for a broken CRD to be told of. */
const patienceMs = 10_000;

/** Kinds whose CRDs the Application brings along: the API server serves them a moment after it has got the CRD. */
export class Coming {
  readonly #actor: Pick<Ready, 'access' | 'sources'>;
  #declared: ReadonlyMap<string, boolean> | undefined;
  readonly #given = new Map<string, Promise<void>>();

  constructor(actor: Pick<Ready, 'access' | 'sources'>) {
    this.#actor = actor;
  }

  /** Waits until the kind of a task is served, if it is one that should come; each kind once, for all who ask. */
  async settle({ key }: Task): Promise<void> {
    const { access, sources } = this.#actor;
    const served = (): boolean => access.resource(key.group, key.kind) !== undefined;
    if (served()) return;
    this.#declared ??= declaredKinds(sources.targets.map(({ object }) => object));
    const text = kindText(key);
    if (!this.#declared.has(text)) return;
    const coming = this.#given.get(text) ?? until(served);
    this.#given.set(text, coming);
    await coming;
  }
}

async function until(served: () => boolean): Promise<void> {
  for (let waited = 0; waited < patienceMs && !served(); waited += lookEveryMs) await sleep(lookEveryMs);
}
