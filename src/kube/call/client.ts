import type { Readable } from 'node:stream';
import { type ArgosyError, ArgosyError as OurError } from '../../core/errors/index.ts';
import { isObject, type JsonObject } from '../../core/json/index.ts';
import type { Authenticator } from '../config/credential-port.ts';
import { fromNetwork } from '../errors/network.ts';
import { fromRefusal } from '../errors/translate.ts';
import { consume, plainBody, readAll } from '../transport/body.ts';
import { CallLimit } from '../transport/limit.ts';
import { discard } from '../transport/session.ts';
import type { Wire, WireAnswer } from '../transport/wire.ts';
import type { Limiter } from './limiter.ts';
import { isOfColdServer, nextDelay, type Repeatable } from './retry.ts';

/** Several times what an API server stores in one object; a larger answer would hold the main loop too long. */
const maxAnswer = 8 * 1024 * 1024;
const maxRefusal = 256 * 1024;

/** One call of the Kubernetes API, before credentials and retries. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with its query. */
  readonly path: string;
  /** What is asked, as the user knows it. */
  readonly subject: string;
  readonly repeatable: Repeatable;
  readonly body?: string | undefined;
  readonly contentType?: string | undefined;
  readonly accept?: string | undefined;
  /** Impersonation, as headers; they were checked when they were made. */
  readonly identity?: IdentityHeaders | undefined;
  readonly deadlineMs: number;
  readonly signal?: AbortSignal | undefined;
}

export type IdentityHeaders = { readonly [name: string]: string | string[] };

/** What a client is made of. */
export interface ClientParts {
  readonly wire: Wire;
  readonly auth: Authenticator;
  readonly limiter: Limiter;
  readonly userAgent: string;
  readonly compress: boolean;
  readonly random: () => number;
  readonly now: () => number;
  /** Of the server's URL: everything it serves stands below it. */
  readonly prefix: string;
}

/** What the last attempt of a call carried, so that a 401 is held against that and not against what came since. */
interface UsedCredential {
  header: string | undefined;
}

/** Sends calls with the credential, within their deadlines, again where that is safe; every failure is an ArgosyError. */
export class Client {
  readonly #parts: ClientParts;

  constructor(parts: ClientParts) {
    this.#parts = parts;
  }

  get random(): () => number {
    return this.#parts.random;
  }

  secrets(): readonly string[] {
    return this.#parts.auth.secrets();
  }

  /** Makes a call whose answer is one JSON object. */
  async json(call: Call): Promise<JsonObject> {
    const limit = new CallLimit(call.subject, call.deadlineMs, call.signal);
    try {
      const bytes = await this.#repeating(call, limit, (used) => this.#jsonOnce(call, limit, used));
      return parseAnswer(bytes, call.subject);
    } finally {
      limit.dispose();
    }
  }

  /** Makes a call and hands the body over as a stream; `stream` bodies take no turn of the limiter. */
  async open(call: Call, lane: 'call' | 'stream', limit: CallLimit): Promise<Readable> {
    const answer = await this.#repeating(call, limit, (used) =>
      this.#turn(limit, lane, () => this.#send(call, lane, limit, used)),
    );
    return plainBody(answer, call.subject);
  }

  /** Makes a call whose answer is text, such as a log. */
  async text(call: Call, lane: 'call' | 'stream', limit: CallLimit, onText: (text: string) => void): Promise<void> {
    const body = await this.open(call, lane, limit);
    body.setEncoding('utf8');
    await consume(body, call.subject, (chunk: unknown) => {
      onText(String(chunk));
      return undefined;
    });
  }

  #jsonOnce(call: Call, limit: CallLimit, used: UsedCredential): Promise<Buffer> {
    return this.#turn(limit, 'call', async () => {
      const answer = await this.#send(call, 'call', limit, used);
      return readAll(plainBody(answer, call.subject), call.subject, maxAnswer);
    });
  }

  /** Runs one attempt in its turn and tells the limiter how it went. */
  async #turn<T>(limit: CallLimit, lane: 'call' | 'stream', run: () => Promise<T>): Promise<T> {
    if (lane === 'stream') return run();
    const { limiter, now } = this.#parts;
    const turn = limiter.acquire(limit);
    if (turn !== undefined) await turn;
    const began = now();
    try {
      const result = await run();
      limiter.release('fine', now() - began);
      return result;
    } catch (error) {
      const busy =
        error instanceof OurError && (error.code === 'kube-busy' || error.status === 503 || error.status === 504);
      limiter.release(busy ? 'overloaded' : 'failed', now() - began);
      throw error;
    }
  }

  async #repeating<T>(call: Call, limit: CallLimit, attempt: (used: UsedCredential) => Promise<T>): Promise<T> {
    const used: UsedCredential = { header: undefined };
    let renewed = false;
    let last: ArgosyError | undefined;
    for (let count = 1; ; count++) {
      try {
        return await attempt(used);
      } catch (error) {
        if (limit.ended !== undefined) throw endOf(limit, last);
        const ours = fromNetwork(error, call.subject, this.secrets());
        if (ours.code === 'kube-unauthorized' && !renewed && this.#parts.auth.renew(used.header)) {
          renewed = true;
          continue;
        }
        if (last !== undefined && isOfColdServer(ours, last)) throw last;
        const delay = nextDelay(ours, count, call.repeatable, this.#parts.random);
        if (delay === undefined) throw ours;
        last = ours;
        await limit.pause(delay).catch(() => Promise.reject(endOf(limit, ours)));
      }
    }
  }

  async #send(call: Call, lane: 'call' | 'stream', limit: CallLimit, used: UsedCredential): Promise<WireAnswer> {
    const authorization = this.#parts.auth.header();
    const header = authorization instanceof Promise ? await limit.race(authorization) : authorization;
    used.header = header;
    const answer = await this.#parts.wire.send(
      {
        method: call.method,
        path: this.#parts.prefix + call.path,
        headers: this.#headers(call, header),
        body: call.body,
        lane,
        subject: call.subject,
      },
      limit,
    );
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw await this.#refused(call, answer);
  }

  #headers(call: Call, authorization: string | undefined): { [name: string]: string | string[] } {
    const headers: { [name: string]: string | string[] } = {
      accept: call.accept ?? 'application/json',
      'user-agent': this.#parts.userAgent,
    };
    if (this.#parts.compress) headers['accept-encoding'] = 'gzip';
    if (authorization !== undefined) headers['authorization'] = authorization;
    if (call.body !== undefined) headers['content-type'] = call.contentType ?? 'application/json';
    if (call.identity !== undefined) Object.assign(headers, call.identity);
    return headers;
  }

  async #refused(call: Call, answer: WireAnswer): Promise<ArgosyError> {
    const retryAfter = answer.header('retry-after');
    const body = await readAll(plainBody(answer, call.subject), call.subject, maxRefusal).then(
      (bytes) => bytes.toString('utf8'),
      () => '', // the status alone says enough
    );
    discard(answer.body);
    return fromRefusal({ status: answer.status, body, retryAfter, subject: call.subject, secrets: this.secrets() });
  }
}

/** A deadline that passes between attempts reports what went wrong with the last one, not that we waited. */
function endOf(limit: CallLimit, last: ArgosyError | undefined): ArgosyError {
  const ended = limit.ended ?? new OurError('internal', 'a call ended without an end');
  return ended.code === 'kube-timeout' ? (last ?? ended) : ended;
}

function parseAnswer(bytes: Buffer, subject: string): JsonObject {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    if (isObject(value)) return value;
  } catch {
    // Said below: the text itself could hold anything and is not repeated.
  }
  throw new OurError('kube-malformed', `${subject}: the answer is no JSON object`, { subject });
}
