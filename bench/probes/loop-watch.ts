/** How often the loop is looked at. A stretch is told too long by up to this, never too short. */
const tickMs = 2;

/**
 * Measures the longest stretch of CPU of this thread during which the main loop did not get a turn, in milliseconds.
 * It looks by a timer: asking at every turn would keep the loop spinning and take a core from whoever is measured.
 */
export function watchLoop(): () => number {
  let [longest, last] = [0, cpuNow()];
  const timer = setInterval(() => {
    const now = cpuNow();
    longest = Math.max(longest, now - last);
    last = now;
  }, tickMs);
  timer.unref();
  return () => {
    clearInterval(timer);
    return longest;
  };
}

function cpuNow(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
