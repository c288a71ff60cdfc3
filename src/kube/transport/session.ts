import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { ArgosyError } from '../../core/errors/index.ts';
import { fromNetwork, markUnprocessed } from '../errors/network.ts';
import type { Limit, WireAnswer, WireRequest } from './wire.ts';

const streamWindow = 2 * 1024 * 1024;
const sessionWindow = 16 * 1024 * 1024;
const maxHeaderBytes = 64 * 1024;

/** How a session finds out that the other end is gone. */
export interface Heartbeat {
  readonly everyMs: number;
  readonly answerMs: number;
}

/** One HTTP/2 connection: it carries requests until it closes, and notices when the other end falls silent. */
export class Session {
  readonly #session: ClientHttp2Session;
  readonly #authority: string;
  readonly #heartbeat: Heartbeat;
  #timer: NodeJS.Timeout | undefined;
  #lastByte = 0;
  #lastUse = performance.now();
  #goneAway = false;
  #probing = false;
  #death: Error | undefined;
  /** Streams under way or promised. */
  streams = 0;

  constructor(authority: string, socket: Socket, heartbeat: Heartbeat) {
    this.#authority = authority;
    this.#heartbeat = heartbeat;
    this.#session = connect(`https://${authority}`, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: streamWindow, maxHeaderListSize: maxHeaderBytes },
      maxHeaderListPairs: 200,
    });
    this.#session.setLocalWindowSize(sessionWindow);
    this.#session.on('error', (error: Error) => {
      this.#death ??= error;
    });
    this.#session.on('goaway', () => {
      this.#goneAway = true;
    });
    this.#session.on('close', () => clearInterval(this.#timer));
    this.#session.unref(); // an idle session keeps no process alive; requests under way do, by their deadlines
    this.#timer = setInterval(() => this.#beat(), heartbeat.everyMs).unref();
  }

  /** Whether new requests may be sent on it. */
  get usable(): boolean {
    return !this.#goneAway && !this.#session.closed && !this.#session.destroyed;
  }

  /** Takes a place before the request is sent: several callers may wait for the same new session. */
  reserve(): void {
    this.streams++;
  }

  /** Sends a request whose place was reserved. */
  send(request: WireRequest, limit: Limit): Promise<WireAnswer> {
    return new Promise((resolve, reject) => {
      const stream = this.#open(request, reject);
      if (stream === undefined) return;
      this.#doubtIfIdle();
      let answered = false;
      const forget = limit.onEnd((error) => {
        reject(error);
        stream.close(constants.NGHTTP2_CANCEL);
        stream.destroy(error);
        if (!answered) this.#probe(); // a session that answers nothing must not be the next caller's trap
      });
      stream.on('response', (headers) => {
        answered = true;
        const header = (name: string): string | undefined => text(headers[name]);
        resolve({ status: Number(headers[':status']), header, body: stream });
      });
      stream.on('error', (error) => {
        if (!answered) reject(this.#translate(error, request));
      });
      stream.on('close', () => {
        this.streams--;
        forget();
        // A stream the peer never looked at closes without an error after a GOAWAY.
        if (!answered) reject(this.#closedEarly(request, stream));
      });
    });
  }

  #open(request: WireRequest, reject: (error: Error) => void): ClientHttp2Stream | undefined {
    try {
      const headers = { ':method': request.method, ':path': request.path, ...request.headers };
      const stream = this.#session.request(headers, { endStream: request.body === undefined });
      if (request.body !== undefined) stream.end(request.body);
      return stream;
    } catch (error) {
      this.streams--;
      reject(markUnprocessed(fromNetwork(error, request.subject)));
      return undefined;
    }
  }

  #translate(error: Error, request: WireRequest): ArgosyError {
    return fromNetwork(this.#death ?? error, request.subject);
  }

  #closedEarly(request: WireRequest, stream: ClientHttp2Stream): ArgosyError {
    const refused = stream.rstCode === constants.NGHTTP2_REFUSED_STREAM;
    const text = `${request.subject}: the connection to ${this.#authority} ended before an answer came`;
    const error = new ArgosyError('kube-unreachable', text, { subject: request.subject });
    return refused ? markUnprocessed(error) : error;
  }

  /** Sends a PING where streams wait; a peer that does not answer it is gone, however open the socket looks. */
  #beat(): void {
    if (this.streams === 0 || this.#session.destroyed) return;
    const seen = this.#session.socket?.bytesRead ?? 0;
    if (seen !== this.#lastByte) {
      this.#lastByte = seen;
      return;
    }
    this.#probe();
  }

  /** After a long rest the way to the peer may be gone unnoticed; asking beside the request finds out before its deadline. */
  #doubtIfIdle(): void {
    const now = performance.now();
    if (now - this.#lastUse > this.#heartbeat.everyMs) this.#probe();
    this.#lastUse = now;
  }

  #probe(): void {
    if (this.#session.destroyed || this.#probing) return;
    this.#probing = true;
    const dead = setTimeout(() => {
      this.#session.destroy(new Error('no answer to an HTTP/2 ping'), constants.NGHTTP2_CANCEL);
    }, this.#heartbeat.answerMs).unref();
    const answered = (): void => {
      this.#probing = false;
      clearTimeout(dead);
    };
    if (!this.#session.ping(answered)) answered();
  }

  /** Ends the session and whatever runs on it. */
  destroy(): void {
    clearInterval(this.#timer);
    this.#session.destroy();
  }

  /** Lets streams under way finish and takes no new ones. */
  retire(): void {
    if (!this.#session.closed) this.#session.close();
  }
}

function text(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

/** Reads nothing more from a body and frees its stream. */
export function discard(body: Readable): void {
  body.on('error', () => undefined);
  body.destroy();
}
