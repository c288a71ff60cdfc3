import type { KubeObject } from '../../core/objects/index.ts';
import { type Entry, StatusError, type Store, type StoreEvent } from '../ports.ts';
import { alreadyExists, conflict, internal, notFound } from '../status.ts';
import { Bucket, type Listing } from './bucket.ts';
import type { Journal } from './journal.ts';

/** The store: every version since the last compaction in memory, the newest on disk where a journal is given. */
export class MemoryStore implements Store {
  readonly #buckets = new Map<string, Bucket>();
  readonly #journal: Journal | undefined;
  readonly #history: number;
  #revision = 1;
  #compacted = 1;
  #broken: Error | undefined;
  #queue: StoreEvent[] = [];
  #delivering = false;

  /** `history` is how many revisions are kept at most for resuming watches and paging. */
  constructor(options: { journal?: Journal | undefined; history?: number | undefined }) {
    this.#journal = options.journal;
    this.#history = options.history ?? 200_000;
    if (options.journal !== undefined) this.#load(options.journal);
  }

  get revision(): number {
    return this.#revision;
  }

  get compacted(): number {
    return this.#compacted;
  }

  get(key: string): Entry | undefined {
    return this.#buckets.get(storageOf(key))?.get(key);
  }

  list(
    prefix: string,
    options: { at?: number; after?: string; limit?: number; counted?: boolean } = {},
  ): Listing & { revision: number } {
    const { at, after, limit = Number.POSITIVE_INFINITY, counted = true } = options;
    const revision = at ?? this.#revision;
    const bucket = this.#buckets.get(storageOf(prefix));
    if (bucket === undefined) return { entries: [], more: false, remaining: 0, revision };
    return { ...bucket.list(prefix, { at: at === this.#revision ? undefined : at, after, limit, counted }), revision };
  }

  put(key: string, object: KubeObject, expected: number | undefined): Promise<Entry> {
    return this.#attempt(() => {
      const current = this.get(key);
      if (expected === undefined && current !== undefined) throw alreadyExists(...named(key));
      if (expected !== undefined && current === undefined) throw notFound(...named(key));
      if (expected !== undefined && current?.revision !== expected) throw conflict(...named(key));
      return this.#write(key, object, false);
    });
  }

  delete(key: string, expected: number): Promise<Entry> {
    return this.#attempt(() => {
      const current = this.get(key);
      if (current === undefined) throw notFound(...named(key));
      if (current.revision !== expected) throw conflict(...named(key));
      return this.#write(key, current.object, true);
    });
  }

  watch(prefix: string, after: number, onEvent: (event: StoreEvent) => void): { stop(): void } {
    if (after < this.#compacted) {
      const message = `too old resource version: ${after} (${this.#compacted})`;
      throw new StatusError({ code: 410, reason: 'Expired', message });
    }
    return this.#bucket(storageOf(prefix)).watch(prefix, after, onEvent);
  }

  /** Forgets the history before a revision (default: the newest): older list and watch positions become 410. */
  compact(revision: number = this.#revision): void {
    if (revision <= this.#compacted) return;
    this.#compacted = revision;
    for (const bucket of this.#buckets.values()) bucket.compact(revision);
  }

  async close(): Promise<void> {
    this.#broken ??= new Error('the store is closed');
    this.#journal?.close();
  }

  #load(journal: Journal): void {
    let newest = Number(journal.fact('revision') ?? '1');
    for (const { key, revision, json } of journal.objects()) {
      this.#bucket(storageOf(key)).record(key, revision, JSON.parse(json ?? 'null') as KubeObject, false); // written by us
      newest = Math.max(newest, revision);
    }
    this.#revision = newest;
    // The history of the former run is not kept; a client that resumes from before lists again.
    this.compact(newest);
  }

  #write(key: string, object: KubeObject, deleted: boolean): Promise<Entry> {
    const revision = ++this.#revision;
    const stamped = { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
    const event = this.#bucket(storageOf(key)).record(key, revision, stamped, deleted);
    const entry = { key, revision, object: stamped };
    if (revision - this.#compacted > this.#history * 1.25) this.compact(revision - this.#history);
    if (this.#journal === undefined) {
      this.#deliver(event);
      return Promise.resolve(entry);
    }
    return this.#persist(this.#journal, event, deleted).then(() => entry);
  }

  async #persist(journal: Journal, event: StoreEvent, deleted: boolean): Promise<void> {
    const json = deleted ? null : JSON.stringify(event.object);
    try {
      await journal.append({ key: event.key, revision: event.revision, json });
    } catch (error) {
      // Memory is ahead of the disk now: nothing more may be acknowledged.
      this.#broken = error instanceof Error ? error : new Error(String(error));
      throw internal(`the data directory cannot be written: ${this.#broken.message}`);
    }
    this.#deliver(event);
  }

  /** One event at a time: a watcher that writes must not overtake the event it answers to. */
  #deliver(event: StoreEvent): void {
    this.#queue.push(event);
    if (this.#delivering) return;
    this.#delivering = true;
    try {
      for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift())
        this.#buckets.get(storageOf(next.key))?.deliver(next);
    } finally {
      this.#delivering = false;
    }
  }

  async #attempt(write: () => Promise<Entry>): Promise<Entry> {
    if (this.#broken !== undefined) throw internal(`the store does not take writes: ${this.#broken.message}`);
    return write();
  }

  #bucket(storage: string): Bucket {
    let bucket = this.#buckets.get(storage);
    if (bucket === undefined) {
      bucket = new Bucket();
      this.#buckets.set(storage, bucket);
    }
    return bucket;
  }
}

function storageOf(key: string): string {
  const slash = key.indexOf('/');
  return slash < 0 ? key : key.slice(0, slash);
}

/** The storage's name is the resource as messages name it. */
function named(key: string): [{ group: string; plural: string }, string] {
  const storage = storageOf(key);
  const dot = storage.indexOf('.');
  const plural = dot < 0 ? storage : storage.slice(0, dot);
  return [{ plural, group: dot < 0 ? '' : storage.slice(dot + 1) }, key.slice(key.lastIndexOf('/') + 1)];
}
