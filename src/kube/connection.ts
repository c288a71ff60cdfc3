import { isIP } from 'node:net';
import { ArgosyError } from '../core/errors/index.ts';
import type { Json } from '../core/json/index.ts';
import type { KubeObject } from '../core/objects/index.ts';
import { Client, type IdentityHeaders } from './call/client.ts';
import { Limiter } from './call/limiter.ts';
import { authenticatorFor } from './config/authenticator.ts';
import { type DiscoveryCache, DiscoveryCaches } from './discovery/discover.ts';
import { list } from './list/list.ts';
import type { AddressGuard, Endpoint } from './transport/dial.ts';
import { PoolWire } from './transport/pool.ts';
import type * as T from './types.ts';
import { identityHeaders } from './verbs/identity.ts';
import * as read from './verbs/read.ts';
import * as write from './verbs/write.ts';
import { follow } from './watch/follow.ts';
import { watch } from './watch/watch.ts';

/** What a connection may be told beyond its configuration; everything has a sensible default. */
export interface ConnectOptions {
  /** Asked with every address before it is dialled. */
  readonly allowAddress?: AddressGuard | undefined;
  /** Of the program, for the user agent. */
  readonly version?: string | undefined;
  /** What credential plugins see of the environment. */
  readonly environment?: { readonly [name: string]: string } | undefined;
  readonly connectMs?: number | undefined;
  readonly pingMs?: number | undefined;
  readonly random?: (() => number) | undefined;
  readonly now?: (() => number) | undefined;
}

/** Opens a connection to a cluster. Nothing is dialled before the first request. */
export function connect(config: T.KubeConfig, options: ConnectOptions = {}): T.Connection {
  const url = parseServer(config.server);
  const now = options.now ?? Date.now;
  const redial = (): void => wire.redial();
  const auth = authenticatorFor(config, { environment: options.environment ?? {}, now, redial });
  const endpoint: Endpoint = {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port),
    secure: url.protocol === 'https:',
    proxy: config.proxyUrl === undefined ? undefined : parseProxy(config.proxyUrl),
    guard: options.allowAddress,
    connectMs: options.connectMs ?? 10_000,
    tls: () => ({
      ca: config.caData,
      insecure: config.insecure === true,
      serverName: config.tlsServerName,
      ...auth.keyPair(),
    }),
  };
  const pingMs = options.pingMs ?? 15_000;
  const wire = new PoolWire(endpoint, { everyMs: pingMs, answerMs: Math.min(pingMs, 5_000) });
  const client = new Client({
    wire,
    auth,
    limiter: new Limiter(),
    userAgent: `argosy/${options.version ?? '0'}`,
    compress: config.disableCompression !== true && !isLoopback(endpoint.host),
    random: options.random ?? Math.random,
    now: () => performance.now(),
    prefix: url.pathname.replace(/\/+$/, ''),
  });
  const caches = new DiscoveryCaches(client, now);
  const verbs = new Verbs(client, undefined, caches.of(undefined));
  return Object.assign(verbs, {
    server: url.origin,
    as: (who: T.Impersonation) => {
      const identity = identityHeaders(who);
      return new Verbs(client, identity, caches.of(identity));
    },
    invalidateDiscovery: () => caches.invalidate(),
    close: () => wire.close(),
  });
}

function parseServer(server: string): URL {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url === undefined || !['https:', 'http:'].includes(url.protocol) || url.username !== '')
    throw new ArgosyError('config-invalid', 'the address of the API server must be a URL such as https://host:6443');
  return url;
}

function parseProxy(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['https:', 'http:'].includes(url.protocol))
    throw new ArgosyError('config-invalid', 'the proxy must be a URL with http or https');
  return url;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** The verbs of the Kubernetes API, with one credential and in one name. */
class Verbs implements T.Reader, T.Writer {
  readonly #caller: read.Caller;
  readonly #discovery: DiscoveryCache;

  constructor(client: Client, identity: IdentityHeaders | undefined, discovery: DiscoveryCache) {
    this.#caller = { client, identity };
    this.#discovery = discovery;
  }

  discover(options?: T.CallOptions & { readonly fresh?: boolean }): Promise<T.Discovery> {
    return this.#discovery.discover(options);
  }

  get(
    resource: T.Resource,
    namespace: string,
    name: string,
    options?: T.CallOptions & { subresource?: string },
  ): Promise<KubeObject> {
    return read.get(this.#caller, resource, { namespace, name }, options);
  }

  list(resource: T.Resource, options: T.ListOptions, onItem: (item: KubeObject) => void): Promise<T.ListEnd> {
    return list(this.#caller.client, this.#caller.identity, { resource, options }, onItem);
  }

  watch(resource: T.Resource, options: T.WatchOptions, onEvent: (event: T.WatchEvent) => void): Promise<void> {
    return watch(this.#caller.client, { identity: this.#caller.identity, resource, options, onEvent });
  }

  follow(resource: T.Resource, options: T.FollowOptions, sink: T.FollowSink): T.Following {
    return follow({ ...this.#caller, resource, options }, sink);
  }

  mayI(review: T.AccessReview, options?: T.CallOptions): Promise<boolean> {
    return read.mayI(this.#caller, review, options);
  }

  logs(namespace: string, pod: string, options: T.LogOptions, onText: (text: string) => void): Promise<void> {
    return read.logs(this.#caller, { namespace, name: pod }, options, onText);
  }

  version(options?: T.CallOptions): ReturnType<T.Reader['version']> {
    return read.version(this.#caller, options);
  }

  create(resource: T.Resource, object: KubeObject, options?: T.WriteOptions): Promise<KubeObject> {
    return write.create(this.#caller, resource, object, options);
  }

  update(resource: T.Resource, object: KubeObject, options?: T.WriteOptions): Promise<KubeObject> {
    return write.update(this.#caller, resource, object, options);
  }

  // The six arguments are the contract's: kind, place, form and content of a patch, and its options.
  patch(...[resource, namespace, name, type, body, options]: Parameters<T.Writer['patch']>): Promise<KubeObject> {
    const content: Json = body;
    return write.patch(this.#caller, resource, { namespace, name, type, body: content }, options);
  }

  apply(resource: T.Resource, object: KubeObject, options: T.ApplyOptions): Promise<KubeObject> {
    return write.apply(this.#caller, resource, object, options);
  }

  delete(
    resource: T.Resource,
    namespace: string,
    name: string,
    options?: T.DeleteOptions,
  ): Promise<KubeObject | undefined> {
    return write.remove(this.#caller, resource, { namespace, name }, options);
  }
}
