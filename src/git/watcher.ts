import type { Repository } from './repository.ts';
import type { PushEvent } from './webhook/event.ts';
import { looseRepositoryKey } from './webhook/match.ts';

/** What looking at a repository brought. */
export type PollOutcome =
  | { readonly ok: true; readonly changed: boolean }
  | { readonly ok: false; readonly error: unknown };

/** Told after every look. Must not throw. */
export type PollListener = (outcome: PollOutcome) => void;

/** Looks at repositories now and then, and sooner when a webhook hints. */
export interface RepositoryWatcher {
  /** Looks at once and then every interval, until the returned function is called; many listeners share one timer. */
  watch(repository: Repository, listener: PollListener): () => void;
  /** Looks sooner at the repositories a push is about; returns how many. Unknown ones cost nothing. */
  notify(event: Pick<PushEvent, 'urls'>): number;
  close(): void;
}

/** When to look; read anew each time, so that a changed setting holds from the next look on. */
export interface WatcherOptions {
  /** 0: only webhooks. */
  readonly intervalMs: () => number;
  /** Up to so much is added to each interval, so that repositories do not all wake at once. */
  readonly jitterMs: () => number;
  /** The least time between the start of two looks, however many hints come. */
  readonly minGapMs: number;
  readonly random: () => number;
  readonly now: () => number;
  /** Calls back after a while; returns how to call it off. */
  readonly after: (ms: number, act: () => void) => () => void;
}

interface Watched {
  readonly repository: Repository;
  readonly key: string | undefined;
  readonly listeners: Set<PollListener>;
  lastStart: number;
  /** When the next look is due, and how to call it off. */
  due: number;
  cancel: () => void;
  busy: boolean;
  /** A hint came while a look was under way, which may have been too early to see the push. */
  again: boolean;
}

/** Timers of the real world that do not keep the process alive. */
export function after(ms: number, act: () => void): () => void {
  const timer = setTimeout(act, ms);
  timer.unref();
  return () => clearTimeout(timer);
}

/** Makes a watcher; it starts nothing until something is watched. */
export function createRepositoryWatcher(options: WatcherOptions): RepositoryWatcher {
  const watched = new Map<Repository, Watched>();
  const byKey = new Map<string, Set<Watched>>();
  const schedule = (entry: Watched, ms: number): void => {
    entry.cancel();
    entry.due = options.now() + ms;
    entry.cancel = options.after(ms, () => void look(entry));
  };
  const look = async (entry: Watched): Promise<void> => {
    entry.busy = true;
    entry.again = false;
    entry.lastStart = options.now();
    const outcome = await poll(entry.repository);
    entry.busy = false;
    for (const listener of entry.listeners) listener(outcome);
    if (watched.get(entry.repository) !== entry) return;
    const interval = options.intervalMs();
    if (entry.again) schedule(entry, gap(entry));
    else if (interval > 0) schedule(entry, interval + options.random() * options.jitterMs());
    else entry.due = Number.POSITIVE_INFINITY;
  };
  const gap = (entry: Watched): number => Math.max(0, entry.lastStart + options.minGapMs - options.now());
  const hint = (entry: Watched): void => {
    if (entry.busy) entry.again = true;
    else if (entry.due > options.now() + gap(entry)) schedule(entry, gap(entry));
  };
  const forget = (entry: Watched): void => {
    entry.cancel();
    watched.delete(entry.repository);
    const alike = byKey.get(entry.key ?? '');
    alike?.delete(entry);
    if (alike?.size === 0) byKey.delete(entry.key ?? '');
  };
  const begin = (repository: Repository): Watched => {
    const key = looseRepositoryKey(repository.url);
    const entry: Watched = {
      repository,
      key,
      listeners: new Set(),
      lastStart: Number.NEGATIVE_INFINITY,
      due: 0,
      cancel: () => undefined,
      busy: false,
      again: false,
    };
    watched.set(repository, entry);
    if (key !== undefined) byKey.set(key, (byKey.get(key) ?? new Set()).add(entry));
    schedule(entry, 0);
    return entry;
  };
  return {
    watch(repository, listener) {
      const entry = watched.get(repository) ?? begin(repository);
      entry.listeners.add(listener);
      return () => {
        entry.listeners.delete(listener);
        if (entry.listeners.size === 0 && watched.get(repository) === entry) forget(entry);
      };
    },
    notify(event) {
      const hinted = new Set<Watched>();
      for (const url of event.urls)
        for (const entry of byKey.get(looseRepositoryKey(url) ?? '') ?? []) hinted.add(entry);
      for (const entry of hinted) hint(entry);
      return hinted.size;
    },
    close() {
      for (const entry of watched.values()) forget(entry);
    },
  };
}

async function poll(repository: Repository): Promise<PollOutcome> {
  try {
    return { ok: true, ...(await repository.fetch()) };
  } catch (error) {
    return { ok: false, error };
  }
}
