import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import type { KubeObject } from '../../core/objects/index.ts';
import { asObject } from '../verbs/read.ts';
import { decodeEvent } from '../watch/decode.ts';
import { decodeList } from './decode.ts';

const resource = { group: 'x.io', version: 'v1', kind: 'Gear', plural: 'gears', namespaced: true, verbs: [] };
const text = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const gear = (name: string, levels: number): string =>
  `{"apiVersion":"x.io/v1","kind":"Gear","metadata":{"name":"${name}","managedFields":[{"manager":"m","fieldsV1":${text(levels)}}]},"spec":${text(levels)},"status":{"ok":true}}`;
const told = 'nested more than 500 levels deep';

/** As an API server would answer them: in a list, as events of a watch, and one by one. */
async function read(
  ...items: readonly string[]
): Promise<{ listed: KubeObject[]; watched: KubeObject[]; got: KubeObject[] }> {
  const listed: KubeObject[] = [];
  const list = `{"kind":"GearList","apiVersion":"x.io/v1","metadata":{"resourceVersion":"1"},"items":[${items.join(',')}]}`;
  const keepFieldsOf = 'm';
  await decodeList(Readable.from([Buffer.from(list)]), {
    ...{ subject: 'list gears', resource, metadataOnly: false, keepFieldsOf },
    onItem: (item) => void listed.push(item),
  });
  const watched = items.map((item) => {
    const line = Buffer.from(`{"type":"ADDED","object":${item}}`);
    const context = { subject: 'watch gears', resource, metadataOnly: false, secrets: [], keepFieldsOf };
    const event = decodeEvent(line, 0, line.length, context);
    assert.ok(event.type === 'ADDED');
    return event.object;
  });
  return { listed, watched, got: items.map((item) => asObject(JSON.parse(item), 'get gears', [])) };
}

test('an object nested ten thousand levels deep is one object without that field, however it is read', async () => {
  const { listed, watched, got } = await read(gear('fine', 2), gear('deep', 9_000), gear('too', 2));
  const rest = { apiVersion: 'x.io/v1', kind: 'Gear', spec: told, status: { ok: true } };
  assert.deepEqual(got[1], { ...rest, metadata: { name: 'deep' } });
  const deep = { ...rest, metadata: { name: 'deep', managedFields: [] } };
  for (const found of [listed, watched]) {
    assert.deepEqual(
      found.map(({ metadata }) => metadata.name),
      ['fine', 'deep', 'too'],
    );
    assert.deepEqual(found[1], deep);
  }
});

test('an object as deep as a definition of a kind is read as it is', async () => {
  const { listed, watched } = await read(gear('fine', 300));
  assert.deepEqual(listed, watched);
  assert.equal(JSON.stringify(listed[0]?.['spec']), text(300));
});
