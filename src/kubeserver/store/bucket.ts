import type { KubeObject } from '../../core/objects/index.ts';
import type { Entry, StoreEvent } from '../ports.ts';

interface Version {
  readonly revision: number;
  /** Undefined: deleted at this revision. */
  readonly entry: Entry | undefined;
}

interface Watcher {
  readonly prefix: string;
  readonly onEvent: (event: StoreEvent) => void;
  /** Events up to here were delivered. */
  position: number;
}

/** Which part of a list: as it was at a revision, after a key, so many; the rest counted or only seen to be there. */
export interface Page {
  readonly at: number | undefined;
  readonly after: string | undefined;
  readonly limit: number;
  readonly counted: boolean;
}

export interface Listing {
  readonly entries: Entry[];
  readonly more: boolean;
  /** How many entries follow the last one; at most one unless they were to be counted. */
  readonly remaining: number;
}

/** All objects of one storage: their versions since the last compaction, in key order, the log of events, the watchers. */
export class Bucket {
  readonly #keys: string[] = [];
  readonly #versions = new Map<string, Version[]>();
  readonly #watchers = new Set<Watcher>();
  #log: StoreEvent[] = [];

  get(key: string): Entry | undefined {
    return this.#versions.get(key)?.at(-1)?.entry;
  }

  /** Records a write and returns the event of it; watchers hear of it only by `deliver`. */
  record(key: string, revision: number, object: KubeObject, deleted: boolean): StoreEvent {
    const previous = this.get(key)?.object;
    let versions = this.#versions.get(key);
    if (versions === undefined) {
      versions = [];
      this.#versions.set(key, versions);
      this.#insertKey(key);
    }
    versions.push({ revision, entry: deleted ? undefined : { key, revision, object } });
    const type = deleted ? 'DELETED' : previous === undefined ? 'ADDED' : 'MODIFIED';
    const event: StoreEvent = { type, revision, key, object, previous };
    this.#log.push(event);
    return event;
  }

  deliver(event: StoreEvent): void {
    for (const watcher of this.#watchers) {
      if (event.revision <= watcher.position || !event.key.startsWith(watcher.prefix)) continue;
      watcher.position = event.revision;
      watcher.onEvent(event);
    }
  }

  watch(prefix: string, after: number, onEvent: (event: StoreEvent) => void): { stop(): void } {
    const watcher: Watcher = { prefix, onEvent, position: after };
    this.#watchers.add(watcher);
    for (let i = this.#logIndex(after); i < this.#log.length && this.#watchers.has(watcher); i++) {
      const event = this.#log[i];
      if (event === undefined || event.revision <= watcher.position) continue;
      watcher.position = event.revision;
      if (event.key.startsWith(prefix)) onEvent(event);
    }
    return { stop: () => void this.#watchers.delete(watcher) };
  }

  list(prefix: string, { at, after, limit, counted }: Page): Listing {
    const entries: Entry[] = [];
    let remaining = 0;
    const start = after === undefined ? this.#keyIndex(prefix) : this.#keyIndex(`${after}\u0000`);
    for (let i = start; i < this.#keys.length; i++) {
      const key = this.#keys[i] ?? '';
      if (!key.startsWith(prefix)) break;
      const entry = at === undefined ? this.get(key) : this.#entryAt(key, at);
      if (entry === undefined) continue;
      if (entries.length < limit) entries.push(entry);
      else if (++remaining > 0 && !counted) break;
    }
    return { entries, more: remaining > 0, remaining };
  }

  /** Forgets what only a reader of a revision before `revision` could see. */
  compact(revision: number): void {
    const from = this.#logIndex(revision);
    if (from === 0) return;
    const touched = new Set(this.#log.slice(0, from).map((event) => event.key));
    this.#log = this.#log.slice(from);
    const gone = new Set<string>();
    for (const key of touched) if (this.#trim(key, revision)) gone.add(key);
    if (gone.size === 0) return;
    const kept = this.#keys.filter((key) => !gone.has(key));
    this.#keys.length = 0;
    for (const key of kept) this.#keys.push(key);
  }

  /** Drops the versions older than the one valid at `revision`; true if nothing is left. */
  #trim(key: string, revision: number): boolean {
    const versions = this.#versions.get(key) ?? [];
    let valid = 0;
    while (valid + 1 < versions.length && (versions[valid + 1]?.revision ?? 0) <= revision) valid++;
    const first = versions[valid];
    if (first !== undefined && first.entry === undefined && first.revision <= revision) valid++;
    versions.splice(0, valid);
    if (versions.length > 0) return false;
    this.#versions.delete(key);
    return true;
  }

  #entryAt(key: string, at: number): Entry | undefined {
    const versions = this.#versions.get(key) ?? [];
    for (let i = versions.length - 1; i >= 0; i--) {
      const version = versions[i];
      if (version !== undefined && version.revision <= at) return version.entry;
    }
    return undefined;
  }

  #insertKey(key: string): void {
    const last = this.#keys.at(-1);
    if (last === undefined || last < key) this.#keys.push(key);
    else this.#keys.splice(this.#keyIndex(key), 0, key);
  }

  /** The first index whose key is not before `key`. */
  #keyIndex(key: string): number {
    let [low, high] = [0, this.#keys.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#keys[middle] ?? '') < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The first index in the log with a revision after `after`. */
  #logIndex(after: number): number {
    let [low, high] = [0, this.#log.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#log[middle]?.revision ?? 0) <= after) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
