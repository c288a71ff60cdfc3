import type { DryRunVerdict } from '../../core/diff/index.ts';
import { type ArgosyError, isArgosyError } from '../../core/errors/index.ts';
import type { KubeObject, ObjectMeta } from '../../core/objects/index.ts';

/** How long a refusal is good for: whoever mends it is not heard of otherwise. */
export const refusedForMs = 30_000;

interface Kept<T> {
  readonly token: string;
  readonly answer: { readonly value: T } | { readonly error: ArgosyError; readonly until: number };
}

/** Answers of a cluster about objects, each good as long as the token it was given for. */
export class Answers<T> {
  readonly #kept = new Map<string, Kept<T>>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The answer for this token, asked for only if it is not known; one that is not `good` is not remembered. */
  async recall(
    key: string,
    token: string,
    ask: () => Promise<{ readonly value: T; readonly good: boolean }>,
  ): Promise<T> {
    const kept = this.#kept.get(key);
    if (kept?.token === token) {
      const { answer } = kept;
      if ('value' in answer) return answer.value;
      if (answer.until > this.#now()) throw answer.error;
    }
    try {
      const { value, good } = await ask();
      if (good) this.#kept.set(key, { token, answer: { value } });
      return value;
    } catch (error) {
      if (isArgosyError(error)) {
        this.#kept.set(key, { token, answer: { error, until: this.#now() + refusedForMs } });
      }
      throw error;
    }
  }

  keepOnly(keys: ReadonlySet<string>): void {
    for (const key of this.#kept.keys()) if (!keys.has(key)) this.#kept.delete(key);
  }
}

/** What closer looks at one Application's objects have told so far; its content is never more than its targets'. */
export class Closeup {
  /** Objects in the version of their targets, where the cluster prefers another. */
  readonly versions: Answers<KubeObject>;
  /** Everybody's managed fields. */
  readonly fields: Answers<NonNullable<ObjectMeta['managedFields']>>;
  readonly verdicts: Answers<DryRunVerdict>;

  constructor(now: () => number) {
    this.versions = new Answers(now);
    this.fields = new Answers(now);
    this.verdicts = new Answers(now);
  }

  /** Forgets what was asked about other objects than these. */
  keepOnly(keys: Iterable<string>): void {
    const wanted = new Set(keys);
    for (const answers of [this.versions, this.fields, this.verdicts]) answers.keepOnly(wanted);
  }
}

/** The closeups of all Applications, by their keys. */
export class Closeups {
  readonly #closeups = new Map<string, Closeup>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  of(key: string): Closeup {
    const known = this.#closeups.get(key) ?? new Closeup(this.#now);
    this.#closeups.set(key, known);
    return known;
  }

  /** The Application is gone, or has nothing more to look at. */
  forget(key: string): void {
    this.#closeups.delete(key);
  }
}
