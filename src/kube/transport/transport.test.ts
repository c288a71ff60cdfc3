import assert from 'node:assert/strict';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect as connectTcp, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { connect } from '../connection.ts';
import { startRelay } from '../testdata/relay.ts';
import {
  answer,
  configMap,
  configMaps,
  type Handler,
  listOf,
  type Scripted,
  startRaw,
  startScripted,
  status,
} from '../testdata/scripted-server.ts';

const servers: Scripted[] = [];
after(async () => {
  for (const server of servers) await server.close();
});
async function serve(handler: Handler, options: Parameters<typeof startScripted>[1] = {}): Promise<Scripted> {
  const server = await startScripted(handler, options);
  servers.push(server);
  return server;
}
const get = (server: Scripted, connection = server.connect()) => connection.get(configMaps, 'default', 'a');
const one: Handler = (_, response) => answer(response, 200, JSON.stringify(configMap('a')));

test('calls share one HTTP/2 connection', async () => {
  const server = await serve(one);
  const connection = server.connect();
  await Promise.all(Array.from({ length: 60 }, () => get(server, connection)));
  assert.equal(server.sockets.length, 1);
});

test('says who it is and what it wants, and nothing it was not told to', async () => {
  let seen: IncomingMessage['headers'] = {};
  const server = await serve((request, response) => {
    seen = request.headers;
    one(request, response);
  });
  await get(server);
  const { 'user-agent': agent, authorization, accept } = seen;
  assert.deepEqual(
    { agent, authorization, accept },
    { agent: 'argosy/test', authorization: 'Bearer test-token', accept: 'application/json' },
  );
  assert.equal(
    Object.keys(seen).some((name) => name.startsWith('impersonate')),
    false,
  );
  await server
    .connect()
    .as({ user: 'system:serviceaccount:a:b', groups: ['g1', 'g2'], uid: 'u' })
    .get(configMaps, 'default', 'a');
  assert.deepEqual(
    [seen['impersonate-user'], seen['impersonate-group'], seen['impersonate-uid']],
    ['system:serviceaccount:a:b', 'g1, g2', 'u'],
  );
});

test("watches get connections of their own, at most 90 on each, and never take a call's place", async () => {
  const open: { end(): void }[] = [];
  const server = await serve((request, response) => {
    if (!request.url.includes('watch=true')) return one(request, response);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('\n');
    open.push(response);
    return undefined;
  });
  const connection = server.connect();
  const stop = new AbortController();
  const watches = Array.from({ length: 200 }, () =>
    connection
      .watch(configMaps, { resourceVersion: '1', signal: stop.signal }, () => undefined)
      .catch((error: Error) => error.message),
  );
  while (open.length < 200) await new Promise((resolve) => setTimeout(resolve, 5));
  await get(server, connection);
  assert.equal(server.sockets.length, 4);
  stop.abort();
  assert.ok((await Promise.all(watches)).every((text) => /cancelled/.test(text ?? '')));
});

test('speaks HTTP/1.1 with a server that knows nothing newer, and keeps the connection', async () => {
  const server = await serve(one, { http1: true });
  const connection = server.connect();
  for (let turn = 0; turn < 5; turn++) assert.equal((await get(server, connection)).metadata.name, 'a');
  assert.ok(server.sockets.length <= 2, String(server.sockets.length)); // one to learn the protocol, one to keep
});

test('speaks plain HTTP where the address says so', async () => {
  const plain = createHttpServer((request, response) =>
    response.end(JSON.stringify(configMap(request.url?.split('/').at(-1) ?? ''))),
  );
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
  const connection = connect({
    server: `http://127.0.0.1:${(plain.address() as AddressInfo).port}/prefix/`,
    credential: { type: 'none' },
  });
  assert.equal((await connection.get(configMaps, 'default', 'a')).metadata.name, 'a');
  await connection.close();
  plain.close();
});

test('reads gzip, also inside lists', async () => {
  const server = await serve((request, response) => {
    const body = request.url.endsWith('/a') ? JSON.stringify(configMap('a')) : listOf([configMap('a'), configMap('b')]);
    response.writeHead(200, { 'content-encoding': 'gzip' });
    response.end(gzipSync(body));
  });
  const connection = server.connect();
  assert.equal((await get(server, connection)).metadata.name, 'a');
  assert.equal((await connection.list(configMaps, {}, () => undefined)).count, 2);
});

test('asks for gzip only where the server is far away', async () => {
  const asked: unknown[] = [];
  const server = await serve((request, response) => {
    asked.push(request.headers['accept-encoding']);
    one(request, response);
  });
  await get(server);
  assert.deepEqual(asked, [undefined]);
});

async function startProxy(auth?: string): Promise<{ port: number; asked: string[]; close: () => void }> {
  const asked: string[] = [];
  const sockets: Socket[] = [];
  const proxy = createHttpServer();
  proxy.on('connect', (request, socket: Socket, head: Buffer) => {
    asked.push(request.url ?? '');
    sockets.push(socket);
    if (auth !== undefined && request.headers['proxy-authorization'] !== auth)
      return socket.end('HTTP/1.1 407 No\r\n\r\n');
    const [, port] = (request.url ?? '').split(':');
    const far = connectTcp(Number(port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Fine\r\n\r\n');
      far.write(head);
      far.pipe(socket).pipe(far);
    });
    sockets.push(far);
    far.on('error', () => socket.destroy());
    socket.on('error', () => far.destroy());
    return undefined;
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const close = (): void => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  };
  return { port: (proxy.address() as AddressInfo).port, asked, close };
}

test('goes through an HTTP proxy, with its password, and says so when it refuses', async () => {
  const server = await serve(one);
  const proxy = await startProxy(`Basic ${Buffer.from('me:p@ss').toString('base64')}`);
  const through = server.connect({}, { proxyUrl: `http://me:p%40ss@127.0.0.1:${proxy.port}` });
  assert.equal((await get(server, through)).metadata.name, 'a');
  assert.deepEqual(proxy.asked, [`127.0.0.1:${server.port}`]);
  const refused = server.connect({}, { proxyUrl: `http://me:wrong@127.0.0.1:${proxy.port}` });
  await assert.rejects(
    refused.get(configMaps, 'default', 'a', { deadlineMs: 30_000 }),
    (error: Error) => /407/.test(error.message) && !/wrong/.test(error.message),
  );
  proxy.close();
});

test('T-083: asks about the address that is really dialled, before it is dialled', async () => {
  const server = await serve(one);
  const seen: unknown[] = [];
  const guarded = server.connect(
    {
      allowAddress: (host, port, address) => {
        seen.push([host, port, address]);
        return address === '127.0.0.1' || address === '::1' ? 'loopback is not permitted' : undefined;
      },
    },
    { server: `https://localhost:${server.port}` },
  );
  await assert.rejects(guarded.get(configMaps, 'default', 'a', { deadlineMs: 2000 }), {
    code: 'denied',
    fault: 'denied',
  });
  assert.equal(server.sockets.length, 0);
  assert.ok(seen.every((row) => Array.isArray(row) && row[0] === 'localhost' && row[1] === server.port));
});

test('trusts no stranger, and only the name the certificate bears', async () => {
  const server = await serve(one);
  const code = (change: object) =>
    get(server, server.connect({}, change)).then(
      () => 'fine',
      (error: { code: string }) => error.code,
    );
  assert.equal(await code({ caData: undefined }), 'kube-tls');
  assert.equal(await code({ caData: undefined, insecure: true }), 'fine');
  assert.equal(await code({ tlsServerName: 'kube.example' }), 'fine');
  assert.equal(await code({ tlsServerName: 'other.example' }), 'kube-tls');
});

test('a server that is not there is an error before the deadline, retried with every verb', async () => {
  const connection = connect({ server: 'https://127.0.0.1:1', credential: { type: 'none' } });
  await assert.rejects(connection.create(configMaps, configMap('a'), { deadlineMs: 30_000 }), {
    code: 'kube-unreachable',
  });
  await connection.close();
});

test('after a GOAWAY calls go on over a new connection', async () => {
  const server = await serve((request, response) => {
    one(request, response);
    if (server.sockets.length === 1) request.stream.session?.goaway();
  });
  const connection = server.connect();
  for (let turn = 0; turn < 4; turn++) assert.equal((await get(server, connection)).metadata.name, 'a');
  assert.ok(server.sockets.length >= 2);
});

test('a connection whose other end fell silent is found by a ping and replaced', async () => {
  const server = await serve(one);
  const relay = await startRelay(server.port);
  const connection = server.connect({ pingMs: 60 }, { server: `https://127.0.0.1:${relay.port}` });
  await get(server, connection);
  relay.freeze();
  assert.equal((await connection.get(configMaps, 'default', 'a', { deadlineMs: 10_000 })).metadata.name, 'a');
  assert.equal(server.sockets.length, 2);
  relay.close();
});

test('a call that ran into its deadline on a silent connection is not the trap of the next', async () => {
  const server = await serve(one);
  const relay = await startRelay(server.port);
  const connection = server.connect({ pingMs: 300 }, { server: `https://127.0.0.1:${relay.port}` });
  await get(server, connection);
  relay.freeze();
  await assert.rejects(connection.get(configMaps, 'default', 'a', { deadlineMs: 20 }), { code: 'kube-timeout' });
  assert.equal((await connection.get(configMaps, 'default', 'a', { deadlineMs: 10_000 })).metadata.name, 'a');
  relay.close();
});

test('what is refused unseen is sent again, whatever the verb; what was seen is not', async () => {
  let calls = 0;
  const server = await serve((request, response) => {
    calls++;
    if (request.headers['x'] === undefined && calls === 1)
      request.stream.close(7); // REFUSED_STREAM
    else if (request.url.includes('fieldManager=reset'))
      request.stream.close(2); // INTERNAL_ERROR
    else answer(response, 201, JSON.stringify(configMap('a')));
  });
  const connection = server.connect();
  assert.equal((await connection.create(configMaps, configMap('a'))).metadata.name, 'a');
  assert.equal(calls, 2);
  await assert.rejects(connection.create(configMaps, configMap('a'), { fieldManager: 'reset' }), {
    code: 'kube-unreachable',
  });
  assert.equal(calls, 3);
});

test('a busy server is asked again after the time it names', async () => {
  let calls = 0;
  const server = await serve((_, response) => {
    if (++calls < 3) answer(response, 429, 'Too many requests', { 'retry-after': '0' });
    else answer(response, 201, JSON.stringify(configMap('a')));
  });
  assert.equal((await server.connect().create(configMaps, configMap('a'))).metadata.name, 'a');
});

test('a deadline ends a call and its retries, a signal too', async () => {
  const server = await serve(() => undefined);
  const connection = server.connect();
  await assert.rejects(connection.get(configMaps, 'default', 'a', { deadlineMs: 50 }), { code: 'kube-timeout' });
  await assert.rejects(connection.get(configMaps, 'default', 'a', { signal: AbortSignal.timeout(30) }), {
    code: 'cancelled',
  });
  await assert.rejects(connection.get(configMaps, 'default', 'a', { signal: AbortSignal.abort() }), {
    code: 'cancelled',
  });
  await assert.rejects(
    connection.list(configMaps, { deadlineMs: 50 }, () => undefined),
    { code: 'kube-timeout' },
  );
});

test('a 401 makes a token file be read again, once', async () => {
  const { mkdtempSync, rmSync, writeFileSync } = await import('node:fs');
  const dir = mkdtempSync('/tmp/argosy-token-');
  writeFileSync(`${dir}/token`, 'old');
  let asked = 0;
  const server = await serve((request, response) => {
    asked++;
    if (request.headers.authorization === 'Bearer new') return one(request, response);
    writeFileSync(`${dir}/token`, 'new');
    return answer(response, 401, status(401, 'Unauthorized'));
  });
  const connection = server.connect({}, { credential: { type: 'token-file', path: `${dir}/token` } });
  await Promise.all([get(server, connection), get(server, connection), get(server, connection)]);
  const plain = server.connect();
  asked = 0;
  await assert.rejects(get(server, plain), { code: 'kube-unauthorized' });
  assert.equal(asked, 1);
  rmSync(dir, { recursive: true });
});

test('a server that closes right after the handshake is not dialled in a tight loop', async () => {
  const server = await startRaw('h2', (socket) => socket.destroy());
  servers.push(server);
  await assert.rejects(server.connect().get(configMaps, 'default', 'a', { deadlineMs: 30_000 }), {
    code: 'kube-unreachable',
  });
  assert.ok(server.sockets.length <= 5, String(server.sockets.length));
});
