/** What was told of an Application's health lately; undefined where nothing was, or so long ago that it does not count. */
export interface Telling {
  /** Writes that time had not made up for when the last one was made. */
  readonly spent: number;
  /** When that was, in milliseconds since 1970. */
  readonly at: number;
  /** Health that nobody has been told of yet. */
  readonly held?: Held | undefined;
}

/** Health that is held back, and since when it has been so. */
export interface Held {
  readonly health: string;
  readonly since: number;
}

/** Whether health may be written now; if not, when to ask again. */
export type Answer =
  | { readonly tell: true; readonly since: number }
  | { readonly tell: false; readonly held: Held; readonly againInMs: number };

/** So many changes of health in a row are told at once, so that nobody waits for the end of a rollout. */
const atOnce = 6;
/** Time makes up for one of them, and something is told at the latest, after so long. */
const refillMs = 15 * 60_000;
/** What is more than that must have stood for a while, and for longer with each that is told nonetheless. */
const calmMs = 10_000;
const longer = 6;

/**
 * Whether a status whose only news is health may be written. Health that flaps costs the API server as much as a sync for
 * each flap, and nobody reads it: never more than twelve such writes in an hour, however it changes, and always the newest.
 */
export function mayTell(telling: Telling | undefined, health: string, now: number): Answer {
  const held = telling?.held?.health === health ? telling.held : undefined;
  // A clock that was set back must not hold anything back for longer.
  const since = Math.min(held?.since ?? now, now);
  if (telling === undefined || left(telling, now) <= atOnce - 1) return { tell: true, since };
  const calm = calmMs * longer ** Math.max(0, telling.spent - atOnce);
  const due = Math.min(since + calm, Math.min(telling.at, now) + refillMs);
  if (due <= now) return { tell: true, since };
  return { tell: false, held: { health, since }, againInMs: Math.ceil(due - now) };
}

/** What counts after a write whose only news was health. */
export function afterHealth(telling: Telling | undefined, now: number): Telling {
  return { spent: left(telling, now) + 1, at: now };
}

/** What counts after any other write: it makes up for one of health, since each rollout ends with one. */
export function afterOtherNews(telling: Telling | undefined, now: number): Telling | undefined {
  const spent = left(telling, now) - 1;
  return spent <= 0 ? undefined : { spent, at: now };
}

/** Whether it counts no longer. */
export function isTellingOver(telling: Telling, now: number): boolean {
  return telling.held === undefined && left(telling, now) === 0;
}

function left(telling: Telling | undefined, now: number): number {
  if (telling === undefined) return 0;
  return Math.max(0, telling.spent - Math.max(0, now - telling.at) / refillMs);
}
