/** Timers of the program as a whole. */
export interface TimerCount {
  /** How many have fired so far. */
  readonly fired: number;
  /** How many are waiting now. */
  readonly pending: number;
}

/** Counts timers from now on, whoever sets them; Node's own inner ones are not seen. */
export function countTimers(): () => TimerCount {
  const pending = new Set<NodeJS.Timeout>();
  let fired = 0;
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  const counted = (run: (...args: unknown[]) => void, ms?: number, ...args: unknown[]): NodeJS.Timeout => {
    const timer: NodeJS.Timeout = set(() => {
      fired++;
      pending.delete(timer);
      run(...args);
    }, ms);
    pending.add(timer);
    return timer;
  };
  const cleared = (timer: Parameters<typeof clearTimeout>[0]): void => {
    if (typeof timer === 'object') pending.delete(timer);
    clear(timer);
  };
  // `promisify` of the original is kept: who waits with a promise is not counted.
  globalThis.setTimeout = Object.assign(counted, { __promisify__: set.__promisify__ }) as typeof setTimeout; // the same face
  globalThis.clearTimeout = cleared;
  return () => ({ fired, pending: pending.size });
}
