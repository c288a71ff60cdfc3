import type { KubeObject } from '../../core/objects/index.ts';
import type { Following, FollowSink, Reader, Resource, SelectOptions } from '../../kube/index.ts';

interface Follower {
  readonly resource: Resource;
  readonly options: SelectOptions;
  readonly sink: FollowSink;
}

/** A cluster in memory that keeps the contract of `follow`: list first, then events in order, selectors on both. */
export class MemoryReader implements Pick<Reader, 'follow' | 'get'> {
  readonly followers = new Set<Follower>();
  /** `plural namespace` of every following ever begun. */
  readonly begun: string[] = [];
  readonly #objects = new Map<string, KubeObject>();
  readonly #forbidden = new Set<string>();
  readonly #silent = new Set<string>();
  #version = 0;

  follow(resource: Resource, options: SelectOptions, sink: FollowSink): Following {
    const follower = { resource, options, sink };
    const { promise, resolve } = Promise.withResolvers<void>();
    this.followers.add(follower);
    this.begun.push(`${resource.plural} ${options.namespace ?? '*'}`);
    setImmediate(() => this.#list(follower));
    const stop = (): void => {
      this.followers.delete(follower);
      resolve();
    };
    return { stop, done: promise };
  }

  get(_resource: Resource, namespace: string, name: string): Promise<KubeObject> {
    const found = this.#objects.get(`Secret ${namespace}/${name}`);
    return found === undefined ? Promise.reject(new Error('not found')) : Promise.resolve(found);
  }

  put(object: KubeObject): void {
    const key = keyOf(object);
    const before = this.#objects.get(key);
    const metadata = { uid: before?.metadata.uid ?? `uid-${this.#version}`, ...object.metadata, resourceVersion: `${++this.#version}` };
    const stored = { ...object, metadata };
    this.#objects.set(key, stored);
    for (const follower of this.followers) {
      if (selects(follower, stored)) follower.sink.upsert(stored);
      else if (before !== undefined && selects(follower, before)) follower.sink.remove(stored);
    }
  }

  delete(kind: string, namespace: string, name: string): void {
    const key = `${kind} ${namespace}/${name}`;
    const before = this.#objects.get(key);
    this.#objects.delete(key);
    if (before === undefined) return;
    for (const follower of this.followers) if (selects(follower, before)) follower.sink.remove(before);
  }

  /** Secrets of a namespace may not be read until further notice. */
  forbid(namespace: string): void {
    this.#forbidden.add(namespace);
  }

  /** Lists of a namespace are never answered until further notice. */
  silence(namespace: string): void {
    this.#silent.add(namespace);
  }

  allow(namespace: string): void {
    this.#forbidden.delete(namespace);
    this.#silent.delete(namespace);
    this.relist();
  }

  /** As after a gap in the watch: everybody reads the list anew. */
  relist(): void {
    for (const follower of this.followers) this.#list(follower);
  }

  #list(follower: Follower): void {
    if (!this.followers.has(follower) || this.#silent.has(follower.options.namespace ?? '')) return;
    if (this.#forbidden.has(follower.options.namespace ?? '')) {
      follower.sink.broken(new Error('secrets is forbidden'));
      return;
    }
    follower.sink.restart();
    for (const object of this.#objects.values()) if (selects(follower, object)) follower.sink.upsert(object);
    follower.sink.complete(`${this.#version}`);
  }
}

function keyOf(object: KubeObject): string {
  return `${object.kind} ${object.metadata.namespace}/${object.metadata.name}`;
}

function selects({ resource, options }: Follower, object: KubeObject): boolean {
  if (object.kind !== resource.kind) return false;
  if (options.namespace !== undefined && options.namespace !== object.metadata.namespace) return false;
  const field = /^metadata\.name=(.*)$/.exec(options.fieldSelector ?? '');
  if (field !== null && field[1] !== object.metadata.name) return false;
  const label = /^(\S+?)(?:=(.*)| in \((.*)\))$/.exec(options.labelSelector ?? '');
  if (label === null) return true;
  const value = object.metadata.labels?.[label[1] ?? ''];
  return value !== undefined && (label[2] ?? label[3] ?? '').split(',').includes(value);
}
