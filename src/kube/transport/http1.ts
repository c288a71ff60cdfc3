import { Agent, type ClientRequest, type IncomingMessage, request as sendHttp } from 'node:http';
import type { Duplex } from 'node:stream';
import { ArgosyError } from '../../core/errors/index.ts';
import { fromNetwork } from '../errors/network.ts';
import { bracketed, dial, type Endpoint } from './dial.ts';
import type { Limit, Wire, WireAnswer, WireRequest } from './wire.ts';

const maxHeaderBytes = 64 * 1024;

/** Keeps connections for HTTP/1.1, each made by our own dialling, so that proxies and the address guard count here too. */
class DialAgent extends Agent {
  readonly #endpoint: Endpoint;
  #closed = false;

  constructor(endpoint: Endpoint) {
    super({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, maxFreeSockets: 32 });
    this.#endpoint = endpoint;
  }

  override createConnection(_: object, ready: (error: Error | null, socket: Duplex) => void): undefined {
    const failed = (error: Error): void => ready(error, undefined as unknown as Duplex); // Node ignores it beside an error
    const cancelled = new ArgosyError('cancelled', `${this.#endpoint.host}: the connection was closed`);
    if (this.#closed) {
      failed(cancelled);
      return;
    }
    dial(this.#endpoint, ['http/1.1']).then((socket) => {
      if (!this.#closed) return ready(null, socket);
      // Dialled for a request that was made before the end, and that nobody waits for any more.
      socket.destroy();
      failed(cancelled);
    }, failed);
  }

  override destroy(): void {
    this.#closed = true;
    super.destroy();
  }
}

/** Carries requests over HTTP/1.1: for servers and proxies that speak nothing newer. */
export class Http1Wire implements Wire {
  readonly #agent: DialAgent;
  readonly #authority: string;

  constructor(endpoint: Endpoint) {
    this.#agent = new DialAgent(endpoint);
    this.#authority = `${bracketed(endpoint.host)}:${endpoint.port}`;
  }

  send(request: WireRequest, limit: Limit): Promise<WireAnswer> {
    return new Promise((resolve, reject) => {
      const sent = this.#open(request);
      const forget = limit.onEnd((error) => {
        sent.destroy(error);
        reject(error);
      });
      sent.on('error', (error) => {
        reject(fromNetwork(limit.ended ?? error, request.subject));
      });
      sent.on('response', (message: IncomingMessage) => {
        const header = (name: string): string | undefined => text(message.headers[name]);
        message.on('error', () => undefined); // the reader of the body hears it too
        resolve({ status: message.statusCode ?? 0, header, body: message });
      });
      sent.on('close', () => {
        forget();
        reject(fromNetwork(new Error('the connection ended before an answer came'), request.subject));
      });
    });
  }

  #open(request: WireRequest): ClientRequest {
    const sent = sendHttp({
      agent: this.#agent,
      method: request.method,
      path: request.path,
      headers: { host: this.#authority, ...request.headers },
      maxHeaderSize: maxHeaderBytes,
    });
    sent.end(request.body);
    return sent;
  }

  close(): Promise<void> {
    this.#agent.destroy();
    return Promise.resolve();
  }
}

function text(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
