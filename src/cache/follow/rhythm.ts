/** Time as the cache needs it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs later, unless the answer is called first. */
  after(ms: number, run: () => void): () => void;
}

/** Waits and periods, in milliseconds. */
export interface Rhythm {
  /** A right that is gone may be back in a moment: it counts as taken away when it was refused for this long. */
  readonly graceMs: number;
  /** A right that was refused is tried again after this long, or a fifth of the time it has been away, up to the longest. */
  readonly probeMs: number;
  readonly longestProbeMs: number;
  /** What an access review has denied is not reviewed again for this long, while the refusals go on. */
  readonly reviewMs: number;
  /** Rights are looked at anew this long after a role or a binding has changed, and once in so long at the most. */
  readonly rightsMs: number;
  readonly leastRightsMs: number;
  /** Evidence older than this counts no more: a new list is read first. */
  readonly freshMs: number;
  /** A list that takes longer than this no longer keeps others waiting for their turn. */
  readonly turnMs: number;
  /** How long a question waits for a kind that is just being read. */
  readonly patienceMs: number;
  /** A following that ended is begun again after this long, doubled each time in vain. */
  readonly againMs: number;
  readonly longestAgainMs: number;
}

export const defaultRhythm: Rhythm = {
  graceMs: 10_000,
  probeMs: 30_000,
  longestProbeMs: 300_000,
  reviewMs: 3_600_000,
  rightsMs: 1_000,
  leastRightsMs: 60_000,
  freshMs: 90_000,
  turnMs: 5_000,
  patienceMs: 20_000,
  againMs: 1_000,
  longestAgainMs: 30_000,
};

/** A delay with a little disorder, so that many do not come back at once. */
export function jittered(ms: number, random: () => number): number {
  return ms * (0.75 + random() * 0.5);
}
