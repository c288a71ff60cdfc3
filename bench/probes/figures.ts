/** One figure of a benchmark, with the bound it is held against where there is one. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly bound?: string;
  readonly ok?: boolean;
  /** Why the figure says nothing in this run, such as floors that differ too much; its bound is then not judged. */
  readonly void?: string;
}

/** A figure to read, not to judge. */
export function told(name: string, value: number, unit = ''): Figure {
  return { name, value, unit };
}

/** A count that must be exactly so. */
export function exactly(name: string, value: number, wanted: number): Figure {
  return { name, value, unit: '', bound: `= ${wanted}`, ok: value === wanted };
}

/** A figure that may not be larger than this. */
export function atMost(name: string, value: number, unit: string, most: number): Figure {
  return { name, value, unit, bound: `<= ${most}`, ok: value <= most };
}

/** How far repetitions of a floor lie apart at most before a ratio to them says nothing. */
export const maxSpread = 0.15;

/** How far the repetitions of a floor lie apart, as a part of their median. */
export function spread(floors: readonly number[]): number {
  return (Math.max(...floors) - Math.min(...floors)) / median(floors);
}

/** A ratio to a floor, void where the floor's own repetitions differ too much. */
export function ratioTo(name: string, value: number, most: number, floors: readonly number[]): Figure {
  const apart = spread(floors);
  const figure = atMost(name, value, '×', most);
  return apart <= maxSpread ? figure : { ...figure, void: `the floors differ by ${(apart * 100).toFixed(0)} %` };
}

/** The middle one; of none it is no number, which meets no bound. */
export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

/** A figure and how it was judged, such as for progress of a long run. */
export function inOneLine({ name, value, unit, bound = '', ok, void: reason }: Figure): string {
  const judged = reason === undefined ? (ok === true ? 'met' : 'NOT MET') : `VOID: ${reason}`;
  return `${name}: ${print(value)} ${unit} (${bound}) ${bound === '' ? '' : judged}`;
}

/** Three digits that count; whole numbers as they are. */
export function print(value: number): string {
  return Math.abs(value) >= 100 || Number.isInteger(value) ? value.toFixed(0) : value.toPrecision(3);
}
