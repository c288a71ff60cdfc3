import type { KubeObject } from '../../core/objects/index.ts';
import { type Actor, type Inside, StatusError, type StoreEvent } from '../ports.ts';

/** Keys an event concerns: usually the object's own, or its owner's. */
export type KeysOf = (object: KubeObject, event: StoreEvent | undefined) => readonly string[];

export interface Watched {
  readonly group: string;
  readonly kind: string;
  readonly keys: KeysOf;
}

/** Does what one key needs; answers after how many milliseconds to look again, if at all. */
export type Reconcile = (inside: Inside, key: string) => Promise<number | undefined>;

/** `namespace/name` of an object. */
export const ownKey: KeysOf = ({ metadata }) => [`${metadata.namespace ?? ''}/${metadata.name ?? ''}`];

/** The parts of a key made by `ownKey`. */
export function splitKey(key: string): [namespace: string, name: string] {
  const slash = key.indexOf('/');
  return [key.slice(0, slash), key.slice(slash + 1)];
}

/** An actor that looks at one key at a time whenever something it watches changed, and again after a failure. */
export function reconciler(name: string, watched: readonly Watched[], reconcile: Reconcile): Actor {
  return {
    name,
    start: (inside) => {
      const queue = new KeyQueue((key) => reconcile(inside, key), warn);
      const watches = watched.map(({ group, kind, keys }) => {
        const watch = inside.watch(group, kind, (event) => {
          for (const key of keys(event.object, event)) queue.add(key);
        });
        for (const object of inside.list(group, kind)) for (const key of keys(object, undefined)) queue.add(key);
        return watch;
      });
      return {
        stop: () => {
          for (const watch of watches) watch.stop();
          return queue.stop();
        },
      };
    },
  };
}

/** A failure of an actor's own is told once as a warning of the process: the cluster goes on without it. */
function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error), { code: 'ARGOSY_ACTOR' });
}

/** Distinct keys, one at a time, with a later try after a failure or on request. */
export class KeyQueue {
  readonly #work: (key: string) => Promise<number | undefined>;
  readonly #waiting = new Set<string>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #failures = new Map<string, number>();
  readonly #onBug: ((error: unknown) => void) | undefined;
  #running: Promise<void> | undefined;
  #stopped = false;

  /** `onBug` hears of failures that are no refusals by the server. */
  constructor(work: (key: string) => Promise<number | undefined>, onBug?: (error: unknown) => void) {
    this.#work = work;
    this.#onBug = onBug;
  }

  add(key: string): void {
    if (this.#stopped) return;
    this.#waiting.add(key);
    this.#running ??= this.#run();
  }

  /** Adds a key later; an earlier appointment of the same key is kept if it is sooner. */
  addAfter(key: string, milliseconds: number): void {
    if (this.#stopped) return;
    clearTimeout(this.#timers.get(key));
    const timer = setTimeout(() => {
      this.#timers.delete(key);
      this.add(key);
    }, milliseconds);
    timer.unref();
    this.#timers.set(key, timer);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#waiting.clear();
    for (const timer of this.#timers.values()) clearTimeout(timer);
    await this.#running;
  }

  async #run(): Promise<void> {
    await Promise.resolve(); // let the write that caused this finish first
    for (;;) {
      const [key] = this.#waiting;
      if (key === undefined) break;
      this.#waiting.delete(key);
      await this.#one(key);
    }
    this.#running = undefined;
  }

  async #one(key: string): Promise<void> {
    try {
      const again = await this.#work(key);
      this.#failures.delete(key);
      if (again !== undefined) this.addAfter(key, again);
    } catch (error) {
      if (!(error instanceof StatusError)) this.#onBug?.(error);
      // Refusals (a terminating namespace, a missing account) and races are normal here: try again, ever more slowly.
      const failures = (this.#failures.get(key) ?? 0) + 1;
      this.#failures.set(key, failures);
      this.addAfter(key, Math.min(30_000, 20 * 2 ** failures));
    }
  }
}
