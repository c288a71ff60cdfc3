import { randomBytes } from 'node:crypto';
import { createSecureServer, type Http2SecureServer, type Http2Session } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { type Access, type AuditLevel, createAccess, openAudit } from './access/index.ts';
import { bootstrapCluster, standardActors } from './actors/index.ts';
import { standardAdmission } from './admission/index.ts';
import { handle, type Parts } from './chain/chain.ts';
import { Discovery } from './discovery/documents.ts';
import { OpenApi } from './discovery/openapi.ts';
import { adminKubeconfig } from './kubeconfig.ts';
import type { Auditor, AuditRecord, Inside } from './ports.ts';
import { keepApiServices } from './registry/api-services.ts';
import type { Cluster } from './registry/cluster.ts';
import { watchDefinitions } from './registry/definitions.ts';
import { insideOf } from './registry/inside.ts';
import { Registry } from './registry/registry.ts';
import { Journal } from './store/journal.ts';
import { MemoryStore } from './store/memory-store.ts';
import { type Identity, loadIdentity } from './tls/identity.ts';

export interface ClusterOptions {
  /** 0 or absent: a free one. */
  readonly port?: number;
  readonly host?: string;
  /** Where state is kept across restarts; absent: in memory only. */
  readonly dataDir?: string;
  /** `false`: no actors at all; `off`: the names of those to leave out. */
  readonly actors?: { readonly off?: readonly string[]; readonly podDelay?: number } | false;
  /** A file to append audit events to, or a function told of every record. */
  readonly auditLog?: string | ((record: AuditRecord) => void);
  readonly auditLevel?: AuditLevel;
  /** Bearer tokens known from the start, beside the administrator's. */
  readonly tokens?: readonly {
    readonly token: string;
    readonly user: { readonly name: string; readonly groups?: readonly string[] };
  }[];
  /** How many revisions of history are kept for resuming watches and paging. */
  readonly history?: number;
  /** Milliseconds after which history is forgotten; default five minutes, as the real server compacts. */
  readonly compactEvery?: number;
  readonly now?: () => Date;
  readonly random?: (bytes: number) => Buffer;
  /** Told of faults of the server itself. */
  readonly onFault?: (error: unknown) => void;
}

export interface EmbeddedCluster {
  readonly url: string;
  readonly port: number;
  readonly caPem: string;
  /** A token of the administrator (`system:masters`), for clients without certificates. */
  readonly adminToken: string;
  /** A kubeconfig (JSON, which is YAML too) with the administrator's token. */
  adminKubeconfig(): string;
  readonly inside: Inside;
  /** Forgets history: older list and watch positions are answered with 410. */
  compact(): void;
  stop(): Promise<void>;
}

/** Starts an embedded cluster; several may run in one process. */
export async function startCluster(options: ClusterOptions = {}): Promise<EmbeddedCluster> {
  const closers: Closer[] = [];
  // What was opened last is closed first; a second call finds nothing left to do.
  const stop = async (): Promise<void> => {
    for (const close of closers.splice(0).reverse()) await close();
  };
  try {
    return { ...(await open(options, (close) => closers.push(close))), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Closer = () => void | Promise<void>;

async function open(options: ClusterOptions, onClose: (close: Closer) => void): Promise<Omit<EmbeddedCluster, 'stop'>> {
  const host = options.host ?? '127.0.0.1';
  const now = options.now ?? (() => new Date());
  const random = options.random ?? randomBytes;
  const journal = options.dataDir === undefined ? undefined : new Journal(options.dataDir);
  onClose(() => journal?.close());
  const identity = loadIdentity(journal, host, now(), random);
  const store = new MemoryStore({ journal, history: options.history });
  onClose(() => store.close());
  const cluster: Cluster = {
    store,
    registry: new Registry(),
    inside: insideOf(() => cluster),
    admission: [],
    now,
    random,
  };
  const access = createAccess({
    inside: cluster.inside,
    tokenKey: identity.tokenKey,
    staticTokens: [
      { token: identity.adminToken, user: { name: 'kubernetes-admin', groups: ['system:masters'] } },
      ...(options.tokens ?? []),
    ],
  });
  onClose(() => access.stop());
  cluster.admission = standardAdmission({ inside: cluster.inside, authorizer: access.authorizer });
  const definitions = watchDefinitions(cluster);
  onClose(() => definitions.stop());
  await bootstrapCluster(cluster.inside);
  const apiServices = await keepApiServices(cluster);
  onClose(() => apiServices.stop());
  for (const actor of startActors(options, cluster.inside, access, identity)) onClose(() => actor.stop());
  const compaction = keepCompacting(store, options.compactEvery ?? 300_000);
  onClose(() => clearInterval(compaction));
  const auditor = auditorOf(options);
  onClose(() => auditor?.close());
  const listener = new Listener(identity);
  const port = await listener.listen(options.port ?? 0, host);
  onClose(() => listener.close());
  const url = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
  listener.serve({
    cluster,
    access,
    auditor,
    discovery: new Discovery(cluster.registry, `${host}:${port}`),
    openapi: new OpenApi(cluster.registry),
    onFault: options.onFault ?? (() => undefined),
  });
  return {
    url,
    port,
    caPem: identity.authority.certificate,
    adminToken: identity.adminToken,
    adminKubeconfig: () => adminKubeconfig(url, identity),
    inside: cluster.inside,
    compact: () => store.compact(),
  };
}

function startActors(
  options: ClusterOptions,
  inside: Inside,
  access: Access,
  identity: Identity,
): { stop(): void | Promise<void> }[] {
  if (options.actors === false) return [];
  const { off = [], podDelay } = options.actors ?? {};
  const all = standardActors({
    tokens: access.tokens,
    caCertificate: identity.authority.certificate,
    off,
    ...(podDelay === undefined ? {} : { podDelay }),
  });
  return all.map((actor) => actor.start(inside));
}

/** Like the real server's, compaction leaves one period of history. */
function keepCompacting(store: MemoryStore, period: number): NodeJS.Timeout {
  let last = store.revision;
  const timer = setInterval(() => {
    store.compact(last);
    last = store.revision;
  }, period);
  timer.unref();
  return timer;
}

function auditorOf({ auditLog, auditLevel }: ClusterOptions): Auditor | undefined {
  if (auditLog === undefined) return undefined;
  if (typeof auditLog === 'string') return openAudit(auditLog, auditLevel ?? 'Metadata');
  return { record: auditLog, close: async () => undefined };
}

/** The TLS port: HTTP/2 and HTTP/1.1, client certificates welcome but not demanded. */
class Listener {
  readonly #server: Http2SecureServer;
  readonly #open = new Set<Socket | Http2Session>();
  #closing = false;

  constructor({ server, authority }: Identity) {
    this.#server = createSecureServer({
      allowHTTP1: true,
      cert: server.certificate,
      key: server.key,
      ca: authority.certificate,
      requestCert: true,
      rejectUnauthorized: false,
      settings: { maxConcurrentStreams: 250, initialWindowSize: 1024 * 1024 },
      maxSessionMemory: 100,
      // Otherwise a header with blanks around its value is dropped in silence: a request in somebody else's name
      // would become one in the caller's own.
      strictFieldWhitespaceValidation: false,
    });
    this.#server.on('connection', (socket: Socket) => this.#track(socket));
    this.#server.on('session', (session: Http2Session) => {
      session.on('error', () => undefined);
      this.#track(session);
    });
    for (const event of ['sessionError', 'tlsClientError', 'clientError', 'error'])
      this.#server.on(event, onConnectionError);
    this.#server.setTimeout(0);
  }

  #track(peer: Socket | Http2Session): void {
    // Whoever comes through the closing door would keep it open for ever.
    if (this.#closing) {
      peer.on('error', () => undefined);
      peer.destroy();
      return;
    }
    this.#open.add(peer);
    peer.once('close', () => this.#open.delete(peer));
    if ('setNoDelay' in peer) peer.on('error', () => undefined);
  }

  listen(port: number, host: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => {
        this.#server.off('error', reject);
        resolve((this.#server.address() as AddressInfo).port); // it listens on TCP
      });
    });
  }

  serve(parts: Parts): void {
    this.#server.on('request', (request, response) => {
      handle(parts, request, response).catch((error: unknown) => parts.onFault(error));
    });
  }

  close(): Promise<void> {
    this.#closing = true;
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      for (const peer of this.#open) peer.destroy();
    });
  }
}

/** A connection that breaks or speaks no HTTP gets closed; an HTTP/1 client learns why. */
function onConnectionError(_error: Error, socket?: Socket | Http2Session): void {
  if (socket === undefined || socket.destroyed) return;
  if ('write' in socket && socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
  else socket.destroy();
}
