import { Lanes, type Place } from './lanes.ts';

/** What a queue needs from the outside, so that tests can turn the clock. */
export interface QueueClock {
  now(): number;
  /** Calls back once after a while; the answer cancels it. */
  after(ms: number, run: () => void): () => void;
}

export interface QueueOptions {
  /** How many keys are worked on at once, those apart that only wait for something outside. */
  readonly workers: number;
  /** How many of them may be one tenant's (default: four of five). */
  readonly perTenant?: number | undefined;
  /** A pass that waits longer than this for something outside lends its place to others meanwhile. */
  readonly patienceMs?: number | undefined;
  /** Whose turn a key counts for: one tenant's many keys wait behind each other, not before other tenants'. */
  readonly tenantOf: (key: string) => string;
  /**
   * One pass over one key, told how many failed in a row before it; the answer says when to look again, undefined for
   * "when something changes".
   */
  readonly work: (key: string, failures: number) => Promise<number | undefined>;
  readonly clock: QueueClock;
  /** A pass that threw: how long to wait before the next try, by the count of failures in a row. */
  readonly backoffMs?: ((failures: number) => number) | undefined;
  readonly onError?: (key: string, error: unknown, failures: number) => void;
}

/** Keys to be worked on: each at most once at a time, each again if it was added meanwhile. */
export interface Queue {
  add(key: string): void;
  addAfter(key: string, ms: number): void;
  /** Forgets a key that is gone: its delays and its failures. */
  forget(key: string): void;
  /** What these keys failed by is over: they are tried again now, in their turn, and their failures count no more. */
  retry(matches: (key: string) => boolean): void;
  /**
   * Within a pass: waits for something outside, such as a cluster or a repository that may not answer. If that takes
   * long, others are worked on meanwhile, and the pass goes on when it has a place again.
   */
  outside<T>(key: string, wait: () => Promise<T>): Promise<T>;
  /** Takes no more work and waits for what runs. */
  stop(): Promise<void>;
  readonly waiting: number;
  readonly running: number;
  /** Since when the longest waiting key waits; undefined if none does. For the health endpoint. */
  oldestWaitingSince(): number | undefined;
  /** Something happened within a pass: an answer came, after whatever time. */
  moved(): void;
  /** When a pass last began, moved or ended. */
  readonly lastMoved: number;
}

/** Passes of one tenant that have lent their place; each costs a little memory and nothing else. */
const lentPerTenant = 64;
/** One tenant's passes that only a timer asked for, of whatever loops or waits, that are at work at once. */
const timedPerTenant = 4;
const defaultPatienceMs = 50;
/** A pass at work that takes so many times longer waits for somebody as well, such as for a write that is not answered. */
const longWork = 40;

/**
 * A fair work queue: tenants take turns, so a hundred looping Applications of one tenant cost another at most the end of
 * a pass, and a dead cluster or a hanging repository costs those of others nothing.
 */
export function createQueue(options: QueueOptions): Queue {
  const {
    workers,
    perTenant = Math.max(1, workers - Math.ceil(workers / 5)),
    patienceMs = defaultPatienceMs,
    clock,
  } = options;
  const lanes = new Lanes({ workers, perTenant, lentPerTenant, timedPerTenant });
  const running = new Map<string, Place>();
  const again = new Set<string>();
  const timers = new Map<string, { at: number; cancel: () => void }>();
  const failures = new Map<string, number>();
  const idle: (() => void)[] = [];
  let stopped = false;
  let lastMoved = clock.now();

  const add = (key: string, timed = false): void => {
    if (stopped) return;
    cancelTimer(key);
    if (running.has(key)) {
      again.add(key);
      return;
    }
    lanes.push(options.tenantOf(key), key, clock.now(), timed);
    pump();
  };

  const cancelTimer = (key: string): void => {
    timers.get(key)?.cancel();
    timers.delete(key);
  };

  const addAfter = (key: string, ms: number): void => {
    if (stopped) return;
    if (ms <= 0) {
      add(key, true);
      return;
    }
    const at = clock.now() + ms;
    const known = timers.get(key);
    // The earlier of two appointments stands: the later one would only repeat what the earlier finds out.
    if (known !== undefined && known.at <= at) return;
    known?.cancel();
    const cancel = clock.after(ms, () => {
      timers.delete(key);
      add(key, true);
    });
    timers.set(key, { at, cancel });
  };

  const pump = (): void => {
    for (let next = lanes.take(); next !== undefined; next = lanes.take()) {
      running.set(next.key, next.place);
      void pass(next.key, next.place);
    }
  };

  const lendAfter = (place: Place, ms: number): (() => void) =>
    clock.after(ms, () => {
      place.lend();
      pump();
    });

  const outside = async <T>(key: string, wait: () => Promise<T>): Promise<T> => {
    const place = running.get(key);
    if (place === undefined) return wait();
    const settle = lendAfter(place, patienceMs);
    try {
      return await wait();
    } finally {
      settle();
      lastMoved = clock.now();
      await new Promise<void>((resolve) => {
        place.takeBack(resolve);
        pump();
      });
    }
  };

  const pass = async (key: string, place: Place): Promise<void> => {
    lastMoved = clock.now();
    const settle = lendAfter(place, patienceMs * longWork);
    let delay: number | undefined;
    try {
      delay = await options.work(key, failures.get(key) ?? 0);
      failures.delete(key);
    } catch (error) {
      const count = (failures.get(key) ?? 0) + 1;
      failures.set(key, count);
      options.onError?.(key, error, count);
      delay = (options.backoffMs ?? defaultBackoff)(count);
    }
    settle();
    place.leave();
    running.delete(key);
    lastMoved = clock.now();
    if (again.delete(key)) add(key);
    else if (delay !== undefined) addAfter(key, delay);
    pump();
    if (running.size === 0) for (const done of idle.splice(0)) done();
  };

  return {
    add: (key) => add(key),
    addAfter,
    outside,
    forget(key) {
      cancelTimer(key);
      failures.delete(key);
    },
    retry(matches) {
      for (const key of [...failures.keys()].filter(matches)) {
        failures.delete(key);
        // With those of the timers: however many they are, what people change meanwhile does not wait behind them.
        if (timers.has(key)) add(key, true);
      }
    },
    async stop() {
      stopped = true;
      lanes.close();
      for (const key of [...timers.keys()]) cancelTimer(key);
      if (running.size > 0) await new Promise<void>((resolve) => idle.push(resolve));
    },
    moved() {
      lastMoved = clock.now();
    },
    get waiting() {
      return lanes.waiting;
    },
    get running() {
      return running.size;
    },
    get lastMoved() {
      return lastMoved;
    },
    oldestWaitingSince: () => lanes.oldest(),
  };
}

function defaultBackoff(failures: number): number {
  return Math.min(1000 * 2 ** (failures - 1), 180_000);
}
