import { type Columns, none } from './columns.ts';

/** The rows of each namespace as chains through the columns, so that a question about one does not walk over all. */
export class Places {
  readonly #columns: Columns;
  readonly #first = new Map<number, number>();

  constructor(columns: Columns) {
    this.#columns = columns;
  }

  enter(row: number, place: number): void {
    const { nextInPlace, previousInPlace } = this.#columns;
    const first = this.#first.get(place) ?? none;
    nextInPlace[row] = first;
    previousInPlace[row] = none;
    if (first !== none) previousInPlace[first] = row;
    this.#first.set(place, row);
  }

  leave(row: number, place: number): void {
    const { nextInPlace, previousInPlace } = this.#columns;
    const [before, after] = [previousInPlace[row] ?? none, nextInPlace[row] ?? none];
    if (after !== none) previousInPlace[after] = before;
    if (before !== none) nextInPlace[before] = after;
    else if (after !== none) this.#first.set(place, after);
    else this.#first.delete(place);
  }

  /** The rows of a namespace, in no order; nothing may enter or leave while they are walked over. */
  *rows(place: number): Generator<number> {
    const { nextInPlace } = this.#columns;
    for (let row = this.#first.get(place) ?? none; row !== none; row = nextInPlace[row] ?? none) yield row;
  }
}
