import { ArgosyError } from '../../core/errors/index.ts';
import type { KubeObject } from '../../core/objects/index.ts';
import type {
  AccessReview,
  CacheDoor,
  Discovery,
  Following,
  FollowOptions,
  FollowSink,
  ListOptions,
  Resource,
} from '../../kube/index.ts';
import type { Clock } from '../follow/rhythm.ts';

/** A following that a test plays the server of. */
export interface Played {
  readonly resource: Resource;
  readonly options: FollowOptions;
  readonly sink: FollowSink;
  stopped: boolean;
  /** How often the watch was asked for anew. */
  renewed: number;
  /** A whole list, in the order a real following tells it. */
  list(version: string, ...objects: KubeObject[]): void;
  fail(error: Error): 'retry' | 'stop';
}

/** What a list brings; `before` is what it had named when it had to begin again. */
export interface Listed {
  readonly version: string;
  readonly objects: readonly KubeObject[];
  readonly before?: readonly KubeObject[];
}

/** The door to a cluster that does only what a test tells it to. */
export class ScriptedDoor implements CacheDoor {
  readonly played: Played[] = [];
  readonly reviews: AccessReview[] = [];
  discovery: Discovery;
  /** Whether even discovery gets no answer. */
  silent = false;
  review: (review: AccessReview) => boolean = () => true;
  listed: () => Listed = () => {
    throw new ArgosyError('kube-unavailable', 'no list was written for this');
  };

  constructor(resources: readonly Resource[], unknown: ReadonlyMap<string, string> = new Map()) {
    this.discovery = { resources, unknown };
  }

  /** The newest following of a kind that has not ended. */
  of(kind: string, namespace?: string): Played {
    const found = this.played.findLast(
      ({ resource, options, stopped }) => !stopped && resource.kind === kind && options.namespace === namespace,
    );
    if (found === undefined) throw new Error(`${kind} is not followed`);
    return found;
  }

  isFollowed(kind: string, namespace?: string): boolean {
    return this.played.some(
      ({ resource, options, stopped }) => !stopped && resource.kind === kind && options.namespace === namespace,
    );
  }

  discover(): Promise<Discovery> {
    if (this.silent) return Promise.reject(new ArgosyError('kube-unreachable', 'discovery: no connection'));
    return Promise.resolve(this.discovery);
  }

  follow(resource: Resource, options: FollowOptions, sink: FollowSink): Following {
    const played: Played = {
      resource,
      options,
      sink,
      stopped: false,
      renewed: 0,
      list(version, ...objects) {
        sink.restart();
        for (const object of objects) sink.upsert(object);
        sink.complete(version);
      },
      fail(error) {
        const verdict = sink.broken(error);
        if (verdict === 'stop') this.stopped = true;
        return verdict;
      },
    };
    // Discovery has followings of its own, told by their signal.
    if (options.signal === undefined) this.played.push(played);
    const stop = (): void => {
      played.stopped = true;
    };
    const renew = (): void => {
      played.renewed++;
    };
    return { stop, renew, done: Promise.resolve() };
  }

  list(
    _resource: Resource,
    options: ListOptions,
    onItem: (item: KubeObject) => void,
  ): Promise<{ resourceVersion: string; count: number }> {
    try {
      const { version, objects, before } = this.listed();
      for (const object of before ?? []) onItem(object);
      if (before !== undefined) options.onRestart?.();
      for (const object of objects) onItem(object);
      return Promise.resolve({ resourceVersion: version, count: objects.length });
    } catch (error) {
      return Promise.reject(error);
    }
  }

  watch(): Promise<void> {
    return Promise.reject(new Error('the cache follows, it does not watch'));
  }

  mayI(review: AccessReview): Promise<boolean> {
    this.reviews.push(review);
    try {
      return Promise.resolve(this.review(review));
    } catch (error) {
      return Promise.reject(error);
    }
  }
}

/** A kind as discovery tells it. */
export function kind(kindName: string, options: Partial<Resource> = {}): Resource {
  return {
    group: '',
    version: 'v1',
    kind: kindName,
    plural: `${kindName.toLowerCase()}s`,
    namespaced: true,
    verbs: ['get', 'list', 'watch'],
    ...options,
  };
}

/** Time that passes when a test says so. */
export class ManualClock implements Clock {
  #now = 1_000_000;
  readonly #timers = new Set<{ at: number; run: () => void }>();

  now(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#now + ms, run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  pass(ms: number): void {
    const until = this.#now + ms;
    for (;;) {
      const [next] = [...this.#timers].filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.run();
    }
    this.#now = until;
  }
}

/** Lets everything that waits for nothing but its turn have it. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}
