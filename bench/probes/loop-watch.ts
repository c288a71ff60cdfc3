/** Measures the longest stretch of CPU of this thread between two turns of the main loop, in milliseconds. */
export function watchLoop(): () => number {
  let [longest, last, running] = [0, cpuNow(), true];
  const turn = (): void => {
    const now = cpuNow();
    longest = Math.max(longest, now - last);
    last = now;
    if (running) setImmediate(turn);
  };
  setImmediate(turn);
  return () => {
    running = false;
    return longest;
  };
}

function cpuNow(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
