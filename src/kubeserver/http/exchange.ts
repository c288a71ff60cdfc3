import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { dump } from 'js-yaml';
import type { Json, JsonObject } from '../../core/json/index.ts';
import type { RequestInfo, User } from '../ports.ts';
import { isProtobuf, protobufToJson } from '../protobuf/index.ts';
import { readBody } from './body.ts';

export type Request = IncomingMessage | Http2ServerRequest;
export type Response = ServerResponse | Http2ServerResponse;

/** One request on its way through the chain, and the way back to its client. */
export class Exchange {
  readonly request: Request;
  readonly response: Response;
  readonly info: RequestInfo;
  readonly user: User;
  readonly warnings: string[] = [];
  /** Told to the audit log. */
  requestObject: Json | undefined;
  responseObject: Json | undefined;
  readonly #abort = new AbortController();
  #body: Promise<Buffer> | undefined;

  constructor(request: Request, response: Response, info: RequestInfo, user: User) {
    this.request = request;
    this.response = response;
    this.info = info;
    this.user = user;
    response.once('close', () => this.#abort.abort());
  }

  /** Fires when the client has gone or the server stops. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Whether the client wants its JSON indented: it says so, or it is curl, wget or a browser. */
  get pretty(): boolean {
    const asked = this.info.query.get('pretty');
    if (asked !== null) return ['true', '1'].includes(asked);
    return /^(curl|Wget|Mozilla\/5\.0)/.test(this.header('user-agent') ?? '');
  }

  header(name: string): string | undefined {
    const value = this.request.headers[name];
    const text = Array.isArray(value) ? value[0] : value;
    return name === 'content-type' && isProtobuf(text) ? 'application/json' : text;
  }

  /** The body; one in protobuf is given as the JSON it stands for. */
  body(): Promise<Buffer> {
    this.#body ??= this.#read();
    return this.#body;
  }

  async #read(): Promise<Buffer> {
    const body = await readBody(this.request, this.header('content-length'));
    const binary = isProtobuf(this.request.headers['content-type']);
    return binary ? Buffer.from(JSON.stringify(protobufToJson(body))) : body;
  }

  warn(text: string): void {
    if (!this.warnings.includes(text)) this.warnings.push(text);
  }

  /** Answers with a JSON value (or its YAML). */
  send(code: number, value: JsonObject | string, format: 'json' | 'yaml' = 'json'): void {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    if (typeof value !== 'string') this.responseObject ??= value;
    if (format === 'json' && this.pretty)
      this.sendText(code, JSON.stringify(JSON.parse(text), undefined, 2), 'application/json');
    else if (format === 'json') this.sendText(code, `${text}\n`, 'application/json');
    else this.sendText(code, dump(JSON.parse(text)), 'application/yaml');
  }

  sendText(code: number, text: string, type: string, headers: { readonly [name: string]: string } = {}): void {
    const body = Buffer.from(text, 'utf8');
    this.start(code, { 'content-type': type, 'content-length': String(body.length), ...headers });
    this.response.end(body);
  }

  /** Begins an answer whose body follows in pieces. */
  start(code: number, headers: { readonly [name: string]: string }): void {
    if (this.response.headersSent || this.response.destroyed) return;
    this.response.statusCode = code;
    this.response.setHeader('cache-control', 'no-cache, private');
    if (this.warnings.length > 0) this.response.setHeader('warning', this.warnings.map(warningHeader));
    for (const [name, value] of Object.entries(headers)) this.response.setHeader(name, value);
  }

  /** Sends the headers now. */
  flush(): void {
    // Both kinds of response have it; the types of the HTTP/2 one do not say so.
    (this.response as ServerResponse).flushHeaders();
  }

  /** Writes a piece and waits until the client has taken in what was sent; false once it has gone. */
  async write(piece: string | Buffer): Promise<boolean> {
    if (this.signal.aborted || this.response.destroyed) return false;
    // Both kinds of response take text and bytes here.
    const taken = (this.response as ServerResponse).write(piece);
    if (!taken) await this.#drained();
    return !this.signal.aborted;
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.response.off('drain', done);
        this.signal.removeEventListener('abort', done);
        resolve();
      };
      this.response.once('drain', done);
      this.signal.addEventListener('abort', done, { once: true });
    });
  }
}

/** Headers carry bytes: a text goes in as the bytes of its UTF-8, without what a header may not hold. */
function warningHeader(text: string): string {
  const bytes = Buffer.from(JSON.stringify(text), 'utf8').toString('latin1');
  return `299 - ${bytes.replace(/[^\t\u0020-\u007e\u0080-\u00ff]/g, '')}`;
}
