import { isArray, isObject, type Json } from '../json/index.ts';
import { JqFailure } from './values.ts';

/** Stops a whole run, and is not to be caught by `?`. */
export class JqExhausted extends JqFailure {}

/** What a run may still do. */
interface Meter {
  steps: number;
}

/** Takes steps from a run for work that is more than one; ends it where there are not so many left. */
export function spend(meter: Meter, steps: number): void {
  meter.steps -= steps;
  if (meter.steps < 0) throw new JqExhausted('takes too many steps');
}

/**
 * How much there is in a value: its parts, and its texts by their length. Counts no further than `most`, since a value made
 * of itself many times over may have more parts than anybody can count.
 */
export function weightOf(value: Json, most: number): number {
  if (typeof value === 'string') return 1 + (value.length >> 4);
  let weight = 1;
  if (isArray(value)) {
    for (const item of value) {
      if (weight > most) break;
      weight += weightOf(item, most - weight);
    }
  } else if (isObject(value)) {
    for (const key in value) {
      if (weight > most) break;
      weight += 1 + weightOf(value[key] ?? null, most - weight);
    }
  }
  return weight;
}

const isPlain = (value: Json): boolean => typeof value !== 'object' || value === null;

/** What an operator costs: nothing between values of different types, else what it has to look at on both sides. */
export function spendOnOperator(meter: Meter, sign: string, a: Json, b: Json): void {
  if (isPlain(a) || isPlain(b)) {
    const length = (typeof a === 'string' ? a.length : 0) + (typeof b === 'string' ? b.length : 0);
    // A text is split into as many texts as it has signs.
    if (length > 0) spend(meter, sign === '/' ? length >> 2 : length >> 6);
    return;
  }
  const [left, right] = [weightOf(a, meter.steps), weightOf(b, meter.steps)];
  // Of two lists each item is held against each.
  spend(meter, sign === '-' ? left * right : left + right);
}

/** Functions that hold all parts of one value against all of another. */
const crossing: ReadonlySet<string> = new Set(['contains/1', 'inside/1']);
/** Functions that only look at what a value is, or at one part of it. */
const glancing: ReadonlySet<string> = new Set([
  'not/0',
  'type/0',
  'tonumber/0',
  'has/1',
  'in/1',
  'startswith/1',
  'endswith/1',
]);
/** Functions that put parts in order. */
const sorting: ReadonlySet<string> = new Set(['sort/0', 'unique/0', 'keys/0']);

/** What a function costs: what it has to look at, as often as it does. */
export function spendOnFunction(meter: Meter, id: string, value: Json, argument: Json = null): void {
  if (!glancing.has(id)) spend(meter, weightOf(value, meter.steps) * timesOf(meter, id, value, argument));
}

function timesOf(meter: Meter, id: string, value: Json, argument: Json): number {
  if (crossing.has(id)) return weightOf(argument, meter.steps);
  if (sorting.has(id)) return Math.ceil(Math.log2(partsOf(value) + 2));
  // A pattern is tried at each sign of a text.
  if (id === 'test/1') return 8;
  // What is added up is copied each time, unless it is a number or a text.
  return id === 'add/0' && holdsLarge(value) ? partsOf(value) : 1;
}

function partsOf(value: Json): number {
  if (isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : 0;
}

function holdsLarge(value: Json): boolean {
  const parts = isObject(value) ? Object.values(value) : isArray(value) ? value : [];
  return parts.some((part) => !isPlain(part));
}
