import { type KubeObject, nameOf, namespaceOf, versionOf } from '../core/objects/index.ts';
import type { FollowSink } from '../kube/index.ts';

/** How the owner of a view hears about it. */
export interface ViewOptions<T> {
  /** Turns an object into what is kept; `undefined` keeps nothing of it. `before` is what was kept so far. */
  readonly keep: (object: KubeObject, before: T | undefined) => T | undefined;
  /** Told of what is no longer kept: gone, or replaced by nothing. */
  readonly onDrop?: (value: T) => void;
  /** False: what is kept may be read again though the object did not change. */
  readonly isFinal?: (value: T) => boolean;
  /** The view is whole after a change, or for the first time. */
  readonly onChange: () => void;
  readonly onBroken: (error: Error) => void;
}

interface Entry<T> {
  readonly version: string;
  readonly value: T;
}

/**
 * What is known of one kind in one place, kept up by a following. While a new list is read the old content stands; what the
 * list did not name goes when it is complete. A broken view keeps its content: unknown is not absent.
 */
export class View<T> implements FollowSink {
  readonly #options: ViewOptions<T>;
  readonly #entries = new Map<string, Entry<T>>();
  #listed: Set<string> | undefined;
  #dirty = true;
  #version = 0;
  #wasWhole = false;
  #error: Error | undefined;
  #closed = false;

  constructor(options: ViewOptions<T>) {
    this.#options = options;
  }

  /** True once a list was read to its end. */
  get isWhole(): boolean {
    return this.#wasWhole;
  }

  /** True once there was an answer at all, be it that the view cannot be had. */
  get isAnswered(): boolean {
    return this.#wasWhole || this.#error !== undefined;
  }

  /** Why the view cannot be kept up at the moment. */
  get error(): Error | undefined {
    return this.#error;
  }

  /** Grows with every change of the content. */
  get version(): number {
    return this.#version;
  }

  *entries(): Iterable<[string, T]> {
    for (const [key, { value }] of this.#entries) yield [key, value];
  }

  get(key: string): T | undefined {
    return this.#entries.get(key)?.value;
  }

  /** From now on nothing is taken in; what is kept stays readable. */
  close(): void {
    this.#closed = true;
  }

  restart(): void {
    this.#listed = new Set();
  }

  upsert(object: KubeObject): void {
    if (this.#closed) return;
    const key = keyOf(object);
    this.#listed?.add(key);
    const before = this.#entries.get(key);
    const version = versionOf(object);
    if (before !== undefined && version !== '' && before.version === version) return;
    const value = this.#options.keep(object, before?.value);
    if (value === undefined) this.#drop(key);
    else this.#set(key, { version: this.#options.isFinal?.(value) === false ? '' : version, value });
    this.#touched();
  }

  remove(object: KubeObject): void {
    if (!this.#closed && this.#drop(keyOf(object))) this.#touched();
  }

  complete(): void {
    if (this.#closed) return;
    const listed = this.#listed;
    this.#listed = undefined;
    if (listed !== undefined) {
      for (const key of this.#entries.keys()) {
        if (listed.has(key)) continue;
        this.#drop(key);
        this.#dirty = true;
      }
    }
    const mended = this.#error !== undefined;
    this.#error = undefined;
    this.#wasWhole = true;
    if (this.#dirty || mended) this.#tell();
  }

  broken(error: Error): 'retry' {
    const first = this.#error === undefined && !this.#closed;
    this.#error = error;
    if (first) this.#options.onBroken(error);
    return 'retry';
  }

  #set(key: string, entry: Entry<T>): void {
    this.#entries.set(key, entry);
    this.#version++;
  }

  #drop(key: string): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    this.#entries.delete(key);
    this.#version++;
    this.#options.onDrop?.(entry.value);
    return true;
  }

  /** Between lists every event counts at once; while a list is read, half of it must not be acted on. */
  #touched(): void {
    this.#dirty = true;
    if (this.#listed === undefined && this.#wasWhole) this.#tell();
  }

  #tell(): void {
    this.#dirty = false;
    this.#options.onChange();
  }
}

function keyOf(object: KubeObject): string {
  return `${namespaceOf(object)}/${nameOf(object)}`;
}
