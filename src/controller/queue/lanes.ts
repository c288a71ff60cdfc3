/** How much of the queue's room there is, and how much of it one tenant may take. */
export interface Room {
  /** Passes at work at once. */
  readonly workers: number;
  /** Of those, the most that are one tenant's: the others stay free for whoever comes. */
  readonly perTenant: number;
  /** Passes of one tenant that wait for something outside and have lent their place. */
  readonly lentPerTenant: number;
  /** Passes of one tenant that nothing but a timer asked for: tries again, looks at what is being waited for. */
  readonly timedPerTenant: number;
}

/** The keys of one tenant: those that wait, in the order they came, and how many are on their way. */
interface Lane {
  readonly tenant: string;
  readonly keys: Map<string, number>;
  /** Those that nothing but a timer asked for. */
  readonly timed: Map<string, number>;
  /** Passes that want their place back. */
  readonly back: (() => void)[];
  /** Passes that hold a place. */
  working: number;
  /** Of those, the ones that a timer asked for. */
  timedWorking: number;
  /** Passes that go on without one. */
  lent: number;
  /** How many have begun. */
  begun: number;
}

/** Of so many passes one is a timer's, if there is one, however many others wait. */
const timedTurn = 4;

/** One pass' place among the workers. */
export interface Place {
  /** The pass only waits: somebody else may work meanwhile. */
  lend(): void;
  /** Wants the place back and calls when it is there; at once where it was not lent. */
  takeBack(go: () => void): void;
  /** The pass is over. */
  leave(): void;
}

/**
 * Tenants take turns: of all lanes where somebody waits the one with the fewest passes, and among those the one that
 * waited longest for a turn, goes next. No tenant holds all places.
 */
export class Lanes {
  readonly #lanes = new Map<string, Lane>();
  /** Where each key waits: one whose tenant changes meanwhile keeps its turn, and is never begun with twice. */
  readonly #waitsIn = new Map<string, Lane>();
  readonly #room: Room;
  #working = 0;
  #keys = 0;
  #back = 0;
  #closed = false;

  constructor(room: Room) {
    this.#room = room;
  }

  /** Keys that no pass has begun with. */
  get waiting(): number {
    return this.#keys;
  }

  /** Puts a key at the end of its tenant's lane; where it waits already it keeps its turn. */
  push(tenant: string, key: string, now: number, timed = false): void {
    const lane = this.#waitsIn.get(key) ?? this.#lanes.get(tenant) ?? newLane(tenant);
    this.#lanes.set(lane.tenant, lane);
    this.#waitsIn.set(key, lane);
    if (lane.keys.has(key) || (timed && lane.timed.has(key))) return;
    // Something happened to it since: it no longer waits with those of the timers.
    if (lane.timed.delete(key)) this.#keys--;
    (timed ? lane.timed : lane.keys).set(key, now);
    this.#keys++;
  }

  /** The next key to begin with and its place; passes that want theirs back come before it. */
  take(): { readonly key: string; readonly place: Place } | undefined {
    while (!this.#closed && this.#keys + this.#back > 0 && this.#working < this.#room.workers) {
      const lane = this.#next();
      if (lane === undefined) return undefined;
      // To the end of the line of lanes: the next turn of this tenant comes after everybody else's.
      this.#lanes.delete(lane.tenant);
      this.#lanes.set(lane.tenant, lane);
      const back = lane.back.shift();
      if (back === undefined) return this.#begin(lane);
      this.#back--;
      back();
    }
    return undefined;
  }

  /** Nobody begins any more, and nobody who is on his way waits for a place. */
  close(): void {
    this.#closed = true;
    for (const lane of this.#lanes.values()) for (const back of lane.back.splice(0)) back();
  }

  /** Since when the longest waiting key waits. */
  oldest(): number | undefined {
    let oldest: number | undefined;
    for (const lane of this.#lanes.values()) {
      for (const [first] of [lane.keys.values(), lane.timed.values()])
        if (first !== undefined && (oldest === undefined || first < oldest)) oldest = first;
    }
    return oldest;
  }

  #next(): Lane | undefined {
    let best: Lane | undefined;
    for (const lane of this.#lanes.values()) {
      if (lane.working >= this.#room.perTenant) continue;
      const ready = lane.keys.size > 0 || this.#mayBeTimed(lane);
      const begins = ready && lane.lent < this.#room.lentPerTenant;
      if (lane.back.length === 0 && !begins) continue;
      if (best === undefined || lane.working < best.working) best = lane;
    }
    return best;
  }

  #mayBeTimed({ timed, timedWorking }: Lane): boolean {
    return timed.size > 0 && timedWorking < this.#room.timedPerTenant;
  }

  #begin(lane: Lane): { readonly key: string; readonly place: Place } | undefined {
    const timed = this.#mayBeTimed(lane) && (lane.keys.size === 0 || lane.begun % timedTurn === 0);
    const keys = timed ? lane.timed : lane.keys;
    const [key] = keys.keys();
    if (key === undefined) return undefined;
    keys.delete(key);
    this.#waitsIn.delete(key);
    lane.begun++;
    this.#keys--;
    return { key, place: this.#place(lane, timed ? 1 : 0) };
  }

  #place(lane: Lane, timed: 0 | 1): Place {
    let held = false;
    const hold = (): void => {
      held = true;
      lane.working++;
      lane.timedWorking += timed;
      this.#working++;
    };
    const release = (): void => {
      held = false;
      lane.working--;
      lane.timedWorking -= timed;
      this.#working--;
    };
    hold();
    return {
      lend: () => {
        if (!held) return;
        release();
        lane.lent++;
      },
      takeBack: (go) => {
        if (held || this.#closed) {
          go();
          return;
        }
        this.#back++;
        lane.back.push(() => {
          lane.lent--;
          hold();
          go();
        });
      },
      leave: () => {
        if (held) release();
        else lane.lent--;
        if (lane.working + lane.lent + lane.keys.size + lane.timed.size === 0) this.#lanes.delete(lane.tenant);
      },
    };
  }
}

function newLane(tenant: string): Lane {
  return { tenant, keys: new Map(), timed: new Map(), back: [], working: 0, timedWorking: 0, lent: 0, begun: 0 };
}
