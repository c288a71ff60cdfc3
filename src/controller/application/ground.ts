import type { Live, LiveObject, Prediction } from '../../core/diff/index.ts';
import { printKey } from '../../core/objects/index.ts';
import type { Outcome } from '../../core/sync/index.ts';
import type { Ready } from './gather.ts';

/** What is known of a cluster at some point of a sync. */
export interface Known {
  readonly live: Live;
  /** What the API server would make of the targets now, where it was asked; what it has just written is as asked for. */
  readonly predicted: Ready['predicted'];
  /** What it has answered about since it was read, by `printKey`. */
  readonly touched: ReadonlySet<string>;
}

const asAskedFor = { verdict: { known: true, difference: undefined } } as const;

/** What a sync goes by: what was read when it began, and over it what the API server has answered since. */
export class Ground {
  readonly #objects: Map<string, LiveObject>;
  readonly #unknown: Live['unknown'];
  readonly #predicted: Map<string, Prediction> | undefined;
  readonly #touched = new Set<string>();

  constructor({ live, predicted }: Pick<Ready, 'live' | 'predicted'>) {
    this.#objects = new Map(live.objects);
    this.#unknown = live.unknown;
    this.#predicted = predicted === undefined ? undefined : new Map(predicted);
  }

  /** The API server's answers: what it has just written is what is there. */
  answered(outcomes: readonly Outcome[]): void {
    for (const { task, status, object } of outcomes) {
      const key = printKey(task.key);
      const isGone = status === 'Pruned' && object === undefined && !(task.act === 'delete' && task.dryRun);
      if (isGone) this.#objects.delete(key);
      else if (object !== undefined) this.#objects.set(key, { key: task.key, object });
      else continue;
      this.#touched.add(key);
      // Of what was just applied it need not be asked what it would make of it.
      if (task.act === 'apply' && status === 'Synced') this.#predicted?.set(key, asAskedFor);
    }
  }

  get known(): Known {
    const live = { objects: this.#objects, unknown: this.#unknown };
    return { live, predicted: this.#predicted, touched: this.#touched };
  }
}
