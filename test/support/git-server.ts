import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { deflateSync, gunzipSync } from 'node:zlib';
import { issue, makeAuthority } from '../../src/kubeserver/tls/certificates.ts';

/** How the server misbehaves. `broken-pack` dies in the middle of the objects, `garbage` sends bytes that are no pack. */
export type ServerFault =
  | 'none'
  | 'hang'
  | 'hang-fetch'
  | 'broken-refs'
  | 'broken-pack'
  | 'garbage'
  | 'endless'
  | 'pack-of-400-megabytes'
  | 'pack-of-4-gigabytes'
  | 'error-500'
  | 'error-401'
  | 'error-404'
  | 'redirect';

/** A real git server (`git http-backend`) on loopback that can be told to fail. */
export interface GitServer {
  /** Address of the repository in the directory of that name below the root. */
  url(name: string): string;
  readonly port: number;
  fault: ServerFault;
  /** Where `redirect` points to. */
  redirectTo: string;
  /** The authorization it wants, as the whole header. */
  authorization: string | undefined;
  /** Large files by their SHA-256, for Git LFS. */
  readonly large: Map<string, Buffer>;
  /** Where large files are said to lie; by default here. */
  largeFrom: string | undefined;
  /** What was asked: method, path with query, authorization. */
  readonly requests: { readonly method: string; readonly path: string; readonly authorization: string | undefined }[];
  close(): Promise<void>;
}

/** Certificates for a server on 127.0.0.1 and localhost, and for a client, all signed by one CA. */
export interface TestCertificates {
  readonly ca: string;
  readonly server: { readonly cert: string; readonly key: string };
  readonly client: { readonly cert: string; readonly key: string };
}

/** What `git http-backend` needs of a request. */
type CgiRequest = Readable &
  Pick<IncomingMessage, 'headers'> & { url?: string | undefined; method?: string | undefined };

interface Serving {
  readonly root: string;
  readonly children: Set<ChildProcess>;
}

/** Starts a server for the repositories below `root`. */
export async function startGitServer(
  root: string,
  tls?: { readonly certificates: TestCertificates; readonly clients: boolean },
): Promise<GitServer> {
  const serving: Serving = { root, children: new Set() };
  const sockets = new Set<Socket>();
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const { method = '', url = '', headers } = request;
    server.requests.push({ method, path: url, authorization: headers.authorization });
    handle(server, serving, request, response);
  };
  const listener: Server =
    tls === undefined
      ? createServer(answer)
      : createTlsServer({ ...tls.certificates.server, ca: tls.certificates.ca, requestCert: tls.clients }, answer);
  listener.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as AddressInfo; // it listens on a port, not on a path
  const server: GitServer = {
    url: (name) => `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}/${name}`,
    port,
    fault: 'none',
    redirectTo: '',
    authorization: undefined,
    large: new Map(),
    largeFrom: undefined,
    requests: [],
    close: () =>
      new Promise((resolve) => {
        for (const child of serving.children) child.kill('SIGKILL');
        for (const socket of sockets) socket.destroy();
        listener.close(() => resolve());
      }),
  };
  return server;
}

function handle(server: GitServer, serving: Serving, request: IncomingMessage, response: ServerResponse): void {
  const fetching = request.url?.endsWith('/git-upload-pack') === true;
  const status: Partial<Record<ServerFault, number>> = { 'error-500': 500, 'error-401': 401, 'error-404': 404 };
  const code = status[server.fault];
  if (server.fault === 'hang' || (server.fault === 'hang-fetch' && fetching)) return;
  if (code !== undefined) return void response.writeHead(code, unauthorized).end('the server says s3cret-words');
  if (server.fault === 'redirect')
    return void response.writeHead(302, { location: `${server.redirectTo}${request.url}` }).end();
  if (server.authorization !== undefined && request.headers.authorization !== server.authorization)
    return void response.writeHead(401, unauthorized).end();
  if (server.fault === 'broken-refs')
    return void response.writeHead(200, refsType).write('001e# service=git-upl', () => response.destroy());
  if (server.fault.startsWith('pack-of') && fetching) {
    sendLyingPack(server, serving, request, response);
    return;
  }
  if (server.fault === 'endless' && !fetching) {
    endless(response);
    return;
  }
  if (server.fault === 'garbage' && fetching)
    return void response
      .writeHead(200, packType)
      .end(Buffer.concat([Buffer.from('000dpackfile\n0021\u0001PACKgarbage-and-nothing-else'), Buffer.from('0000')]));
  if (request.url?.endsWith('/info/lfs/objects/batch') === true) {
    answerBatch(server, request, response);
    return;
  }
  const large = /^\/large\/([0-9a-f]{64})$/.exec(request.url ?? '')?.[1];
  if (large !== undefined) return void response.end(server.large.get(large));
  backend(server, serving, request, response);
}

const unauthorized = { 'www-authenticate': 'Basic realm="test"', 'content-type': 'text/plain' };
const refsType = { 'content-type': 'application/x-git-upload-pack-advertisement' };
const packType = { 'content-type': 'application/x-git-upload-pack-result' };

/** Refs without end: a line of a ref, again and again, until nobody listens. */
function endless(response: ServerResponse): void {
  response.writeHead(200, refsType);
  response.write('001e# service=git-upload-pack\n0000');
  let count = 0;
  const more = (): void => {
    while (!response.destroyed) {
      const lines = Array.from({ length: 1000 }, () => {
        count += 1;
        const line = `${'a'.repeat(40)} refs/heads/branch-${count}\n`;
        return (line.length + 4).toString(16).padStart(4, '0') + line;
      });
      if (!response.write(lines.join(''))) break;
    }
  };
  response.on('drain', more);
  more();
}

/** A pack with one file whose declared size is a lie; other questions than for a pack are answered as ever. */
function sendLyingPack(server: GitServer, serving: Serving, request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks);
    const asked = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
    if (!asked.includes('command=fetch')) {
      const again = Object.assign(Readable.from([body]), {
        url: request.url,
        method: request.method,
        headers: request.headers,
      });
      backend(server, serving, again, response);
      return;
    }
    const pack = lyingPack(server.fault === 'pack-of-4-gigabytes' ? 2 ** 32 : 400_000_000);
    response
      .writeHead(200, packType)
      .end(
        Buffer.concat([
          packet(Buffer.from('packfile\n')),
          packet(Buffer.concat([Buffer.from([1]), pack])),
          Buffer.from('0000'),
        ]),
      );
  });
}

function packet(body: Buffer): Buffer {
  return Buffer.concat([Buffer.from((body.length + 4).toString(16).padStart(4, '0')), body]);
}

function lyingPack(size: number): Buffer {
  const header = [0x30 | (size % 16) | 0x80];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128))
    header.push((rest % 128) | (rest >= 128 ? 0x80 : 0));
  const pack = Buffer.concat([
    Buffer.from('PACK\0\0\0\x02\0\0\0\x01', 'latin1'),
    Buffer.from(header),
    deflateSync(Buffer.from('small')),
  ]);
  return Buffer.concat([pack, createHash('sha1').update(pack).digest()]);
}

/** Git LFS: says where each large file lies. */
function answerBatch(server: GitServer, request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { objects } = JSON.parse(Buffer.concat(chunks).toString()) as { objects: { oid: string; size: number }[] }; // sent by the code under test
    const from = server.largeFrom ?? `http://127.0.0.1:${server.port}`;
    const known = objects.filter(({ oid }) => server.large.has(oid));
    const download = (oid: string): object => ({
      href: `${from}/large/${oid}`,
      header: { 'X-Token': 'one-time', Host: 'evil.example' },
    });
    response.setHeader('content-type', 'application/vnd.git-lfs+json');
    response.end(
      JSON.stringify({ objects: known.map((object) => ({ ...object, actions: { download: download(object.oid) } })) }),
    );
  });
}

/** Runs `git http-backend` for one request, as a web server would. */
function backend(server: GitServer, { root, children }: Serving, request: CgiRequest, response: ServerResponse): void {
  const [path = '', query = ''] = (request.url ?? '').split('?');
  const child = spawn('git', ['-c', 'safe.directory=*', 'http-backend'], {
    env: {
      PATH: process.env['PATH'] ?? '',
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: decodeURIComponent(path),
      QUERY_STRING: query,
      REQUEST_METHOD: request.method ?? 'GET',
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      REMOTE_USER: 'test',
      REMOTE_ADDR: '127.0.0.1',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  children.add(child);
  child.on('close', () => children.delete(child));
  child.stdin.on('error', () => undefined);
  request.pipe(child.stdin);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.on('close', () => {
    const output = Buffer.concat(chunks);
    const end = output.indexOf('\r\n\r\n');
    for (const line of output.toString('latin1', 0, end).split('\r\n')) {
      const [name = '', value = ''] = line.split(/:\s*/, 2);
      if (name.toLowerCase() === 'status') response.statusCode = Number.parseInt(value, 10);
      else response.setHeader(name, value);
    }
    const body = output.subarray(end + 4);
    const pack = body.indexOf('PACK');
    if (server.fault !== 'broken-pack' || pack < 0) return void response.end(body);
    response.setHeader('content-length', body.length);
    response.write(body.subarray(0, pack + 40), () => response.destroy());
  });
}

/** Makes a CA of its own with a certificate for a server on loopback and one for a client. */
export function makeCertificates(): TestCertificates {
  const name = { commonName: 'test CA' };
  const fresh = (): { now: Date; serial: Buffer } => ({ now: new Date(), serial: randomBytes(16) });
  const ca = makeAuthority(name.commonName, new Date(), randomBytes(16));
  const hosts = ['127.0.0.1', 'localhost'];
  const server = issue(ca, name, { subject: { commonName: 'server' }, usage: 'server', hosts, ...fresh() });
  const client = issue(ca, name, { subject: { commonName: 'client' }, usage: 'client', ...fresh() });
  return {
    ca: ca.certificate,
    server: { cert: server.certificate, key: server.key },
    client: { cert: client.certificate, key: client.key },
  };
}
