import { randomBytes } from 'node:crypto';
import { createSecureServer, type Http2SecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { createServer as createTlsServer, type Server, type TLSSocket } from 'node:tls';
import { issue, makeAuthority } from '../../kubeserver/tls/certificates.ts';
import { type ConnectOptions, connect } from '../connection.ts';
import type { Connection, KubeConfig } from '../types.ts';

const now = new Date();
const authority = makeAuthority('scripted-authority', now, randomBytes(8));
const server = issue(authority, { commonName: 'scripted-authority' }, {
  subject: { commonName: 'scripted' },
  usage: 'server',
  hosts: ['127.0.0.1', 'localhost', 'kube.example'],
  now,
  serial: randomBytes(8),
});

export const pair = { key: server.key, cert: server.certificate };
export const caData = Buffer.from(authority.certificate);

/** A client's certificate of the same authority. */
export function clientPair(commonName: string): { key: Buffer; cert: Buffer } {
  const issuer = { commonName: 'scripted-authority' };
  const made = issue(authority, issuer, { subject: { commonName }, usage: 'client', now: new Date(), serial: randomBytes(8) });
  return { key: Buffer.from(made.key), cert: Buffer.from(made.certificate) };
}

export type Handler = (request: Http2ServerRequest, response: Http2ServerResponse) => void;

export interface Scripted {
  readonly port: number;
  readonly config: KubeConfig;
  /** Connections taken so far. */
  readonly sockets: Socket[];
  connect(options?: ConnectOptions, config?: Partial<KubeConfig>): Connection;
  close(): Promise<void>;
}

/** A TLS server on loopback whose answers a test writes; HTTP/2, or 1.1 where asked. */
export function startScripted(handler: Handler, options: { http1?: boolean; streams?: number; askForCertificate?: boolean; server?: (s: Http2SecureServer) => void } = {}): Promise<Scripted> {
  const made = createSecureServer({
    ...pair,
    allowHTTP1: options.http1 === true,
    ...(options.http1 === true ? { ALPNProtocols: ['http/1.1'] } : {}),
    ...(options.askForCertificate === true ? { requestCert: true, rejectUnauthorized: true, ca: caData } : {}),
    settings: { maxConcurrentStreams: options.streams ?? 100 },
  });
  made.on('request', handler);
  made.on('sessionError', () => undefined);
  options.server?.(made);
  return listening(made);
}

/** A TLS server that speaks no HTTP by itself: a test writes the bytes. */
export function startRaw(alpn: 'h2' | 'http/1.1', onSocket: (socket: TLSSocket) => void): Promise<Scripted> {
  return listening(
    createTlsServer({ ...pair, ALPNProtocols: [alpn] }, (socket) => {
      socket.on('error', () => undefined);
      onSocket(socket);
    }),
  );
}

function listening(made: Server): Promise<Scripted> {
  const sockets: Socket[] = [];
  const connections: Connection[] = [];
  made.on('connection', (socket: Socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
  });
  made.on('tlsClientError', () => undefined);
  return new Promise((resolve) => {
    made.listen(0, '127.0.0.1', () => {
      const { port } = made.address() as AddressInfo;
      const config: KubeConfig = { server: `https://127.0.0.1:${port}`, caData, credential: { type: 'token', token: 'test-token' } };
      resolve({
        port,
        config,
        sockets,
        connect: (options, change) => {
          const connection = connect({ ...config, ...change }, { version: 'test', ...options });
          connections.push(connection);
          return connection;
        },
        close: async () => {
          for (const one of connections) await one.close();
          for (const socket of sockets) socket.destroy();
          await new Promise<void>((done) => made.close(() => done()));
        },
      });
    });
  });
}

export { configMaps } from '../well-known.ts';

/** A ConfigMap as a server shows it. */
export function configMap(name: string, resourceVersion = '1'): { apiVersion: string; kind: string; metadata: { name: string; namespace: string; resourceVersion: string } } {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default', resourceVersion } };
}

/** A list as a server shows it. */
export function listOf(items: readonly unknown[], metadata: object = { resourceVersion: '10' }): string {
  return JSON.stringify({ kind: 'ConfigMapList', apiVersion: 'v1', metadata, items });
}

/** A Status as a server shows it. */
export function status(code: number, reason: string, message = reason): string {
  return JSON.stringify({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code });
}

/** Answers one JSON text. */
export function answer(response: Http2ServerResponse, code: number, body: string, headers: { [name: string]: string } = {}): void {
  response.writeHead(code, { 'content-type': 'application/json', ...headers });
  response.end(body);
}
