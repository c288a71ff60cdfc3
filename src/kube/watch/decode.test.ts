import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isArgosyError } from '../../core/errors/index.ts';
import { configMap, configMaps } from '../testdata/scripted-server.ts';
import { decodeEvent, type EventContext } from './decode.ts';
import { LineSplitter } from './lines.ts';

const context: EventContext = {
  subject: 'watch',
  resource: configMaps,
  metadataOnly: false,
  secrets: ['s3cret-token'],
};
const decode = (event: unknown, change: Partial<EventContext> = {}) => {
  const bytes = Buffer.from(JSON.stringify(event));
  return decodeEvent(bytes, 0, bytes.length, { ...context, ...change });
};

test('reads changes and bookmarks', () => {
  assert.deepEqual(decode({ type: 'ADDED', object: configMap('a') }), { type: 'ADDED', object: configMap('a') });
  const bookmark = {
    kind: 'ConfigMap',
    metadata: { resourceVersion: '7', annotations: { 'k8s.io/initial-events-end': 'true' } },
  };
  assert.deepEqual(decode({ type: 'BOOKMARK', object: bookmark }), {
    type: 'BOOKMARK',
    resourceVersion: '7',
    initialEventsEnd: true,
  });
});

test('gives metadata-only events the kind they describe', () => {
  const object = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata: { name: 'a' } };
  const event = decode({ type: 'MODIFIED', object }, { metadataOnly: true });
  assert.deepEqual(event, {
    type: 'MODIFIED',
    object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } },
  });
});

test('an ERROR event throws what its Status says, without secrets', () => {
  const gone = {
    type: 'ERROR',
    object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old s3cret-token' },
  };
  assert.throws(
    () => decode(gone),
    (error) =>
      isArgosyError(error) && error.code === 'kube-gone' && error.status === 410 && !error.message.includes('s3cret'),
  );
});

test('no line is passed over: what is no event throws', () => {
  for (const line of [
    1,
    null,
    [],
    {},
    { type: 'ADDED' },
    { type: 'ADDED', object: {} },
    { type: 'X', object: configMap('a') },
    { type: 'BOOKMARK', object: { metadata: {} } },
  ])
    assert.throws(
      () => decode(line),
      (error) => isArgosyError(error) && error.code === 'kube-malformed',
      JSON.stringify(line),
    );
});

test('lines come out whole at any chunk borders', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'grapheme', maxLength: 30 })),
      fc.integer({ min: 1, max: 17 }),
      (texts, size) => {
        const wanted = texts.map((text) => text.replaceAll('\n', ' ')).filter((text) => text !== '');
        const bytes = Buffer.from(wanted.map((text) => `${text}\n`).join(''));
        const got: string[] = [];
        const lines = new LineSplitter('watch', (b, start, end) => got.push(b.toString('utf8', start, end)), 10_000);
        for (let at = 0; at < bytes.length; at += size) lines.push(bytes.subarray(at, at + size));
        assert.deepEqual(got, wanted);
        assert.equal(lines.unfinished, false);
      },
    ),
  );
});

test('a line without end is refused before it is held whole', () => {
  const lines = new LineSplitter('watch', () => undefined, 1000);
  assert.throws(
    () => {
      for (let turn = 0; turn < 100; turn++) lines.push(Buffer.alloc(100, 'x'));
    },
    (error) => isArgosyError(error) && error.code === 'kube-malformed',
  );
});
