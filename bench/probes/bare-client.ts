import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';

/** What a bare client needs to know of a cluster. */
export interface Target {
  readonly url: string;
  readonly ca: string;
  readonly token: string;
}

/** Nothing but node:http2: the floor our client is measured against. */
export class BareClient {
  readonly #session: ClientHttp2Session;
  readonly #token: string;

  constructor(target: Target) {
    this.#token = target.token;
    this.#session = connect(target.url, { ca: target.ca, settings: { initialWindowSize: 2 * 1024 * 1024 } });
    this.#session.on('connect', () => this.#session.setLocalWindowSize(16 * 1024 * 1024));
    this.#session.on('error', () => undefined);
  }

  open(method: string, path: string, type?: string): ClientHttp2Stream {
    return this.#session.request({
      ':method': method,
      ':path': path,
      authorization: `Bearer ${this.#token}`,
      accept: 'application/json',
      'user-agent': 'argosy-bench/1',
      ...(type === undefined ? {} : { 'content-type': type }),
    });
  }

  /** Sends a body and parses the answer. */
  call(method: string, path: string, type: string, body: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const stream = this.open(method, path, type);
      const chunks: Buffer[] = [];
      let status = 0;
      stream.on('response', (headers) => {
        status = Number(headers[':status']);
      });
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('error', reject);
      stream.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        if (status >= 300) reject(new Error(`${method} ${path}: ${status} ${text.slice(0, 200)}`));
        else resolve(JSON.parse(text));
      });
      stream.end(JSON.stringify(body));
    });
  }

  /** Hands on the chunks of an answer. */
  read(path: string, onChunk: (chunk: Buffer) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const stream = this.open('GET', path);
      stream.on('data', onChunk);
      stream.on('error', reject);
      stream.on('end', () => resolve());
      stream.end();
    });
  }

  close(): void {
    this.#session.destroy();
  }
}
