import type { TLSSocket } from 'node:tls';
import { ArgosyError } from '../../core/errors/index.ts';
import { markUnprocessed } from '../errors/network.ts';
import { bracketed, dial, type Endpoint } from './dial.ts';
import { Http1Wire } from './http1.ts';
import { type Heartbeat, Session } from './session.ts';
import type { Limit, Wire, WireAnswer, WireRequest } from './wire.ts';

/** Below the 100 streams an API server grants a connection. */
const maxStreams = 90;

/** Carries requests over HTTP/2 where the server speaks it, else over HTTP/1.1. Dials when the first request comes. */
export class PoolWire implements Wire {
  readonly #endpoint: Endpoint;
  readonly #heartbeat: Heartbeat;
  readonly #lanes: Record<WireRequest['lane'], Session[]> = { call: [], stream: [] };
  readonly #dialling = new Map<WireRequest['lane'], Promise<Session | Wire>>();
  #http1: Http1Wire | undefined;
  #closed = false;

  constructor(endpoint: Endpoint, heartbeat: Heartbeat) {
    this.#endpoint = endpoint;
    this.#heartbeat = heartbeat;
    if (!endpoint.secure) this.#http1 = new Http1Wire(endpoint);
  }

  async send(request: WireRequest, limit: Limit): Promise<WireAnswer> {
    if (limit.ended !== undefined) throw limit.ended;
    const wire = this.#http1 ?? this.#ready(request.lane) ?? (await this.#waitFor(request.lane, limit));
    return wire.send(request, limit);
  }

  /** A place on an open session, if one has room. */
  #ready(lane: WireRequest['lane']): Session | undefined {
    for (const session of this.#lanes[lane]) {
      if (!session.usable || session.streams >= maxStreams) continue;
      session.reserve();
      return session;
    }
    return undefined;
  }

  /** Dialling outlives a caller that gives up: the next one profits, and `connectMs` ends it in any case. */
  async #waitFor(lane: WireRequest['lane'], limit: Limit): Promise<Session | Wire> {
    for (;;) {
      const opened = await limit.race(this.#dialling.get(lane) ?? this.#dial(lane));
      if (!(opened instanceof Session)) return opened;
      const place = this.#ready(lane);
      if (place !== undefined) return place;
      if (!opened.usable) throw lostAtOnce(this.#endpoint.host);
    }
  }

  #dial(lane: WireRequest['lane']): Promise<Session | Wire> {
    const opening = this.#openSession(lane).finally(() => this.#dialling.delete(lane));
    this.#dialling.set(lane, opening);
    return opening;
  }

  async #openSession(lane: WireRequest['lane']): Promise<Session | Wire> {
    if (this.#closed) throw new ArgosyError('cancelled', `${this.#endpoint.host}: the connection was closed`);
    const socket = (await dial(this.#endpoint, ['h2', 'http/1.1'])) as TLSSocket; // only secure endpoints come here
    if (this.#closed) {
      socket.destroy();
      throw new ArgosyError('cancelled', `${this.#endpoint.host}: the connection was closed`);
    }
    if (socket.alpnProtocol !== 'h2') {
      socket.destroy();
      this.#http1 ??= new Http1Wire(this.#endpoint);
      return this.#http1;
    }
    const authority = `${bracketed(this.#endpoint.host)}:${this.#endpoint.port}`;
    const session = new Session(authority, socket, this.#heartbeat);
    this.#lanes[lane] = [...this.#lanes[lane].filter((one) => one.usable), session];
    return session;
  }

  /** Forgets the open sessions, so that the next request dials anew, as with a renewed certificate. */
  redial(): void {
    for (const session of this.#lanes.call) session.retire();
    for (const session of this.#lanes.stream) session.retire();
    this.#lanes.call = [];
    this.#lanes.stream = [];
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const session of [...this.#lanes.call, ...this.#lanes.stream]) session.destroy();
    await this.#http1?.close();
  }
}

/** A server that takes the connection and closes it at once must not be dialled in a tight loop: the caller's retry waits. */
function lostAtOnce(host: string): ArgosyError {
  return markUnprocessed(
    new ArgosyError('kube-unreachable', `${host}: the connection was closed at once`, { subject: host }),
  );
}
