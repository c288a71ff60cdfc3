/**
 * A thousand broken, oversized, truncated and hostile requests, the same ones every time: each gets a proper answer
 * (a Status, or a closed connection where it was no HTTP), and the server lives on.
 */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { connect, type TLSSocket } from 'node:tls';
import type { Answer } from '../../support/raw-client.ts';
import { admin, cluster, configMap, configMaps, namespace, ok } from './cluster.ts';

let ns = '';
before(async () => {
  ns = await namespace();
  ok(await (await admin()).create(configMaps(ns), configMap('there', { k: 'v' })), 201);
});

/** A small generator of numbers, so that a failure can be repeated. */
function dice(seed: number): (sides: number) => number {
  let state = seed >>> 0;
  return (sides) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

/** An error is a Status with its own code, or the bare page for paths nobody serves. */
function proper(answer: Answer, what: string): void {
  if (answer.status < 400) return;
  if (answer.text.startsWith('404 page not found')) return;
  assert.equal(answer.body.kind, 'Status', `${what}: ${answer.status} ${answer.text.slice(0, 300)}`);
  assert.equal(answer.body.code, answer.status, what);
  assert.equal(answer.body.status, 'Failure', what);
  assert.equal(typeof answer.body.message, 'string', what);
}

const values: unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1e308,
  '',
  ' ',
  'x',
  '\u0000',
  '\ud800',
  '__proto__',
  [],
  [[]],
  {},
  { __proto__x: 1 },
  { constructor: {} },
];
const keys = ['apiVersion', 'kind', 'metadata', 'data', 'binaryData', 'immutable', '__proto__', 'constructor', 'spec'];
const metaKeys = [
  'name',
  'namespace',
  'labels',
  'annotations',
  'uid',
  'resourceVersion',
  'finalizers',
  'ownerReferences',
  'managedFields',
  'creationTimestamp',
  'deletionTimestamp',
  'generation',
  'generateName',
];

/** A ConfigMap with one to three fields replaced by nonsense, as text. */
function nonsense(roll: (sides: number) => number): string {
  const body: Record<string, unknown> = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `n${roll(1e9)}` },
    data: { k: 'v' },
  };
  for (let n = 0; n <= roll(3); n++) {
    const value = values[roll(values.length)];
    if (roll(2) === 0) body[keys[roll(keys.length)] ?? ''] = value;
    else body['metadata'] = { ...(body['metadata'] as object), [metaKeys[roll(metaKeys.length)] ?? '']: value }; // an object so far
  }
  return JSON.stringify(body);
}

/** Cuts, doubles, swaps or overwrites bytes. */
function mangle(text: string, roll: (sides: number) => number): Buffer {
  const bytes = Buffer.from(text);
  const at = roll(bytes.length);
  const how = roll(4);
  if (how === 0) return bytes.subarray(0, at);
  if (how === 1) return Buffer.concat([bytes.subarray(0, at), bytes]);
  if (how === 2) bytes[at] = roll(256);
  else bytes.fill(roll(256), at, Math.min(bytes.length, at + roll(8)));
  return bytes;
}

test('250 creates with nonsense in their fields get a proper answer', async () => {
  const [api, roll] = [await admin(), dice(1)];
  for (let n = 0; n < 250; n++) {
    const body = nonsense(roll);
    proper(await api.create(configMaps(ns), body), body);
  }
});

test('250 bodies with mangled bytes get a proper answer', async () => {
  const [api, roll] = [await admin(), dice(2)];
  for (let n = 0; n < 250; n++) {
    const body = mangle(nonsense(roll), roll);
    proper(await api.create(configMaps(ns), body), body.toString());
  }
});

test('200 patches of all kinds with mangled or foreign bodies get a proper answer', async () => {
  const [api, roll] = [await admin(), dice(3)];
  const types = [
    'application/json-patch+json',
    'application/merge-patch+json',
    'application/strategic-merge-patch+json',
    'application/apply-patch+yaml',
    'text/plain',
  ];
  const bodies = [
    '[{"op":"add","path":"/data/x","value":1}]',
    '[{"op":"move","from":"/data","path":"/data/x"}]',
    '[{"op":"remove","path":""}]',
    '[{"op":"replace","path":"","value":5}]',
    '[{"op":"add","path":"/metadata/managedFields/0/fieldsV1","value":{"f:x":5}}]',
    '{"data":{"$patch":"replace"}}',
    '{"metadata":{"finalizers":[5]}}',
    '{"$patch":"delete"}',
    '{"$setElementOrder/data":[1,2]}',
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: there}\ndata: {k: [}',
    'a: &a [*a, *a]',
    '- &x [x, x]\n- [*x, *x, *x]\n',
    '!!js/function "x"',
  ];
  for (let n = 0; n < 200; n++) {
    const text = bodies[roll(bodies.length)] ?? '';
    const body = roll(3) === 0 ? mangle(text, roll) : Buffer.from(text);
    const type = types[roll(types.length)] ?? '';
    const query = roll(2) === 0 ? { fieldManager: 'x', force: 'maybe' } : { fieldManager: 'x' };
    proper(await api.send('PATCH', configMaps(ns, 'there'), { body, type, query }), `${type} ${body.toString()}`);
  }
});

test('150 strange paths and queries get a proper answer', async () => {
  const [api, roll] = [await admin(), dice(4)];
  const parts = [
    'api',
    'apis',
    'v1',
    'namespaces',
    ns,
    'configmaps',
    'there',
    'status',
    'watch',
    '',
    '.',
    '%2F',
    '%00',
    '%ff',
    '%F0%9F%92%A9',
    'a'.repeat(300),
    '__proto__',
    'constructor',
    'openapi',
    'v3',
  ];
  const queries = [
    'watch=maybe',
    'limit=-5',
    'limit=99999999999999999999',
    'continue=%7B%7D',
    'resourceVersion=-1',
    'labelSelector=%00',
    'fieldSelector=%3D%3D%3D',
    'timeoutSeconds=x',
    'dryRun=All',
    'pretty=%ff',
    '=',
    '&&&',
    'resourceVersionMatch=Exact',
  ];
  const methods = ['GET', 'GET', 'PUT', 'POST', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD', 'TRACE'];
  for (let n = 0; n < 150; n++) {
    const path = `/${Array.from({ length: 1 + roll(7) }, () => parts[roll(parts.length)]).join('/')}?${queries[roll(queries.length)]}`;
    const method = methods[roll(methods.length)] ?? 'GET';
    // Deleting whole collections by accident is no hostility to answer for.
    if (method === 'DELETE' && !path.includes('there')) continue;
    const answer = await api.send(method, path, {
      headers: { accept: 'application/json' },
      query: { timeoutSeconds: '1' },
    });
    if (method !== 'HEAD') proper(answer, `${method} ${path}`);
  }
});

test('100 strange headers get a proper answer', async () => {
  const [api, roll] = [await admin(), dice(5)];
  const names = [
    'accept',
    'content-type',
    'impersonate-user',
    'impersonate-group',
    'impersonate-uid',
    'impersonate-extra-%zz',
    'authorization',
    'accept-encoding',
    'user-agent',
    'if-none-match',
    'audit-id',
    'x-forwarded-for',
  ];
  const texts = [
    '',
    ' ',
    '*',
    '*/*;q=2',
    'application/json;as=Table',
    'application/json;as=Nothing;g=x;v=y',
    'application/vnd.kubernetes.protobuf',
    'Bearer',
    'Bearer ',
    'Basic xxx',
    'system:serviceaccount:',
    'system:serviceaccount:a',
    'ä',
    'x'.repeat(2000),
    ',,,',
    ';=;=',
  ];
  for (let n = 0; n < 100; n++) {
    const headers = {
      [names[roll(names.length)] ?? '']: Buffer.from(texts[roll(texts.length)] ?? '').toString('latin1'),
    };
    const method = roll(2) === 0 ? 'GET' : 'POST';
    const ask = method === 'GET' ? { headers } : { headers, body: configMap(`h${n}`) };
    proper(await api.send(method, configMaps(ns), ask), JSON.stringify(headers));
  }
});

/** Sends raw bytes and gives what comes back until the server closes, falls silent or has answered once. */
async function raw(bytes: Buffer | string, patience = 400): Promise<string> {
  const { url, ca } = await cluster();
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let out = '';
    const socket: TLSSocket = connect({
      host: hostname,
      port: Number(port),
      ca,
      servername: 'localhost',
      checkServerIdentity: () => undefined,
    });
    const finish = (): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(out);
    };
    let timer = setTimeout(finish, 5_000);
    socket.on('secureConnect', () => {
      socket.write(bytes);
      clearTimeout(timer);
      timer = setTimeout(finish, patience);
    });
    socket.on('data', (chunk: Buffer) => {
      out += chunk.toString('latin1');
    });
    socket.on('close', finish);
    socket.on('error', (error: NodeJS.ErrnoException) => (error.code === 'ECONNREFUSED' ? reject(error) : finish()));
  });
}

test('50 connections that speak broken HTTP or none are answered with an error or closed', async () => {
  const { adminToken } = await cluster();
  const roll = dice(6);
  const head = `POST ${configMaps(ns)} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminToken}\r\nContent-Type: application/json\r\n`;
  const messages: string[] = [
    'hello\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
    'GET /\r\n\r\n',
    `${head}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello`,
    `${head}Content-Length: -1\r\n\r\n`,
    `${head}Content-Length: 99\r\n\r\n{"cut":`,
    `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n`,
    `${head}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`,
    `${head}Bad Header\r\n\r\n`,
    `${head}X: ${'y'.repeat(70_000)}\r\n\r\n`,
    `${head}${'A: b\r\n'.repeat(5_000)}\r\n`,
    `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    `GET ${configMaps(ns)} HTTP/1.1\r\n\r\n`,
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\u0000\u0000\u0000',
  ];
  const all = Array.from({ length: 50 }, (_, n) => messages[n] ?? mangle(messages[roll(messages.length)] ?? '', roll));
  for (let n = 0; n < all.length; n += 10)
    await Promise.all(
      all.slice(n, n + 10).map(async (bytes) => {
        const answer = await raw(bytes);
        // Either silence and a closed connection, or an HTTP answer.
        if (answer !== '' && !answer.startsWith('\u0000'))
          assert.match(answer, /^HTTP\/1\.[01] \d{3}/, answer.slice(0, 200));
      }),
    );
});

test('after all of it the server works as before', async () => {
  const api = await admin();
  ok(await api.get(configMaps(ns)));
  ok(await api.create(configMaps(ns), configMap('still-works')), 201);
});
