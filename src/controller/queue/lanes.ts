/** How much of the queue's room there is, and how much of it one tenant may take. */
export interface Room {
  /** Passes at work at once. */
  readonly workers: number;
  /** Of those, the most that are one tenant's: the others stay free for whoever comes. */
  readonly perTenant: number;
  /** Passes of one tenant that wait for something outside and have given their place back. */
  readonly patientPerTenant: number;
}

/** The keys of one tenant: those that wait, in the order they came, and how many are on their way. */
export interface Lane {
  readonly tenant: string;
  readonly keys: Map<string, number>;
  /** Passes that hold a place. */
  working: number;
  /** Passes that go on without one. */
  patient: number;
}

/** One pass' place: given back by itself when it is over, or earlier when it takes long. */
export interface Place {
  /** The pass takes long: somebody else may work meanwhile. */
  lend(): void;
  /** The pass is over. */
  leave(): void;
}

/**
 * Tenants take turns: of all lanes with waiting keys the one with the fewest passes, and among those the one that waited
 * longest for a turn, goes next. No tenant holds all places, and none holds one for long.
 */
export class Lanes {
  readonly #lanes = new Map<string, Lane>();
  readonly #room: Room;
  #working = 0;
  #waiting = 0;

  constructor(room: Room) {
    this.#room = room;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Puts a key at the end of its tenant's lane; where it waits already it keeps its turn. */
  push(tenant: string, key: string, now: number): void {
    const lane = this.#lanes.get(tenant) ?? { tenant, keys: new Map(), working: 0, patient: 0 };
    this.#lanes.set(tenant, lane);
    if (lane.keys.has(key)) return;
    lane.keys.set(key, now);
    this.#waiting++;
  }

  /** The next key and its place; undefined while nobody may begin. */
  take(): { readonly key: string; readonly place: Place } | undefined {
    if (this.#waiting === 0 || this.#working >= this.#room.workers) return undefined;
    const lane = this.#next();
    const key = lane?.keys.keys().next().value;
    if (lane === undefined || key === undefined) return undefined;
    lane.keys.delete(key);
    this.#waiting--;
    // To the end of the line of lanes: the next turn of this tenant comes after everybody else's.
    this.#lanes.delete(lane.tenant);
    this.#lanes.set(lane.tenant, lane);
    return { key, place: this.#place(lane) };
  }

  /** Since when the longest waiting key waits. */
  oldest(): number | undefined {
    let oldest: number | undefined;
    for (const lane of this.#lanes.values()) {
      const first = lane.keys.values().next().value;
      if (first !== undefined && (oldest === undefined || first < oldest)) oldest = first;
    }
    return oldest;
  }

  #next(): Lane | undefined {
    let best: Lane | undefined;
    for (const lane of this.#lanes.values()) {
      if (lane.keys.size === 0 || lane.working >= this.#room.perTenant) continue;
      if (lane.patient >= this.#room.patientPerTenant) continue;
      if (best === undefined || lane.working + lane.patient < best.working + best.patient) best = lane;
    }
    return best;
  }

  #place(lane: Lane): Place {
    let held = true;
    lane.working++;
    this.#working++;
    const release = (): void => {
      held = false;
      lane.working--;
      this.#working--;
    };
    return {
      lend: () => {
        if (!held) return;
        release();
        lane.patient++;
      },
      leave: () => {
        if (held) release();
        else lane.patient--;
        if (lane.working + lane.patient + lane.keys.size === 0) this.#lanes.delete(lane.tenant);
      },
    };
  }
}
