import { ArgosyError } from '../../core/errors/index.ts';

/** Remembers sources that fail again and again, so that they do not cost a render each time. */
export interface Failures {
  /** The last error, once the same thing has failed often enough. */
  get(key: string): ArgosyError | undefined;
  add(key: string, error: ArgosyError): void;
  clear(key: string): void;
}

const attempts = 3;
const pauseMs = 60 * 60_000;
const maxEntries = 10_000;

/** Counts failures by parameters and revision; what the outside has caused passes by itself and is not counted. */
export function createFailures(now: () => number): Failures {
  const known = new Map<string, { readonly since: number; readonly count: number; readonly error: ArgosyError }>();
  return {
    get(key) {
      const entry = known.get(key);
      if (entry === undefined || entry.count < attempts) return undefined;
      if (now() - entry.since > pauseMs) {
        known.delete(key);
        return undefined;
      }
      const { code, message, subject, hint, reason } = entry.error;
      return new ArgosyError(code, `Manifest generation error (cached): ${message}`, { subject, hint, reason });
    },
    add(key, error) {
      if (error.fault !== 'user' && error.fault !== 'denied') return;
      const before = known.get(key);
      known.delete(key);
      known.set(key, { since: before?.since ?? now(), count: (before?.count ?? 0) + 1, error });
      const [oldest] = known.keys();
      if (known.size > maxEntries && oldest !== undefined) known.delete(oldest);
    },
    clear: (key) => void known.delete(key),
  };
}
