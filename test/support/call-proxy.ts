import { readFileSync } from 'node:fs';
import {
  type ClientHttp2Session,
  connect,
  createSecureServer,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { join } from 'node:path';
import type { RealCluster } from './real-cluster.ts';

/** One request on its way from the controller to the API server. */
export interface ProxiedCall {
  /** Counts from 1 over all calls since the start. */
  readonly number: number;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Whom the controller impersonates with it. */
  readonly user: string | undefined;
  readonly isWatch: boolean;
}

/** What happens to a call instead of just being answered. */
export type Fault =
  /** Answered in the server's place; the server never sees the call. */
  | { readonly answer: number; readonly headers?: OutgoingHttpHeaders; readonly body?: object | string }
  /** Never forwarded and never answered: its stream ends. */
  | { readonly drop: true }
  /** The server does it, the answer never comes back. Calls back once the server has answered. */
  | { readonly lose: () => void }
  /** It waits for this, then that happens to it. */
  | { readonly hold: Promise<Fault | undefined> };

export type Script = (call: ProxiedCall) => Fault | undefined;

/** Stands in a real API server's place, speaks with its certificate, and lets a test decide about every single call. */
export interface CallProxy {
  readonly url: string;
  /** How many calls have come so far. */
  calls(): number;
  /** Asked with every call from now on; undefined lets all of them through. */
  script(script: Script | undefined): void;
  /** Tells every open watch that its resourceVersion has expired, and ends it; answers how many there were. */
  expireWatches(): number;
  /** How many watches are open. */
  openWatches(): number;
  close(): Promise<void>;
}

const expired = {
  type: 'ERROR',
  object: {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'too old resource version: 1 (2)',
    reason: 'Expired',
    code: 410,
  },
};

interface House {
  readonly target: string;
  readonly ca: string;
  count: number;
  script: Script | undefined;
  readonly watches: Set<ServerHttp2Stream>;
}

/** Listens on a free port of loopback, with the API server's own certificate. */
export async function startCallProxy(cluster: Pick<RealCluster, 'url' | 'ca' | 'dir'>): Promise<CallProxy> {
  const house: House = { target: cluster.url, ca: cluster.ca, count: 0, script: undefined, watches: new Set() };
  const sessions = new Set<ServerHttp2Session>();
  const listener = createSecureServer({
    cert: cluster.ca,
    key: readFileSync(join(cluster.dir, 'certs/apiserver.key')),
    settings: { maxConcurrentStreams: 250 },
  });
  listener.on('session', (session) => {
    sessions.add(session);
    serve(session, house);
    session.on('close', () => sessions.delete(session));
  });
  listener.on('sessionError', () => undefined);
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject);
    listener.listen(0, '127.0.0.1', resolve);
  });
  const address = listener.address();
  return {
    url: `https://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    calls: () => house.count,
    script: (script) => {
      house.script = script;
    },
    expireWatches: () => {
      const open = [...house.watches];
      for (const watch of open) watch.end(`${JSON.stringify(expired)}\n`);
      return open.length;
    },
    openWatches: () => house.watches.size,
    async close() {
      const closed = new Promise<void>((resolve) => listener.close(() => resolve()));
      for (const session of sessions) session.destroy();
      await closed;
    },
  };
}

/** Each connection of the client has its own to the server, and each ends with the other. */
function serve(session: ServerHttp2Session, house: House): void {
  const server = connect(house.target, { ca: house.ca });
  const end = (): void => {
    session.destroy();
    server.destroy();
  };
  for (const each of [session, server]) each.on('error', end).on('close', end).on('goaway', end);
  session.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    house.count++;
    const call = callOf(headers, house.count);
    settle({ stream, headers, server, isWatch: call.isWatch, lose: undefined }, house.script?.(call), house);
  });
}

function callOf(headers: IncomingHttpHeaders, number: number): ProxiedCall {
  const url = new URL(String(headers[':path']), 'https://server');
  const user = headers['impersonate-user'];
  return {
    number,
    method: String(headers[':method']),
    path: url.pathname,
    query: url.searchParams,
    user: typeof user === 'string' ? user : undefined,
    isWatch: url.searchParams.get('watch') === 'true' || url.searchParams.get('watch') === '1',
  };
}

function settle(passing: Passing, fault: Fault | undefined, house: House): void {
  if (fault === undefined) forward(passing, house);
  else if ('answer' in fault) answerFor(passing.stream, fault);
  else if ('drop' in fault) passing.stream.close(cancel);
  else if ('lose' in fault) forward({ ...passing, lose: fault.lose }, house);
  else void fault.hold.then((then) => settle(passing, then, house));
}

function answerFor(stream: ServerHttp2Stream, fault: Extract<Fault, { answer: number }>): void {
  const { answer, headers = {}, body = statusOf(answer) } = fault;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const type = typeof body === 'string' ? 'text/plain' : 'application/json';
  if (stream.destroyed) return;
  stream.respond({ ':status': answer, 'content-type': type, ...headers });
  stream.end(text);
}

const reasons: Record<number, string> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

function statusOf(code: number): object {
  const message = `the test says ${code}`;
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason: reasons[code], code };
}

interface Passing {
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  readonly server: ClientHttp2Session;
  readonly isWatch: boolean;
  readonly lose: (() => void) | undefined;
}

/** HTTP/2's code for a stream nobody wants any more. */
const cancel = 0x8;

function forward({ stream, headers, server, isWatch, lose }: Passing, house: House): void {
  if (server.destroyed || server.closed) {
    stream.close(cancel);
    return;
  }
  const { ':authority': _ours, ':scheme': _scheme, ...kept } = headers;
  // Node would end a DELETE before its body, in which the preconditions are.
  const asking = server.request(kept, { endStream: false });
  stream.pipe(asking);
  asking.on('error', () => stream.close(cancel));
  stream.on('close', () => {
    house.watches.delete(stream);
    if (lose === undefined) asking.close(cancel);
  });
  asking.on('response', ({ ':status': status = 502, ...rest }) => {
    if (lose !== undefined) {
      asking.resume().on('end', lose);
      return;
    }
    if (stream.destroyed) return;
    stream.respond({ ':status': status, ...rest });
    if (isWatch && status === 200) house.watches.add(stream);
    // Not a pipe: an expired watch has ended on this side while the server still speaks.
    asking.on('data', (bytes: Buffer) => {
      if (!stream.writableEnded && !stream.destroyed) stream.write(bytes);
    });
    asking.on('end', () => stream.end());
  });
}

/** A call that waits in the proxy for as long as a test likes: the place where a fault happens in the middle of a sync. */
export interface Held {
  /** The first such call has come. */
  readonly reached: Promise<void>;
  /** It goes on, and this script decides about it and everything after it. */
  release(script?: Script): void;
}

/** Holds the first call that matches; everything else goes through. */
export function holdAt(calls: CallProxy, matches: (call: ProxiedCall) => boolean): Held {
  const gate = Promise.withResolvers<Fault | undefined>();
  const reached = Promise.withResolvers<void>();
  let held: ProxiedCall | undefined;
  calls.script((call) => {
    if (held !== undefined || !matches(call)) return undefined;
    held = call;
    reached.resolve();
    return { hold: gate.promise };
  });
  return {
    reached: reached.promise,
    release: (script) => {
      calls.script(script);
      gate.resolve(held === undefined ? undefined : script?.(held));
    },
  };
}
