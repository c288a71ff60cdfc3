/** One of those who wait in a line. */
export interface Ticket {
  /** Does the work when it is this one's turn; fails with `Crowded` where it had to make room for others. */
  pass<T>(work: () => Promise<T>): Promise<T>;
  /** Makes room for others; to be called once, whatever became of the work. */
  leave(): void;
}

/** Why somebody's turn never comes. */
export class Crowded extends Error {
  constructor(lane: string) {
    super(`too many wait in the lane ${lane}`);
    this.name = 'Crowded';
  }
}

/** How much of a line there is. */
export interface LineRoom {
  /** At work at once. */
  readonly places: number;
  /** The most that wait, and the most of one lane. */
  readonly waiting: number;
  readonly perLane: number;
}

interface Standing {
  readonly go: () => void;
  readonly giveUp: () => void;
}

interface Lane {
  /** Those who have come and not left. */
  held: number;
  /** Of those, the ones at work. */
  working: number;
  /** And the ones whose turn has not come. */
  readonly standing: Standing[];
}

/**
 * Lets a few through at once. Lanes take turns, so that a crowd in one costs the others nothing but the end of what is at
 * work; and who finds the room full takes the place of the last one of the longest lane.
 */
export class FairLine {
  readonly #room: LineRoom;
  readonly #lanes = new Map<string, Lane>();
  #held = 0;
  #working = 0;

  constructor(room: LineRoom) {
    this.#room = room;
  }

  /** A place at the end of a lane; undefined where there is no room for it. */
  enter(name: string): Ticket | undefined {
    const lane = this.#lanes.get(name) ?? { held: 0, working: 0, standing: [] };
    if (lane.held >= this.#room.perLane) return undefined;
    if (this.#held >= this.#room.waiting && !this.#makeRoom(lane.held + 1)) return undefined;
    this.#lanes.set(name, lane);
    this.#held++;
    lane.held++;
    let gaveUp = false;
    const leave = (): void => {
      this.#held--;
      lane.held--;
      if (lane.held === 0) this.#lanes.delete(name);
    };
    return {
      pass: (work) =>
        this.#pass(lane, work, (reject) => {
          gaveUp = true;
          leave();
          reject(new Crowded(name));
        }),
      leave: () => {
        if (!gaveUp) leave();
      },
    };
  }

  /** Lets everybody through who stands here: nobody is told to wait for a slow one at the end. */
  rush(): void {
    for (const lane of this.#lanes.values()) while (lane.standing.length > 0) this.#admit(lane);
  }

  async #pass<T>(lane: Lane, work: () => Promise<T>, giveUp: (reject: (error: Error) => void) => void): Promise<T> {
    await new Promise<void>((go, reject) => {
      lane.standing.push({ go, giveUp: () => giveUp(reject) });
      this.#next();
    });
    try {
      return await work();
    } finally {
      this.#working--;
      lane.working--;
      this.#next();
    }
  }

  #next(): void {
    if (this.#working >= this.#room.places) return;
    const turn = this.#turn();
    if (turn === undefined) return;
    const [name, lane] = turn;
    // To the end: the next turn of this lane comes after everybody else's.
    this.#lanes.delete(name);
    this.#lanes.set(name, lane);
    this.#admit(lane);
  }

  /** Of those where somebody stands the first; one that is at work already comes after those that are not. */
  #turn(): [string, Lane] | undefined {
    let busy: [string, Lane] | undefined;
    for (const each of this.#lanes) {
      const [, lane] = each;
      if (lane.standing.length === 0) continue;
      if (lane.working === 0) return each;
      busy ??= each;
    }
    return busy;
  }

  #admit(lane: Lane): void {
    this.#working++;
    lane.working++;
    lane.standing.shift()?.go();
  }

  /** The last of the longest lane gives up, if that is longer than this. */
  #makeRoom(than: number): boolean {
    let longest: Lane | undefined;
    for (const lane of this.#lanes.values())
      if (lane.standing.length > (longest?.standing.length ?? than)) longest = lane;
    const last = longest?.standing.pop();
    last?.giveUp();
    return last !== undefined;
  }
}
