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

/** A status that may be written now, or when to come back with the newest one. */
export type Damped =
  | { readonly tell: true; readonly status: ApplicationStatus; readonly onlyHealth: boolean }
  | { readonly tell: false; readonly againInMs: number };

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
    if (health?.status === undefined || !isOnlyHealth(before, after)) {
      if (telling?.held !== undefined) this.#keep(key, { spent: telling.spent, at: telling.at });
      return { tell: true, status: after, onlyHealth: false };
    }
    const answer = mayTell(telling, health.status, this.#now());
    if (answer.tell) {
      const lastTransitionTime = timeText(answer.since);
      return { tell: true, status: { ...after, health: { ...health, lastTransitionTime } }, onlyHealth: true };
    }
    if (telling !== undefined) this.#keep(key, { spent: telling.spent, at: telling.at, held: answer.held });
    return { tell: false, againInMs: answer.againInMs };
  }

  /** A status was written, with this as its news. */
  told(key: string, { onlyHealth }: { readonly onlyHealth: boolean }): void {
    const telling = this.#tellings.get(key);
    this.#keep(key, (onlyHealth ? afterHealth : afterOtherNews)(telling, this.#now()));
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
function isOnlyHealth(before: ApplicationStatus | undefined, after: ApplicationStatus): boolean {
  if (before?.health?.status === undefined || before.health.status === after.health?.status) return false;
  const health = {};
  const was = { ...before, health } as unknown as JsonObject; // a parsed status is JSON
  return patchBetween(was, { ...after, health } as unknown as JsonObject) === undefined; // so is a folded one
}
