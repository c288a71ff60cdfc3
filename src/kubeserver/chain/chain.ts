import type { TLSSocket } from 'node:tls';
import type { JsonObject } from '../../core/json/index.ts';
import { type Access, anonymous, parseRequest, unauthorized } from '../access/index.ts';
import type { Discovery } from '../discovery/documents.ts';
import type { OpenApi } from '../discovery/openapi.ts';
import { ExpiredPage } from '../handlers/list.ts';
import { Exchange, type Request, type Response } from '../http/exchange.ts';
import { type Auditor, type RequestInfo, StatusError, type User } from '../ports.ts';
import type { Cluster } from '../registry/cluster.ts';
import { internal, statusObject } from '../status.ts';
import { serveDocument } from './documents.ts';
import { serveResource } from './resources.ts';

/** What the chain is made of. */
export interface Parts {
  readonly cluster: Cluster;
  readonly access: Access;
  readonly auditor: Auditor | undefined;
  readonly discovery: Discovery;
  readonly openapi: OpenApi;
  /** Told of faults of ours; the client only learns that there was one. */
  onFault(error: unknown): void;
}

/** Carries a request through authentication, impersonation, authorization, its handler and the audit log. */
export async function handle(parts: Parts, request: Request, response: Response): Promise<void> {
  const story = new Story(parts, request, response);
  // A broken connection is the client's business; without a listener it would end the process.
  request.on('error', () => undefined);
  response.on('error', () => undefined);
  await story.tell();
}

class Story {
  readonly #parts: Parts;
  readonly #request: Request;
  readonly #response: Response;
  readonly #info: RequestInfo;
  readonly #received: Date;
  readonly #auditID: string;
  /** Read at once: a closed connection has forgotten it. */
  readonly #sourceIP: string;
  #user: User = anonymous;
  #impersonated: User | undefined;
  #annotations: { [key: string]: string } = {};
  #exchange: Exchange | undefined;

  constructor(parts: Parts, request: Request, response: Response) {
    this.#parts = parts;
    this.#request = request;
    this.#response = response;
    this.#info = parseRequest(request.method ?? 'GET', request.url ?? '/');
    this.#received = parts.cluster.now();
    this.#sourceIP = request.socket?.remoteAddress ?? '';
    this.#auditID = givenId(request.headers['audit-id']) ?? auditId(parts.cluster.random(16));
  }

  async tell(): Promise<void> {
    this.#response.setHeader('audit-id', this.#auditID);
    const isWatch = this.#info.verb === 'watch';
    this.#response.once('close', () => this.#audit('ResponseComplete'));
    try {
      const exchange = await this.#admit();
      this.#exchange = exchange;
      if (isWatch) this.#audit('ResponseStarted');
      if (this.#info.isResource && (await serveResource(exchange, this.#parts.cluster, this.#parts.access))) return;
      serveDocument(exchange, this.#parts);
    } catch (error) {
      try {
        this.#refuse(error);
      } catch (worse) {
        // Whatever went wrong, no client is left waiting.
        this.#parts.onFault(worse);
        this.#response.destroy();
      }
    }
  }

  /** Who asks, as whom, and may they; throws 401, 403 or 400. */
  async #admit(): Promise<Exchange> {
    const { access } = this.#parts;
    const headers = distinct(this.#request.rawHeaders);
    this.#user = await access.identify({
      authorization: headers['authorization']?.[0],
      clientCertificate: peer(this.#request.socket as TLSSocket), // the listener speaks only TLS
    });
    const impersonation = access.impersonation(this.#user, headers, this.#info);
    this.#impersonated = impersonation?.user;
    const acting = impersonation?.user ?? this.#user;
    this.#annotations = access.check(acting, this.#info);
    if (impersonation !== undefined && impersonation.constraint !== '')
      this.#annotations['authentication.k8s.io/impersonation-constraint'] = impersonation.constraint;
    return new Exchange(this.#request, this.#response, this.#info, acting);
  }

  #refuse(error: unknown): void {
    if (!(error instanceof StatusError) && !this.#response.destroyed) this.#parts.onFault(error);
    const known = error instanceof StatusError ? error : internal('the request could not be handled');
    if (known.status.code === 403)
      this.#annotations = { 'authorization.k8s.io/decision': 'forbid', 'authorization.k8s.io/reason': '' };
    if (this.#response.headersSent) {
      this.#response.destroy();
      return;
    }
    const exchange = this.#exchange ?? new Exchange(this.#request, this.#response, this.#info, this.#user);
    this.#exchange = exchange;
    const status = statusObject(known, known instanceof ExpiredPage ? { continue: known.continueAt } : {});
    exchange.responseObject = status;
    const retry = known.status.details?.['retryAfterSeconds'];
    if (typeof retry === 'number') this.#response.setHeader('retry-after', String(retry));
    exchange.send(known.status.code, status);
  }

  #audit(stage: 'ResponseStarted' | 'ResponseComplete'): void {
    const { auditor, cluster } = this.#parts;
    if (auditor === undefined) return;
    const code = this.#response.statusCode;
    auditor.record({
      auditID: this.#auditID,
      stage,
      info: this.#info,
      requestURI: this.#request.url ?? '',
      user: this.#user,
      impersonated: this.#impersonated,
      sourceIP: this.#sourceIP,
      userAgent: String(this.#request.headers['user-agent'] ?? ''),
      requestReceived: this.#received,
      stageTime: cluster.now(),
      code,
      responseStatus: code >= 400 ? failureStatus(this.#exchange?.responseObject, code) : undefined,
      requestObject: this.#exchange?.requestObject,
      responseObject: this.#exchange?.responseObject,
      annotations: this.#annotations,
    });
  }
}

function failureStatus(body: unknown, code: number): JsonObject {
  const { status, message, reason } = (body ?? {}) as { [key: string]: string | undefined }; // a Status of ours
  return {
    metadata: {},
    ...(status === undefined ? {} : { status }),
    ...(message === undefined ? {} : { message }),
    ...(reason === undefined ? {} : { reason }),
    code,
  };
}

/** Every value of every header, by lower-case name: groups to impersonate come one per header. */
function distinct(raw: readonly string[]): { [name: string]: string[] } {
  const headers: { [name: string]: string[] } = {};
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] ?? '').toLowerCase();
    if (name === '__proto__') continue;
    headers[name] = [...(Object.hasOwn(headers, name) ? (headers[name] ?? []) : []), raw[i + 1] ?? ''];
  }
  return headers;
}

/** The client's certificate, if it showed one; one that our CA did not sign is a bad credential. */
function peer(socket: TLSSocket): { subjectCN: string; organizations: string[] } | undefined {
  const certificate = typeof socket.getPeerCertificate === 'function' ? socket.getPeerCertificate() : undefined;
  if (certificate?.subject === undefined) return undefined;
  if (!socket.authorized) throw unauthorized();
  const { CN, O } = certificate.subject as { CN?: string | string[]; O?: string | string[] }; // Node's shape
  const list = (value: string | string[] | undefined): string[] =>
    value === undefined ? [] : typeof value === 'string' ? [value] : value;
  return { subjectCN: list(CN)[0] ?? '', organizations: list(O) };
}

/** The id a client (a proxy before us) gave its request; one that is too long to be an id is not taken. */
function givenId(header: string | string[] | undefined): string | undefined {
  const id = Array.isArray(header) ? header[0] : header;
  return id === undefined || id === '' || id.length > 100 ? undefined : id;
}

function auditId(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20)].join('-');
}
