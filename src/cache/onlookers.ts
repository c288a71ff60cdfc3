import type { Clock } from './follow/rhythm.ts';

/** Objects come in bunches, and their owners a little later: this long after the first change of a bunch it is told. */
const bunchMs = 1_000;

/** Applications that want to know what belongs to nobody in a namespace; each is told once for a bunch of changes. */
export class Onlookers {
  readonly #clock: Clock;
  readonly #wake: (instances: Iterable<string>) => void;
  readonly #askers = new Map<string, Set<string>>();
  readonly #changed = new Set<string>();
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, wake: (instances: Iterable<string>) => void) {
    this.#clock = clock;
    this.#wake = wake;
  }

  add(namespace: string, instance: string): void {
    const askers = this.#askers.get(namespace);
    if (askers === undefined) this.#askers.set(namespace, new Set([instance]));
    else askers.add(instance);
  }

  changed(namespace: string): void {
    if (this.#askers.size === 0 || !this.#askers.has(namespace)) return;
    this.#changed.add(namespace);
    this.#cancel ??= this.#clock.after(bunchMs, () => this.#tell());
  }

  changedEverywhere(): void {
    for (const namespace of this.#askers.keys()) this.changed(namespace);
  }

  stop(): void {
    this.#cancel?.();
  }

  /** Who is told asks again, if it still wants to know. */
  #tell(): void {
    this.#cancel = undefined;
    const instances = new Set<string>();
    for (const namespace of this.#changed) {
      for (const instance of this.#askers.get(namespace) ?? []) instances.add(instance);
      this.#askers.delete(namespace);
    }
    this.#changed.clear();
    this.#wake(instances);
  }
}
