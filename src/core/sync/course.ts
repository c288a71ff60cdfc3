import type { ResourceResult } from '../api/index.ts';
import { printKey } from '../objects/index.ts';
import { type Item, isPrune, isRunning, resultKey, resultKeyOf } from './item.ts';
import { observe } from './observe.ts';
import { resultOf } from './results.ts';
import { isDue, isMultiStep, isUnderWay, type Step, type StepInput, stepOver, stopsSync } from './step.ts';
import type { Outcome } from './types.ts';

/** What a sync begins or goes on with. */
export interface CourseInput extends StepInput {
  /** In order, with the results of former passes. */
  readonly items: readonly Item[];
  /** The results of former passes: what was pruned then, or made once for all, is no item any more, and still told. */
  readonly before?: readonly ResourceResult[];
}

/**
 * A sync on its way through one pass. Each step looks at what is under way and at the next wave only, so that a thousand
 * waves cost a thousand steps and not a million; what it knows is all in results and live objects, so that the next pass
 * goes on from those.
 */
export class Course {
  readonly #input: CourseInput;
  readonly #items: Item[];
  readonly #multiStep: boolean;
  readonly #gone: readonly ResourceResult[];
  /** Places in the order. */
  readonly #byObject = new Map<string, number[]>();
  readonly #byResult = new Map<string, number[]>();
  readonly #underWay = new Set<number>();
  readonly #waves: (readonly number[])[];
  #wave = 0;
  #due = 0;
  #failed = 0;

  constructor(input: CourseInput) {
    this.#input = input;
    this.#items = [...input.items];
    this.#multiStep = isMultiStep(input.items);
    for (const [place, item] of input.items.entries()) {
      addTo(this.#byObject, printKey(item.key), place);
      addTo(this.#byResult, resultKey(item), place);
      this.#count(place, 1);
    }
    this.#waves = wavesOf(input.items);
    const settled = (input.before ?? []).filter(
      ({ status, hookPhase }) => status !== undefined && hookPhase === 'Succeeded',
    );
    this.#gone = settled.filter((result) => !this.#byResult.has(resultKeyOf(result)));
  }

  /** As many as the steps that can settle something. */
  get size(): number {
    return this.#items.length;
  }

  /** What is known of all objects so far: what has gone, then the others in the order they run. */
  results(): ResourceResult[] {
    const gone = [...this.#gone];
    const others: ResourceResult[] = [];
    // Asked for at each step, for all items: nothing is made for those that have none.
    for (const item of this.#items) if (item.result !== undefined) (isPrune(item) ? gone : others).push(item.result);
    return [...gone, ...others];
  }

  /** Sees what the last step has led to, and tells what to do next. */
  next(): Step {
    for (const place of [...this.#underWay]) {
      const item = this.#items[place];
      if (item !== undefined && isRunning(item)) this.#put(place, observe(item, this.#input.health, this.#multiStep));
    }
    const wave = this.#nextWave();
    const results = this.results();
    const sight = { items: this.#inSight(wave), results, multiStep: this.#multiStep, later: this.#due > wave.length };
    const step = stepOver(sight, this.#input);
    // What needs no call is settled at once.
    for (const result of step.results.slice(results.length)) this.#record(result);
    return step;
  }

  /** Takes in what became of the tasks of a step. */
  after(outcomes: readonly Outcome[]): void {
    for (const outcome of outcomes) {
      this.#see(outcome);
      const result = resultOf(outcome);
      if (result !== undefined) this.#record(result);
    }
  }

  /** What ends a sync concerns everything; all else what is under way and what comes next. */
  #inSight(wave: readonly number[]): readonly Item[] {
    if (this.#input.terminating || this.#failed > 0 || this.#due === 0) return this.#items;
    const places = this.#underWay.size === 0 ? wave : [...this.#underWay, ...wave].sort((a, b) => a - b);
    return places.flatMap((place) => this.#items[place] ?? []);
  }

  #nextWave(): readonly number[] {
    for (; this.#wave < this.#waves.length; this.#wave++) {
      const due = this.#waves[this.#wave]?.filter((place) => this.#isDue(place)) ?? [];
      if (due.length > 0) return due;
    }
    return [];
  }

  #isDue(place: number): boolean {
    const item = this.#items[place];
    return item !== undefined && isDue(item);
  }

  #see({ task, status, object }: Outcome): void {
    const isGone = status === 'Pruned' && object === undefined && !(task.act === 'delete' && task.dryRun);
    if (object === undefined && !isGone) return;
    const live = object === undefined ? undefined : { key: task.key, object };
    for (const place of this.#byObject.get(printKey(task.key)) ?? []) {
      const item = this.#items[place];
      // A pending one was judged by what was there before: applying what may be there already repeats nothing.
      if (item !== undefined) this.#put(place, { ...item, live, modified: item.modified || isDue(item) });
    }
  }

  #record(result: ResourceResult): void {
    for (const place of this.#byResult.get(resultKeyOf(result)) ?? []) {
      const item = this.#items[place];
      if (item !== undefined) this.#put(place, { ...item, result });
    }
  }

  #put(place: number, item: Item): void {
    this.#count(place, -1);
    this.#items[place] = item;
    this.#count(place, 1);
  }

  #count(place: number, by: 1 | -1): void {
    const item = this.#items[place];
    if (item === undefined) return;
    if (isDue(item)) this.#due += by;
    if (stopsSync(item)) this.#failed += by;
    if (by === 1 && isUnderWay(item)) this.#underWay.add(place);
    else this.#underWay.delete(place);
  }
}

/** The places of what is due, wave by wave. */
function wavesOf(items: readonly Item[]): (readonly number[])[] {
  const waves = new Map<string, number[]>();
  for (const [place, item] of items.entries()) {
    if (isDue(item)) addTo(waves, `${item.phase} ${item.wave}`, place);
  }
  return [...waves.values()];
}

function addTo(map: Map<string, number[]>, key: string, place: number): void {
  const places = map.get(key);
  if (places === undefined) map.set(key, [place]);
  else places.push(place);
}
