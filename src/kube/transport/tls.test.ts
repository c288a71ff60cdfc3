import assert from 'node:assert/strict';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect as connectTcp, type Socket } from 'node:net';
import { after, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import {
  answer,
  clientPair,
  configMap,
  configMaps,
  type Handler,
  pair,
  type Scripted,
  startScripted,
} from '../testdata/scripted-server.ts';

const closers: (() => unknown)[] = [];
after(async () => {
  for (const close of closers) await close();
});

async function serve(handler: Handler, options: Parameters<typeof startScripted>[1] = {}): Promise<Scripted> {
  const server = await startScripted(handler, options);
  closers.push(() => server.close());
  return server;
}

const one: Handler = (_, response) => answer(response, 200, JSON.stringify(configMap('a')));

for (const http1 of [false, true])
  test(`a client certificate is shown over HTTP/${http1 ? '1.1' : '2'}, and nothing else`, async () => {
    const seen: unknown[] = [];
    const server = await serve(
      (request, response) => {
        seen.push((request.socket as TLSSocket).getPeerCertificate().subject?.CN, request.headers.authorization);
        one(request, response);
      },
      { http1, askForCertificate: true },
    );
    const shown = server.connect({}, { credential: { type: 'certificate', ...clientPair('deployer') } });
    assert.equal((await shown.get(configMaps, 'default', 'a')).metadata.name, 'a');
    assert.deepEqual(seen, ['deployer', undefined]);
    const without = server.connect({}, { credential: { type: 'none' } });
    await assert.rejects(without.get(configMaps, 'default', 'a', { deadlineMs: 5000 }), (error: Error) =>
      /kube-(tls|unreachable)/.test((error as { code?: string }).code ?? ''),
    );
  });

async function startSecureProxy(): Promise<{ port: number; asked: string[] }> {
  const [asked, sockets]: [string[], Socket[]] = [[], []];
  const proxy = createHttpsServer(pair);
  proxy.on('connect', (request, socket: Socket, head: Buffer) => {
    asked.push(request.url ?? '');
    const far = connectTcp(Number((request.url ?? '').split(':')[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Fine\r\n\r\n');
      far.write(head);
      far.pipe(socket).pipe(far);
    });
    sockets.push(far, socket);
    for (const end of [far, socket]) end.on('error', () => far.destroy());
  });
  proxy.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  return { port: (proxy.address() as AddressInfo).port, asked };
}

test("goes through an HTTPS proxy that the cluster's authority vouches for, and through no stranger", async () => {
  const [server, proxy] = [await serve(one), await startSecureProxy()];
  const proxyUrl = `https://127.0.0.1:${proxy.port}`;
  assert.equal((await server.connect({}, { proxyUrl }).get(configMaps, 'default', 'a')).metadata.name, 'a');
  assert.deepEqual(proxy.asked, [`127.0.0.1:${server.port}`]);
  for (const insecure of [false, true])
    await assert.rejects(
      server
        .connect({}, { proxyUrl, caData: undefined, insecure })
        .get(configMaps, 'default', 'a', { deadlineMs: 5000 }),
      { code: 'kube-tls' },
    );
  assert.equal(proxy.asked.length, 1);
});

for (const http1 of [false, true])
  test(`a closed connection over HTTP/${http1 ? '1.1' : '2'} dials no more`, async () => {
    const server = await serve(one, { http1 });
    const connection = server.connect();
    await connection.get(configMaps, 'default', 'a');
    const dialled = server.sockets.length;
    await connection.close();
    await assert.rejects(connection.get(configMaps, 'default', 'a', { deadlineMs: 5000 }), { code: 'cancelled' });
    assert.equal(server.sockets.length, dialled);
  });
