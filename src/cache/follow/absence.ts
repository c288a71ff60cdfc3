import type { ReadTarget } from '../../core/policy/index.ts';
import type { CellHouse } from './cell.ts';
import { type Judgement, judge } from './judge.ts';

/** The wait for a right grows with the time it has been away, so that a short absence stays a short one. */
const probeShare = 5;

type Parts = Pick<CellHouse, 'door' | 'mode' | 'clock' | 'rhythm' | 'reviewSlots'>;
type Refusal = Parameters<typeof judge>[3];

/** A right that is away: since when, what was found out about it, and when to try again. */
export class Absence {
  readonly #house: Parts;
  readonly #target: ReadTarget;
  /** The last judgement that took the right away for good. */
  #denial: { readonly at: number; readonly code: string; readonly meaning: Judgement } | undefined;
  #since: number | undefined;

  constructor(target: ReadTarget, house: Parts) {
    this.#target = target;
    this.#house = house;
  }

  begin(): void {
    this.#since ??= this.#house.clock.now();
  }

  /** Whether it has been away so shortly that it may be nothing: roles are replaced by deleting and creating them. */
  get isShort(): boolean {
    const { clock, rhythm } = this.#house;
    return this.#since === undefined || clock.now() - this.#since < rhythm.graceMs;
  }

  end(): void {
    this.#since = undefined;
    this.#denial = undefined;
  }

  /** How long to wait before it is tried again. */
  get probeMs(): number {
    const { clock, rhythm } = this.#house;
    const away = clock.now() - (this.#since ?? clock.now());
    return Math.min(rhythm.longestProbeMs, Math.max(rhythm.probeMs, away / probeShare));
  }

  /** What a refusal means; one that was found to be final is not asked about again for long. */
  async judge(error: Refusal): Promise<Judgement> {
    const { door, mode, clock, rhythm, reviewSlots } = this.#house;
    const { code } = error;
    const last = this.#denial;
    if (last?.code === code && clock.now() - last.at < rhythm.reviewMs) return last.meaning;
    const done = await new Promise<() => void>((begin) => void reviewSlots.take(begin));
    try {
      const meaning = await judge(door, mode, this.#target, error);
      this.#denial = meaning.means === 'no-access' ? { at: clock.now(), code, meaning } : undefined;
      return meaning;
    } finally {
      done();
    }
  }
}
