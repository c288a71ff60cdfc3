import type { ApplicationStatus } from '../../core/api/index.ts';
import type { JsonObject } from '../../core/json/index.ts';
import {
  afterHealth,
  afterOtherNews,
  isTellingOver,
  mayTell,
  patchBetween,
  type Telling,
} from '../../core/status/index.ts';
import { timeText } from './time.ts';

/** What is new in a status: nothing, health that may be written now, health to come back with later, or more than that. */
export type Damped =
  | { readonly news: 'none' | 'more' }
  | { readonly news: 'health'; readonly status: ApplicationStatus }
  | { readonly news: 'held'; readonly againInMs: number };

/** Holds back the flapping of health, and nothing else; knows only the Applications that were told of lately. */
export class Damping {
  readonly #now: () => number;
  readonly #tellings = new Map<string, Telling>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether a status may take the place of the one that stands written; health that came back to that is no news. */
  judge(key: string, before: ApplicationStatus | undefined, after: ApplicationStatus): Damped {
    const telling = this.#tellings.get(key);
    const { health } = after;
    const news = newsOf(before ?? {}, after);
    if (news !== 'health' || health?.status === undefined) {
      if (telling?.held !== undefined) this.#keep(key, { spent: telling.spent, at: telling.at });
      return { news: news === 'none' ? 'none' : 'more' };
    }
    const answer = mayTell(telling, health.status, this.#now());
    if (answer.tell) {
      const lastTransitionTime = timeText(answer.since);
      return { news: 'health', status: { ...after, health: { ...health, lastTransitionTime } } };
    }
    if (telling !== undefined) this.#keep(key, { spent: telling.spent, at: telling.at, held: answer.held });
    return { news: 'held', againInMs: answer.againInMs };
  }

  /** A status was written, with this as its news. */
  told(key: string, news: 'health' | 'more'): void {
    const telling = this.#tellings.get(key);
    this.#keep(key, (news === 'health' ? afterHealth : afterOtherNews)(telling, this.#now()));
  }

  /** The Application is gone. */
  forget(key: string): void {
    this.#tellings.delete(key);
  }

  /** For how many something is kept. */
  get size(): number {
    return this.#tellings.size;
  }

  #keep(key: string, telling: Telling | undefined): void {
    this.#tellings.delete(key); // and set again, so that the oldest stand first
    if (telling !== undefined) this.#tellings.set(key, telling);
    const now = this.#now();
    for (const [old, each] of this.#tellings) {
      if (!isTellingOver(each, now)) break;
      this.#tellings.delete(old);
    }
  }
}

/** The rows of objects bear no health: what they tell is about the sync, and is told. */
function newsOf(before: ApplicationStatus, after: ApplicationStatus): 'none' | 'health' | 'more' {
  // A parsed status is JSON, and so is a folded one.
  const patch = patchBetween(before as unknown as JsonObject, after as unknown as JsonObject);
  if (patch === undefined) return 'none';
  const isOnlyHealth = Object.keys(patch).every((each) => each === 'health') && before.health?.status !== undefined;
  return isOnlyHealth && before.health?.status !== after.health?.status ? 'health' : 'more';
}
