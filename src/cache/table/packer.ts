import type { Clock } from '../follow/rhythm.ts';
import type { Bodies } from './bodies.ts';

/** How often it is looked whether the rush is over, and how many times before it is not waited for any more. */
const lookMs = 200;
const mostLooks = 150;
/** Between two pieces others have their turn; one piece takes a millisecond or two. */
const restMs = 1;
const pieceLength = 64 * 1024;

/** Packs bodies in small pieces once the rush is over: the start of a cache must not wait for it. */
export class Packer {
  readonly #bodies: Bodies;
  readonly #clock: Clock;
  readonly #isCalm: () => boolean;
  #cancel: (() => void) | undefined;

  constructor(bodies: Bodies, clock: Clock, isCalm: () => boolean) {
    this.#bodies = bodies;
    this.#clock = clock;
    this.#isCalm = isCalm;
    bodies.onWaiting = () => {
      this.#cancel ??= this.#clock.after(lookMs, () => this.#look(1));
    };
  }

  stop(): void {
    this.#bodies.onWaiting = () => undefined;
    this.#cancel?.();
  }

  #look(turn: number): void {
    if (turn < mostLooks && !this.#isCalm()) this.#cancel = this.#clock.after(lookMs, () => this.#look(turn + 1));
    else this.#work();
  }

  #work(): void {
    this.#bodies.packSome(pieceLength);
    this.#cancel = this.#bodies.waiting === 0 ? undefined : this.#clock.after(restMs, () => this.#work());
  }
}
