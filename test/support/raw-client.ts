/**
 * A bare HTTPS client for tests that judge a server: it knows nothing of Kubernetes but JSON and the watch framing,
 * and shares no code with `src/kube`, so that a fault in our client cannot hide one in a server.
 */
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { Agent, request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';

/** Parsed JSON that tests may dig in freely; a leaf is compared as it is. */
export interface Doc {
  readonly [key: string]: Doc | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  /** The parsed body; an empty document if it isn't JSON. */
  readonly body: Doc;
}

export interface Ask {
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Sent as it is if a string or buffer, as JSON otherwise. */
  readonly body?: unknown;
  /** The body's content type; `application/json` unless told. */
  readonly type?: string;
}

export interface Endpoint {
  readonly url: string;
  readonly ca: string;
  readonly token?: string | undefined;
  /** Sent with every request, for instance `Impersonate-User`. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

const deadline = 60_000;

/** Sends requests to one server as one user. */
export class RawClient {
  readonly endpoint: Endpoint;
  readonly #agent: Agent;

  constructor(endpoint: Endpoint, agent?: Agent) {
    this.endpoint = endpoint;
    this.#agent = agent ?? new Agent({ keepAlive: true, ca: endpoint.ca, maxSockets: 64 });
  }

  /** The same server with other credentials or headers. */
  with(change: Partial<Pick<Endpoint, 'token' | 'headers'>>): RawClient {
    return new RawClient({ ...this.endpoint, ...change }, this.#agent);
  }

  /** The same credentials, asking in the name of another. */
  as(user: string, ...groups: string[]): RawClient {
    const more = groups.length === 0 ? {} : { 'Impersonate-Group': groups };
    return this.with({ headers: { ...this.endpoint.headers, 'Impersonate-User': user, ...more } });
  }

  get(path: string, ask: Ask = {}): Promise<Answer> {
    return this.send('GET', path, ask);
  }

  create(path: string, body: unknown, ask: Ask = {}): Promise<Answer> {
    return this.send('POST', path, { ...ask, body });
  }

  put(path: string, body: unknown, ask: Ask = {}): Promise<Answer> {
    return this.send('PUT', path, { ...ask, body });
  }

  delete(path: string, ask: Ask = {}): Promise<Answer> {
    return this.send('DELETE', path, ask);
  }

  jsonPatch(path: string, body: unknown, ask: Ask = {}): Promise<Answer> {
    return this.send('PATCH', path, { ...ask, body, type: 'application/json-patch+json' });
  }

  mergePatch(path: string, body: unknown, ask: Ask = {}): Promise<Answer> {
    return this.send('PATCH', path, { ...ask, body, type: 'application/merge-patch+json' });
  }

  strategicPatch(path: string, body: unknown, ask: Ask = {}): Promise<Answer> {
    return this.send('PATCH', path, { ...ask, body, type: 'application/strategic-merge-patch+json' });
  }

  /** Server-side apply as a field manager. */
  apply(path: string, manager: string, body: unknown, query: Record<string, string> = {}): Promise<Answer> {
    return this.send('PATCH', path, {
      body,
      query: { fieldManager: manager, ...query },
      type: 'application/apply-patch+yaml',
    });
  }

  /** Any request; fails if the whole answer has not come within a minute. */
  async send(method: string, path: string, ask: Ask = {}): Promise<Answer> {
    for (let tries = 0; ; tries++) {
      const answer = await this.#sendOnce(method, path, ask);
      // The real server builds the storage of a custom kind anew when its definition settles, and meanwhile answers that
      // it is going away: nothing was done, and a moment later it serves again.
      const settling = answer.status === 503 && answer.text.includes('apiserver is shutting down');
      if (!settling || tries >= 20) return answer;
      await sleep(100);
    }
  }

  async #sendOnce(method: string, path: string, ask: Ask): Promise<Answer> {
    const response = await this.#open(method, path, ask, deadline);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer); // an unencoded stream gives buffers
    const text = Buffer.concat(chunks).toString('utf8');
    return { status: response.statusCode ?? 0, headers: response.headers, text, body: parse(text) };
  }

  /** Opens a watch; the answer's status is 200 or this throws the Status as an error message. */
  async watch(path: string, query: Record<string, string> = {}, ask: Ask = {}): Promise<Watching> {
    const response = await this.#open('GET', path, { ...ask, query: { watch: 'true', ...query } }, 0);
    if (response.statusCode === 200) return new Watching(response);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer); // an unencoded stream gives buffers
    throw new Error(`${response.statusCode} ${Buffer.concat(chunks).toString('utf8')}`);
  }

  close(): void {
    this.#agent.destroy();
  }

  #open(method: string, path: string, ask: Ask, timeout: number): Promise<IncomingMessage> {
    const url = new URL(`${this.endpoint.url}${path}`);
    for (const [key, value] of Object.entries(ask.query ?? {})) url.searchParams.append(key, value);
    const body = ask.body === undefined ? undefined : bytesOf(ask.body);
    const headers = this.#headers(ask, body);
    return new Promise((resolve, reject) => {
      const sending = request(url, { method, headers, agent: this.#agent }, resolve);
      if (timeout > 0) {
        const late = setTimeout(() => sending.destroy(new Error(`${method} ${path} took too long`)), timeout);
        sending.on('close', () => clearTimeout(late));
      }
      sending.on('error', reject);
      sending.end(body);
    });
  }

  #headers(ask: Ask, body: Buffer | undefined): OutgoingHttpHeaders {
    const headers: OutgoingHttpHeaders = { accept: 'application/json', 'user-agent': 'argosy-raw' };
    if (this.endpoint.token !== undefined) headers['authorization'] = `Bearer ${this.endpoint.token}`;
    if (body !== undefined) {
      headers['content-type'] = ask.type ?? 'application/json';
      headers['content-length'] = body.length;
    }
    for (const [key, value] of Object.entries({ ...this.endpoint.headers, ...ask.headers }))
      headers[key] = [value].flat();
    return headers;
  }
}

export interface WatchEvent {
  readonly type: string;
  readonly object: Doc;
}

/** An open watch: events in the order they came. */
export class Watching {
  readonly #response: IncomingMessage;
  readonly #events: WatchEvent[] = [];
  #rest = '';
  #ended = false;
  #wake: () => void = () => undefined;

  constructor(response: IncomingMessage) {
    this.#response = response;
    response.setEncoding('utf8');
    response.on('data', (text: string) => this.#take(text));
    const end = (): void => {
      this.#ended = true;
      this.#wake();
    };
    response.on('end', end);
    response.on('close', end);
    response.on('error', end);
  }

  /** The next event, `undefined` when the server has ended the watch; throws if none comes within the time. */
  async next(timeout = 15_000): Promise<WatchEvent | undefined> {
    const end = Date.now() + timeout;
    while (this.#events.length === 0) {
      if (this.#ended) return undefined;
      const left = end - Date.now();
      if (left <= 0) throw new Error(`no watch event within ${timeout} ms`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return this.#events.shift();
  }

  /** The next events up to and with the first that `last` accepts. */
  async until(last: (event: WatchEvent) => boolean, timeout = 15_000): Promise<WatchEvent[]> {
    const seen: WatchEvent[] = [];
    for (;;) {
      const event = await this.next(timeout);
      if (event === undefined) throw new Error(`the watch ended after ${JSON.stringify(seen)}`);
      seen.push(event);
      if (last(event)) return seen;
    }
  }

  close(): void {
    this.#response.destroy();
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') this.#events.push(JSON.parse(line) as WatchEvent); // by contract
    this.#wake();
  }
}

/** The elements of a list in a document. */
export function items(doc: Doc | undefined): Doc[] {
  return Array.isArray(doc) ? (doc as Doc[]) : []; // JSON arrays are typed as documents until looked at
}

/** A string in a document; empty if it is something else. */
export function text(doc: Doc | undefined): string {
  return typeof doc === 'string' ? doc : '';
}

function bytesOf(body: unknown): Buffer {
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

function parse(text: string): Doc {
  try {
    return JSON.parse(text) as Doc; // whatever it is, tests look at it through Doc
  } catch {
    return {};
  }
}
