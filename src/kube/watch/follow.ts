import { ArgosyError, isArgosyError } from '../../core/errors/index.ts';
import type { Client, IdentityHeaders } from '../call/client.ts';
import { backoff } from '../call/retry.ts';
import { list } from '../list/list.ts';
import { CallLimit } from '../transport/limit.ts';
import type { Following, FollowOptions, FollowSink, Resource, WatchEvent } from '../types.ts';
import { watch } from './watch.ts';

/** After this many watches in a row that brought nothing, the view counts as broken, though it is tried on. */
const patience = 3;

/** A watch that was open this long was no failure, however it ended. */
const steadyMs = 1_000;

/** Codes that waiting alone will not mend: the owner hears of them at once. */
const telling = new Set([
  'kube-unauthorized',
  'kube-forbidden',
  'kube-not-found',
  'kube-tls',
  'denied',
  'config-invalid',
  'kube-malformed',
  'kube-limit',
]);

const relist = new Set(['kube-gone', 'kube-malformed', 'kube-limit', 'internal']);

/** What a following is about. */
export interface FollowParts {
  readonly client: Client;
  readonly identity: IdentityHeaders | undefined;
  readonly resource: Resource;
  readonly options: FollowOptions;
}

/** Lists, then watches, for ever; over every fault, until stopped. */
export function follow(parts: FollowParts, sink: FollowSink): Following {
  const stopper = new AbortController();
  const stop = (): void => stopper.abort();
  if (parts.options.signal?.aborted === true) stop();
  else parts.options.signal?.addEventListener('abort', stop, { once: true });
  const follower = new Follower(parts, sink, stopper.signal);
  const done = follower.run().finally(() => {
    parts.options.signal?.removeEventListener('abort', stop);
  });
  return { stop, renew: () => follower.renew(), done };
}

class Follower {
  readonly #parts: FollowParts;
  readonly #sink: FollowSink;
  readonly #signal: AbortSignal;
  /** The newest version seen; empty means that a list is due. */
  #version = '';
  #firstList = true;
  #broken = false;
  #stopped = false;
  #failures = 0;
  /** Ends the running watch. */
  #watching: AbortController | undefined;

  constructor(parts: FollowParts, sink: FollowSink, signal: AbortSignal) {
    this.#parts = parts;
    this.#sink = sink;
    this.#signal = signal;
  }

  async run(): Promise<void> {
    while (!this.#ended()) {
      try {
        if (this.#version === '') await this.#list();
        await this.#watch();
      } catch (error) {
        if (this.#ended()) return;
        if (this.#watching?.signal.aborted !== true) await this.#recover(asOurs(error));
      } finally {
        this.#watching = undefined;
      }
    }
  }

  renew(): void {
    this.#watching?.abort();
  }

  #ended(): boolean {
    return this.#stopped || this.#signal.aborted;
  }

  async #list(): Promise<void> {
    const { client, identity, resource, options } = this.#parts;
    // The first list may come from the server's cache; after a 410 that cache is what was too old.
    const resourceVersion = this.#firstList ? '0' : undefined;
    this.#sink.restart();
    const select = { ...options, deadlineMs: undefined, signal: this.#signal, resourceVersion };
    const what = { resource, options: { ...select, onRestart: () => this.#sink.restart() } };
    const end = await list(client, identity, what, (item) => this.#sink.upsert(item));
    if (end.resourceVersion === '') throw unwatchable(resource);
    this.#version = end.resourceVersion;
    this.#whole();
  }

  #whole(): void {
    this.#firstList = false;
    this.#broken = false;
    this.#failures = 0;
    this.#sink.complete(this.#version);
  }

  async #watch(): Promise<void> {
    const { client, identity, resource, options } = this.#parts;
    const began = performance.now();
    let events = 0;
    let opened = Number.POSITIVE_INFINITY;
    const onEvent = (event: WatchEvent): void => {
      events++;
      this.#failures = 0;
      this.#take(event);
    };
    const onOpen = (): void => {
      opened = performance.now();
      this.#sink.opened?.();
      if (!this.#broken) return;
      this.#broken = false;
      this.#sink.complete(this.#version);
    };
    const watching = new AbortController();
    this.#watching = watching;
    const end = (): void => watching.abort();
    this.#signal.addEventListener('abort', end, { once: true });
    const select = { ...options, deadlineMs: undefined, signal: watching.signal, resourceVersion: this.#version };
    try {
      await watch(client, { identity, resource, options: select, onEvent, onOpen });
    } finally {
      this.#signal.removeEventListener('abort', end);
      // A quiet kind tells nothing for long: that a watch was accepted and stayed is as good as an event.
      if (performance.now() - opened >= steadyMs) this.#failures = 0;
    }
    // A server that accepts and closes at once would be asked without end.
    if (events === 0 && performance.now() - began < steadyMs) await this.#wait(++this.#failures);
  }

  #take(event: WatchEvent): void {
    if (event.type === 'BOOKMARK') {
      this.#version = event.resourceVersion;
      this.#sink.complete(event.resourceVersion);
      return;
    }
    if (event.type === 'DELETED') this.#sink.remove(event.object);
    else this.#sink.upsert(event.object);
    this.#version = event.object.metadata.resourceVersion ?? this.#version;
  }

  async #recover(error: ArgosyError): Promise<void> {
    this.#failures++;
    const listFailed = this.#version === '';
    // An event that could not be taken in must not be passed over: only a new list mends that.
    if (relist.has(error.code)) this.#version = '';
    if (error.code !== 'kube-gone' && (listFailed || telling.has(error.code) || this.#failures >= patience))
      this.#break(error);
    if (!this.#ended()) await this.#wait(this.#failures, error.retryAfterMs);
  }

  #break(error: ArgosyError): void {
    this.#broken = true;
    if (this.#sink.broken(error) === 'stop') this.#stopped = true;
  }

  async #wait(failures: number, atLeastMs = 0): Promise<void> {
    const limit = new CallLimit(`follow ${this.#parts.resource.plural}`, undefined, this.#signal);
    try {
      await limit.pause(Math.max(atLeastMs, backoff(failures - 1, this.#parts.client.random)));
    } catch {
      // Stopped while waiting.
    } finally {
      limit.dispose();
    }
  }
}

/** Some aggregated APIs list without a version: there is no place from which to watch. */
function unwatchable(resource: Resource): ArgosyError {
  return new ArgosyError('kube-malformed', `list ${resource.plural}: the list has no resourceVersion to watch from`, {
    subject: resource.plural,
  });
}

function asOurs(error: unknown): ArgosyError {
  // A sink that throws is our own defect, and must not end the following silently.
  return isArgosyError(error) ? error : new ArgosyError('internal', 'following a kind failed', { cause: error });
}
