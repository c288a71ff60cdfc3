import type { Client, IdentityHeaders } from '../call/client.ts';
import type { CallOptions, Discovery } from '../types.ts';
import { discoveryAccept, type Found, readAggregated } from './aggregated.ts';
import { readLegacyCore, readLegacyGroups } from './legacy.ts';

const deadlineMs = 60_000;
const keepMs = 10 * 60_000;

/** What the cluster serves, asked once and kept until it is invalidated, asked for freshly, or ten minutes old. */
export class DiscoveryCache {
  readonly #client: Client;
  readonly #identity: IdentityHeaders | undefined;
  readonly #now: () => number;
  #kept: Discovery | undefined;
  #keptAt = 0;
  #asking: Promise<Discovery> | undefined;

  constructor(client: Client, identity: IdentityHeaders | undefined, now: () => number) {
    this.#client = client;
    this.#identity = identity;
    this.#now = now;
  }

  discover(options: CallOptions & { readonly fresh?: boolean } = {}): Promise<Discovery> {
    const kept = this.#kept;
    if (options.fresh !== true && kept !== undefined && this.#now() - this.#keptAt < keepMs)
      return Promise.resolve(kept);
    // With a signal or deadline of its own a caller must not end the question for others.
    if (options.signal !== undefined || options.deadlineMs !== undefined || options.fresh === true)
      return this.#ask(options);
    this.#asking ??= this.#ask(options).finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  invalidate(): void {
    this.#kept = undefined;
    this.#asking = undefined;
  }

  async #ask(options: CallOptions): Promise<Discovery> {
    const [core, groups] = await Promise.all([this.#read('/api', options), this.#read('/apis', options)]);
    const discovery: Discovery = {
      resources: [...core.resources, ...groups.resources].filter((one) => one.kind !== '' && one.plural !== ''),
      unknown: new Map([...core.unknown, ...groups.unknown]),
    };
    this.#kept = discovery;
    this.#keptAt = this.#now();
    return discovery;
  }

  async #read(path: '/api' | '/apis', options: CallOptions): Promise<Found> {
    const fetch = (at: string, accept?: string) =>
      this.#client.json({
        method: 'GET',
        path: at,
        subject: `discovery of ${at}`,
        repeatable: 'always',
        accept,
        identity: this.#identity,
        deadlineMs: options.deadlineMs ?? deadlineMs,
        signal: options.signal,
      });
    const answer = await fetch(path, discoveryAccept);
    const found = readAggregated(answer);
    if (found !== undefined) return found;
    return path === '/api' ? readLegacyCore(answer, fetch) : readLegacyGroups(answer, fetch);
  }
}

const maxIdentities = 256;

/** One cache for each identity: a tenant's door is made for every pass, and must not ask anew each time. */
export class DiscoveryCaches {
  readonly #client: Client;
  readonly #now: () => number;
  readonly #byIdentity = new Map<string, DiscoveryCache>();

  constructor(client: Client, now: () => number) {
    this.#client = client;
    this.#now = now;
  }

  of(identity: IdentityHeaders | undefined): DiscoveryCache {
    const key = JSON.stringify(identity ?? null);
    const cache = this.#byIdentity.get(key) ?? new DiscoveryCache(this.#client, identity, this.#now);
    this.#byIdentity.delete(key); // and set again, so that the longest unused stands first
    this.#byIdentity.set(key, cache);
    const [oldest] = this.#byIdentity.keys();
    if (this.#byIdentity.size > maxIdentities && oldest !== undefined) this.#byIdentity.delete(oldest);
    return cache;
  }

  /** Forgets what all of them keep. */
  invalidate(): void {
    for (const cache of this.#byIdentity.values()) cache.invalidate();
  }
}
