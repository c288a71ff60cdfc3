import type { Cell } from './cell.ts';
import type { Clock, Rhythm } from './rhythm.ts';

type Waits = Pick<Rhythm, 'rightsMs' | 'leastRightsMs'>;

/** Looks at rights anew some time after they have changed, once for a bunch of changes and never too often. */
export class Rights {
  readonly #clock: Clock;
  readonly #waits: Waits;
  readonly #cells: () => Iterable<Cell>;
  /** Where; the empty text stands for everywhere. */
  readonly #changed = new Set<string>();
  #cancel: (() => void) | undefined;
  #lastAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, waits: Waits, cells: () => Iterable<Cell>) {
    this.#clock = clock;
    this.#waits = waits;
    this.#cells = cells;
  }

  /**
   * A role or a binding has changed. Whom it concerns cannot be told, since groups and aggregation decide that, too; but
   * those of a namespace grant nothing outside of it.
   */
  changed(namespace: string): void {
    this.#changed.add(namespace);
    const { rightsMs, leastRightsMs } = this.#waits;
    const ms = Math.max(rightsMs, this.#lastAt + leastRightsMs - this.#clock.now());
    this.#cancel ??= this.#clock.after(ms, () => this.#look());
  }

  stop(): void {
    this.#cancel?.();
  }

  #look(): void {
    this.#cancel = undefined;
    this.#lastAt = this.#clock.now();
    const where = new Set(this.#changed);
    this.#changed.clear();
    for (const cell of this.#cells()) if (where.has('') || where.has(cell.namespace ?? '')) cell.recheck();
  }
}
