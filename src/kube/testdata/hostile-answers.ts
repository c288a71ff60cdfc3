import type { ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

/** An answer no API server gives, as the bytes of HTTP/1.1 and as acts on an HTTP/2 stream. */
export interface Hostile {
  readonly name: string;
  readonly h2?: (stream: ServerHttp2Stream) => void;
  readonly h1?: (socket: Socket) => void;
}

const json = 'application/json';
const deep = 200_000;
const object = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}';
const list = `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[${object},${object}]}`;

/** Texts that are no answer, whatever was asked. */
const bodies: { readonly [name: string]: string | Buffer } = {
  nothing: '',
  'a blank': ' ',
  null: 'null',
  'a number': '17',
  'a text': '"items"',
  'a list': '[]',
  'a list of lists': '[[[[]]]]',
  true: 'true',
  'an empty object': '{}',
  'an open bracket': '{',
  'two open brackets': '{"items":[',
  'half an object': object.slice(0, 40),
  'half a list': list.slice(0, -70),
  'a list without its end': list.slice(0, -1),
  'a list without its brackets': list.slice(0, -2),
  'two objects': `${object}${object}`,
  'an object and more': `${object} trailing`,
  HTML: '<!doctype html><html><body>Sign in</body></html>',
  'an XML error': '<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>',
  YAML: 'apiVersion: v1\nkind: ConfigMap\n',
  protobuf: Buffer.from([0x6b, 0x38, 0x73, 0x00, 0x0a, 0x0f, 0x0a, 0x02, 0x76, 0x31]),
  'random bytes': Buffer.from(Array.from({ length: 4096 }, (_, at) => (at * 197 + 13) % 256)),
  'UTF-16': Buffer.from(object, 'utf16le'),
  'a byte order mark': `\ufeff[${object}]`,
  'broken UTF-8 outside a text': Buffer.concat([Buffer.from('{'), Buffer.from([0xff, 0xfe]), Buffer.from('}')]),
  'control characters in a text': '{"apiVersion":"v1\u0001"}',
  'single quotes': "{'kind':'ConfigMap'}",
  'a trailing comma': '{"kind":"ConfigMap",}',
  NaN: '{"kind":NaN}',
  'a wrong kind of kind': '{"apiVersion":1,"kind":2,"metadata":{}}',
  'metadata of a text': '{"apiVersion":"v1","kind":"ConfigMap","metadata":"x","items":"x"}',
  'metadata of a list': '{"apiVersion":"v1","kind":"ConfigMapList","metadata":[],"items":[]}',
  'null metadata': '{"apiVersion":"v1","kind":"ConfigMapList","metadata":null,"items":[]}',
  'items of an object': '{"apiVersion":"v1","kind":"ConfigMapList","items":{"a":1}}',
  'items of numbers': '{"apiVersion":"v1","kind":"ConfigMapList","items":[1,2]}',
  'items of texts': '{"apiVersion":"v1","kind":"ConfigMapList","items":["a"]}',
  'items of null': '{"apiVersion":"v1","kind":"ConfigMapList","items":[null]}',
  'items without metadata': '{"apiVersion":"v1","kind":"ConfigMapList","items":[{}]}',
  'items twice': '{"kind":"ConfigMapList","items":[],"items":[]}',
  'items without commas': `{"kind":"ConfigMapList","items":[${object}${object}]}`,
  'a failed Status with 200': '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"no","reason":"Forbidden","code":403}',
  'a Status of wrong types': '{"kind":"Status","status":5,"message":{},"reason":[],"code":"x","details":7}',
  'a list nested beyond measure': `${'['.repeat(deep)}${']'.repeat(deep)}`,
  'an object nested beyond measure': `${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}`,
  'items nested beyond measure': `{"kind":"ConfigMapList","metadata":{},"items":[{"metadata":{"a":${'['.repeat(deep)}${']'.repeat(deep)}}}]}`,
  'prototype keys': '{"__proto__":{"kind":"ConfigMap","apiVersion":"v1","metadata":{}},"constructor":{"items":[]}}',
  'a text of 9 MB': `{"kind":"${'x'.repeat(9 * 1024 * 1024)}"}`,
  'an item of 9 MB': `{"kind":"ConfigMapList","metadata":{},"items":[{"metadata":{},"x":"${'x'.repeat(9 * 1024 * 1024)}"}]}`,
  'a watch error': '{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired"}}\n',
  'a watch error without Status': '{"type":"ERROR","object":{}}\n',
  'an event of no type': `{"type":7,"object":${object}}\n`,
  'an event without object': '{"type":"ADDED"}\n',
  'a bookmark of nothing': '{"type":"BOOKMARK","object":{"metadata":{}}}\n',
};

const codes = [203, 206, 301, 302, 304, 308, 400, 401, 402, 403, 404, 406, 409, 410, 412, 413, 421, 422, 429, 451, 500, 502, 503, 504, 599];
const refusals: { readonly [name: string]: string } = {
  HTML: '<html><h1>proxy</h1></html>',
  'a strange Status': '{"kind":"Status","message":{"a":1},"reason":7,"code":-1,"details":{"causes":[null,7,{}],"retryAfterSeconds":"x"}}',
  'a Status that repeats our token': '{"kind":"Status","message":"token test-token is bad, Bearer test-token","reason":"test-token"}',
};

function plain(code: number, body: string | Buffer, headers: { [name: string]: string } = {}): Pick<Hostile, 'h1' | 'h2'> {
  const bytes = Buffer.from(body);
  return {
    h2: (stream) => {
      stream.respond({ ':status': code, 'content-type': json, ...headers });
      stream.end(bytes);
    },
    h1: (socket) => {
      const lines = Object.entries({ 'content-type': json, 'content-length': String(bytes.length), connection: 'close', ...headers });
      socket.write(`HTTP/1.1 ${code} X\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
      socket.end(bytes);
    },
  };
}

/** Writes a piece again and again until the other end has enough. */
function endless(write: (piece: Buffer) => boolean, onDrain: (go: () => void) => void, gone: () => boolean, piece: Buffer): void {
  const go = (): void => {
    while (!gone() && write(piece));
    if (!gone()) onDrain(go);
  };
  go();
}

function endlessBody(start: string, piece: string): Pick<Hostile, 'h1' | 'h2'> {
  const bytes = Buffer.from(piece.repeat(Math.ceil(65536 / piece.length)));
  return {
    h2: (stream) => {
      stream.respond({ ':status': 200, 'content-type': json });
      stream.write(start);
      endless((part) => stream.write(part), (go) => stream.once('drain', go), () => stream.destroyed, bytes);
    },
    h1: (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n${start}`);
      endless((part) => socket.write(part), (go) => socket.once('drain', go), () => socket.destroyed, bytes);
    },
  };
}

function slowly(text: string): Pick<Hostile, 'h1' | 'h2'> {
  const drip = (write: (part: string) => void, gone: () => boolean): void => {
    let at = 0;
    const timer = setInterval(() => {
      if (gone() || at >= text.length) clearInterval(timer);
      else write(text[at++] ?? '');
    }, 20);
  };
  return {
    h2: (stream) => {
      stream.respond({ ':status': 200 });
      drip((part) => stream.write(part), () => stream.destroyed);
    },
    h1: (socket) => drip((part) => socket.write(part), () => socket.destroyed),
  };
}

const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '));

/** Things that happen on the wire. */
const wires: readonly Hostile[] = [
  { name: 'no answer', h2: () => undefined, h1: () => undefined },
  { name: 'a closed connection', h2: (stream) => stream.session?.destroy(), h1: (socket) => socket.destroy() },
  { name: 'a reset before the answer', h2: (stream) => stream.close(2), h1: (socket) => socket.end('HTTP/1.1 200 OK', () => socket.destroy()) },
  { name: 'a cancelled stream', h2: (stream) => stream.close(8) },
  { name: 'a refused stream', h2: (stream) => stream.close(7) },
  { name: 'a stream that asks for calm', h2: (stream) => stream.close(11) },
  { name: 'a stream that wants HTTP/1.1', h2: (stream) => stream.close(13) },
  {
    name: 'a reset in the middle of the body',
    h2: (stream) => {
      stream.respond({ ':status': 200 });
      stream.write(list.slice(0, 60), () => stream.close(2));
    },
    h1: (socket) => socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n${list.slice(0, 60)}`, () => socket.destroy()),
  },
  {
    name: 'an end without error in the middle of the body',
    h2: (stream) => {
      stream.respond({ ':status': 200 });
      stream.write(list.slice(0, 60), () => stream.close(0));
    },
    h1: (socket) => socket.end(`HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n${list.slice(0, 60)}`),
  },
  {
    name: 'a GOAWAY in the middle of the body',
    h2: (stream) => {
      stream.respond({ ':status': 200 });
      stream.write(list.slice(0, 60), () => {
        stream.session?.goaway(2);
        stream.session?.destroy();
      });
    },
  },
  {
    name: 'a body longer than it says',
    h2: (stream) => {
      stream.respond({ ':status': 200, 'content-length': '5' });
      stream.end(list.slice(0, -3));
    },
    h1: (socket) => socket.end(`HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n${list}`),
  },
  { name: 'chunks that are none', h1: (socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nZZ\r\nxx') },
  { name: 'both kinds of length', h1: (socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-length: 3\r\n\r\n{}') },
  { name: 'no HTTP', h1: (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n') },
  { name: 'HTTP of the future', h1: (socket) => socket.end('HTTP/9.9 200 OK\r\n\r\n{}') },
  { name: 'a status that is no number', h1: (socket) => socket.end('HTTP/1.1 OK\r\n\r\n') },
  { name: 'an upgrade nobody asked for', h1: (socket) => socket.end('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n') },
  { name: 'hints without end', h1: (socket) => socket.write('HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n'.repeat(50)) },
  { name: 'a header of 1 MB', h1: (socket) => socket.end(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(1024 * 1024)}\r\n\r\n{}`) },
  {
    name: 'many headers',
    h2: (stream) => {
      stream.respond({ ':status': 200, ...Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`x-${at}`, 'y'.repeat(100)])) });
      stream.end('nothing');
    },
    h1: (socket) => socket.end(`HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(30_000)}\r\n{}`),
  },
  { name: 'a header that never ends', h1: (socket) => endless((part) => socket.write(part), (go) => socket.once('drain', go), () => socket.destroyed, Buffer.alloc(1024, 'a')) },
  { name: 'a slow answer', ...slowly(`HTTP/1.1 200 OK\r\n\r\n${list}`) },
  { name: 'blanks without end', ...endlessBody('', ' ') },
  { name: 'a text without end', ...endlessBody('{"kind":"', 'x') },
  { name: 'brackets without end', ...endlessBody('', '[') },
  { name: 'an item without end', ...endlessBody('{"kind":"ConfigMapList","items":[{"metadata":{},"x":"', 'x') },
  { name: 'metadata without end', ...endlessBody('{"kind":"ConfigMapList","metadata":{"x":[1', ',1') },
  { name: 'a watch line without end', ...endlessBody('{"type":"ADDED","object":{"metadata":{},"x":"', 'x') },
  { name: 'gzip that is none', ...plain(200, 'no gzip', { 'content-encoding': 'gzip' }) },
  { name: 'gzip cut off', ...plain(200, gzipSync(list).subarray(0, 50), { 'content-encoding': 'gzip' }) },
  { name: 'a gzip bomb', ...plain(200, bomb, { 'content-encoding': 'gzip' }) },
  { name: 'a gzip bomb in a refusal', ...plain(403, bomb, { 'content-encoding': 'gzip' }) },
  { name: 'an encoding nobody asked for', ...plain(200, list, { 'content-encoding': 'br' }) },
  { name: 'a time to wait of centuries', ...plain(429, 'busy', { 'retry-after': '999999999999' }) },
  { name: 'a time to wait that is none', ...plain(429, 'busy', { 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' }) },
];

/** All hostile answers. */
export const hostile: readonly Hostile[] = [
  ...Object.entries(bodies).map(([name, body]) => ({ name: `the body is ${name}`, ...plain(200, body) })),
  ...codes.flatMap((code) => Object.entries(refusals).map(([name, body]) => ({ name: `${code} with ${name}`, ...plain(code, body) }))),
  ...wires,
];
