/** What a queue needs from the outside, so that tests can turn the clock. */
export interface QueueClock {
  now(): number;
  /** Calls back once after a while; the answer cancels it. */
  after(ms: number, run: () => void): () => void;
}

export interface QueueOptions {
  /** How many keys are worked on at once. */
  readonly workers: number;
  /** Whose turn a key counts for: one tenant's many keys wait behind each other, not before other tenants'. */
  readonly tenantOf: (key: string) => string;
  /** One pass over one key; the answer says when to look again, undefined for "when something changes". */
  readonly work: (key: string) => Promise<number | undefined>;
  readonly clock: QueueClock;
  /** A pass that threw: how long to wait before the next try, by the count of failures in a row. */
  readonly backoffMs?: (failures: number) => number;
  readonly onError?: (key: string, error: unknown, failures: number) => void;
}

/** Keys to be worked on: each at most once at a time, each again if it was added meanwhile. */
export interface Queue {
  add(key: string): void;
  addAfter(key: string, ms: number): void;
  /** Forgets a key that is gone: its delays and its failures. */
  forget(key: string): void;
  /** Takes no more work and waits for what runs. */
  stop(): Promise<void>;
  readonly waiting: number;
  readonly running: number;
  /** Since when the longest waiting key waits; undefined if none does. For the health endpoint. */
  oldestWaitingSince(): number | undefined;
  /** When a pass last began or ended. */
  readonly lastMoved: number;
}

interface Lane {
  readonly tenant: string;
  /** Keys in the order they came, with the time they came. */
  readonly keys: Map<string, number>;
  running: number;
}

/**
 * A fair work queue. Tenants take turns: of all lanes with waiting keys the one with the fewest running passes, and
 * among those the one that waited longest for a turn, goes next; so a hundred looping Applications of one tenant cost
 * another tenant at most the passes already running.
 */
export function createQueue(options: QueueOptions): Queue {
  const lanes = new Map<string, Lane>();
  const running = new Set<string>();
  const again = new Set<string>();
  const timers = new Map<string, { at: number; cancel: () => void }>();
  const failures = new Map<string, number>();
  const idle: (() => void)[] = [];
  let waiting = 0;
  let stopped = false;
  let lastMoved = options.clock.now();

  const laneOf = (key: string): Lane => {
    const tenant = options.tenantOf(key);
    const lane = lanes.get(tenant) ?? { tenant, keys: new Map(), running: 0 };
    lanes.set(tenant, lane);
    return lane;
  };

  const add = (key: string): void => {
    if (stopped) return;
    cancelTimer(key);
    if (running.has(key)) {
      again.add(key);
      return;
    }
    const lane = laneOf(key);
    if (lane.keys.has(key)) return;
    lane.keys.set(key, options.clock.now());
    waiting++;
    pump();
  };

  const cancelTimer = (key: string): void => {
    timers.get(key)?.cancel();
    timers.delete(key);
  };

  const addAfter = (key: string, ms: number): void => {
    if (stopped) return;
    if (ms <= 0) {
      add(key);
      return;
    }
    const at = options.clock.now() + ms;
    const known = timers.get(key);
    // The earlier of two appointments stands: the later one would only repeat what the earlier finds out.
    if (known !== undefined && known.at <= at) return;
    known?.cancel();
    const cancel = options.clock.after(ms, () => {
      timers.delete(key);
      add(key);
    });
    timers.set(key, { at, cancel });
  };

  const pump = (): void => {
    while (!stopped && running.size < options.workers && waiting > 0) {
      const lane = nextLane(lanes);
      const key = lane?.keys.keys().next().value;
      if (lane === undefined || key === undefined) return;
      lane.keys.delete(key);
      // To the end of the line of lanes: the next turn of this tenant comes after everybody else's.
      lanes.delete(lane.tenant);
      lanes.set(lane.tenant, lane);
      waiting--;
      lane.running++;
      running.add(key);
      void pass(key, lane);
    }
  };

  const pass = async (key: string, lane: Lane): Promise<void> => {
    lastMoved = options.clock.now();
    let delay: number | undefined;
    try {
      delay = await options.work(key);
      failures.delete(key);
    } catch (error) {
      const count = (failures.get(key) ?? 0) + 1;
      failures.set(key, count);
      options.onError?.(key, error, count);
      delay = (options.backoffMs ?? defaultBackoff)(count);
    }
    running.delete(key);
    lane.running--;
    lastMoved = options.clock.now();
    if (lane.running === 0 && lane.keys.size === 0) lanes.delete(lane.tenant);
    if (again.delete(key)) add(key);
    else if (delay !== undefined) addAfter(key, delay);
    pump();
    if (running.size === 0) for (const done of idle.splice(0)) done();
  };

  return {
    add,
    addAfter,
    forget(key) {
      cancelTimer(key);
      failures.delete(key);
    },
    async stop() {
      stopped = true;
      for (const key of [...timers.keys()]) cancelTimer(key);
      if (running.size > 0) await new Promise<void>((resolve) => idle.push(resolve));
    },
    get waiting() {
      return waiting;
    },
    get running() {
      return running.size;
    },
    get lastMoved() {
      return lastMoved;
    },
    oldestWaitingSince() {
      let oldest: number | undefined;
      for (const lane of lanes.values()) {
        const first = lane.keys.values().next().value;
        if (first !== undefined && (oldest === undefined || first < oldest)) oldest = first;
      }
      return oldest;
    },
  };
}

function nextLane(lanes: ReadonlyMap<string, Lane>): Lane | undefined {
  let best: Lane | undefined;
  for (const lane of lanes.values()) {
    if (lane.keys.size > 0 && (best === undefined || lane.running < best.running)) best = lane;
  }
  return best;
}

function defaultBackoff(failures: number): number {
  return Math.min(1000 * 2 ** (failures - 1), 180_000);
}
