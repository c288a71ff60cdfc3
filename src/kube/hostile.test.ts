import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isArgosyError } from '../core/errors/index.ts';
import { type Hostile, hostile } from './testdata/hostile-answers.ts';
import { configMap, configMaps, type Scripted, startRaw, startScripted } from './testdata/scripted-server.ts';
import type { Connection } from './types.ts';

const deadlineMs = 300;
const calls: { readonly [name: string]: (connection: Connection) => Promise<unknown> } = {
  get: (connection) => connection.get(configMaps, 'default', 'a', { deadlineMs }),
  list: (connection) => connection.list(configMaps, { deadlineMs }, () => undefined),
  watch: (connection) =>
    connection.watch(configMaps, { resourceVersion: '1', silenceMs: deadlineMs, deadlineMs }, () => undefined),
  discover: (connection) => connection.discover({ deadlineMs }),
  apply: (connection) => connection.apply(configMaps, configMap('a'), { fieldManager: 'x', deadlineMs }),
  delete: (connection) => connection.delete(configMaps, 'default', 'a', { deadlineMs }),
};

/** What is no attack on the verb: an ended watch says nothing wrong, text is what these verbs may answer. */
const harmless: readonly (readonly [verb: string, name: RegExp])[] = [
  ['watch', /the body is (nothing|a list|a number|null|true|a text|two objects|a blank)$/],
];

let servers: { readonly h2: Scripted; readonly h1: Scripted };
before(async () => {
  const pick = (path: string | undefined): Hostile =>
    hostile[Number(/^\/(\d+)\//.exec(path ?? '')?.[1])] ?? { name: 'none' };
  const h2 = await startScripted(() => undefined, {
    server: (made) =>
      made.on('stream', (stream, headers) => {
        stream.on('error', () => undefined);
        try {
          pick(headers[':path'])?.h2?.(stream);
        } catch {
          stream.destroy(); // Node's server refuses to send some of this; that is an answer too
        }
      }),
  });
  const h1 = await startRaw('http/1.1', (socket) => {
    let head = '';
    socket.on('data', (chunk) => {
      if (head.includes('\r\n')) return;
      head += chunk.toString('latin1');
      if (head.includes('\r\n')) pick(head.split(' ')[1])?.h1?.(socket);
    });
  });
  servers = { h2, h1 };
});
after(async () => {
  await servers.h2.close();
  await servers.h1.close();
});

interface Outcome {
  readonly name: string;
  readonly wrong: string;
}

async function attack(protocol: 'h1' | 'h2', index: number, verb: string): Promise<Outcome | undefined> {
  const server = servers[protocol];
  const name = `${verb} over ${protocol}: ${hostile[index]?.name}`;
  const connection = server.connect({ connectMs: 5_000 }, { server: `${server.config.server}/${index}` });
  try {
    const result = await calls[verb]?.(connection);
    return { name, wrong: `it was taken for an answer: ${JSON.stringify(result)}` };
  } catch (error) {
    if (!isArgosyError(error)) return { name, wrong: `a foreign error: ${String(error)}` };
    if (error.code === 'internal' || error.message.length > 4096)
      return { name, wrong: `${error.code} ${error.message.slice(0, 200)}` };
    if (`${error.stack}${JSON.stringify(error)}`.includes('test-token')) return { name, wrong: 'it repeats the token' };
    return undefined;
  } finally {
    await connection.close();
  }
}

/** A refusal is translated before the verb is looked at: three verbs stand for all. */
const refusedVerbs = new Set(['get', 'list', 'watch']);

const attacks = hostile.flatMap((one, index) =>
  (['h2', 'h1'] as const)
    .filter((protocol) => one[protocol] !== undefined)
    .flatMap((protocol) =>
      Object.keys(calls)
        .filter((verb) => !/^\d/.test(one.name) || refusedVerbs.has(verb))
        .filter((verb) => !harmless.some(([safe, name]) => safe === verb && name.test(one.name)))
        .map((verb) => ({ protocol, index, verb })),
    ),
);

test(`each of ${attacks.length} hostile answers is one of our errors, before the deadline, in bounded memory`, async () => {
  assert.ok(attacks.length >= 500);
  const queue = [...attacks];
  const wrong: Outcome[] = [];
  let peak = 0;
  const base = process.memoryUsage().rss;
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const outcome = await attack(next.protocol, next.index, next.verb);
      if (outcome !== undefined) wrong.push(outcome);
      peak = Math.max(peak, process.memoryUsage().rss - base);
    }
  };
  await Promise.all(Array.from({ length: 32 }, worker));
  assert.deepEqual(wrong, []);
  // 32 at a time, each within a few times the largest object, and the scripted server lives in the same process.
  assert.ok(peak < 512 * 1024 * 1024, `${Math.round(peak / 2 ** 20)} MiB`);
});

const frame = (type: number, flags: number, stream: number, payload: Buffer, length = payload.length): Buffer => {
  const head = Buffer.alloc(9);
  head.writeUIntBE(length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
};
const settings = frame(4, 0, 0, Buffer.alloc(0));

/** Bytes on a connection that promised HTTP/2. */
const frames: { readonly [name: string]: Buffer } = {
  'an answer of HTTP/1.1': Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'),
  'random bytes': Buffer.from(Array.from({ length: 4096 }, (_, at) => (at * 89 + 7) % 256)),
  'a frame longer than permitted': Buffer.concat([settings, frame(0, 0, 1, Buffer.alloc(16), 16_000_000)]),
  'data for a stream that is not open': Buffer.concat([settings, frame(0, 0, 77, Buffer.from('x'))]),
  'headers that are no HPACK': Buffer.concat([settings, frame(1, 4, 1, Buffer.alloc(64, 0xff))]),
  'headers that never end': Buffer.concat([
    settings,
    frame(1, 0, 1, Buffer.from([0x88])),
    frame(9, 0, 1, Buffer.alloc(8, 0x88)),
  ]),
  'a pushed stream': Buffer.concat([settings, frame(5, 4, 1, Buffer.from([0, 0, 0, 2, 0x88]))]),
  'settings of nonsense': frame(4, 0, 0, Buffer.from([0, 4, 0xff, 0xff, 0xff, 0xff])),
  'a flood of settings': Buffer.concat(Array.from({ length: 20_000 }, () => settings)),
  'a flood of pings': Buffer.concat([
    settings,
    ...Array.from({ length: 20_000 }, () => frame(6, 0, 0, Buffer.alloc(8))),
  ]),
  'a window beyond measure': Buffer.concat([settings, frame(8, 0, 0, Buffer.from([0x7f, 0xff, 0xff, 0xff]))]),
  'a GOAWAY at once': Buffer.concat([settings, frame(7, 0, 0, Buffer.alloc(8))]),
  'frames of no known type': Buffer.concat([
    settings,
    ...Array.from({ length: 100 }, () => frame(200, 0, 1, Buffer.alloc(100))),
  ]),
};
for (const [name, bytes] of Object.entries(frames))
  test(`a connection that brings ${name} is one of our errors`, async () => {
    const raw = await startRaw('h2', (socket) => {
      socket.on('data', () => undefined);
      socket.write(bytes);
    });
    const connection = raw.connect();
    for (const verb of ['get', 'list', 'watch', 'apply'])
      await assert.rejects(
        async () => calls[verb]?.(connection),
        (error) => isArgosyError(error) && error.code !== 'internal',
      );
    await raw.close();
  });
