import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../core/objects/index.ts';
import { settle } from './testdata/scripted-door.ts';
import { openStage, type Stage, thing } from './testdata/stage.ts';

const web = thing('Deployment', 'a/web', { app: 'shop', health: 'Progressing', rest: { spec: { n: 1 } } });
const set = thing('ReplicaSet', 'a/web-1', { owner: web });
const pod = thing('Pod', 'a/web-1-x', { owner: set, health: 'Progressing' });

/** A managed Deployment with what it owns, in lists that are whole; the Application has looked. */
async function shop(): Promise<Stage> {
  const stage = await openStage();
  for (const { resource } of stage.door.played) {
    const objects = [web, set, pod].filter(({ kind }) => kind === resource.kind);
    stage.door.of(resource.kind).list('200', ...objects);
  }
  await stage.live('shop');
  await settle();
  stage.touched.length = 0;
  return stage;
}

const later = (object: KubeObject, change: object, version: number): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion: String(version), ...(change as { metadata?: object }).metadata },
  ...('metadata' in change ? {} : change),
});

const cases: readonly (readonly [string, string, (stage: Stage) => void, readonly string[]])[] = [
  [
    'a new specification',
    'Deployment',
    ({ door }) => door.of('Deployment').sink.upsert(later(web, { spec: { n: 2 } }, 300)),
    ['shop'],
  ],
  [
    'another health',
    'Deployment',
    ({ door }) => door.of('Deployment').sink.upsert(later(web, { status: { health: 'Healthy' } }, 300)),
    ['shop'],
  ],
  [
    'a status with the same health',
    'Deployment',
    ({ door }) => door.of('Deployment').sink.upsert(later(web, { status: { health: 'Progressing', seen: 2 } }, 300)),
    [],
  ],
  ['the same version again', 'Deployment', ({ door }) => door.of('Deployment').sink.upsert(web), []],
  [
    'an older version',
    'Deployment',
    ({ door }) => door.of('Deployment').sink.upsert(later(web, { spec: { n: 9 } }, 1)),
    [],
  ],
  ['a bookmark', 'Deployment', ({ door }) => door.of('Deployment').sink.complete('301'), []],
  ['its removal', 'Deployment', ({ door }) => door.of('Deployment').sink.remove(web), ['shop']],
  [
    'the health of a pod it owns two steps down',
    'Pod',
    ({ door }) => door.of('Pod').sink.upsert(later(pod, { status: { health: 'Degraded' } }, 300)),
    ['shop'],
  ],
  [
    'a status of that pod with the same health',
    'Pod',
    ({ door }) => door.of('Pod').sink.upsert(later(pod, { status: { health: 'Progressing', restarts: 7 } }, 300)),
    [],
  ],
  ['the end of that pod', 'Pod', ({ door }) => door.of('Pod').sink.remove(pod), ['shop']],
  ['a new pod', 'Pod', ({ door }) => door.of('Pod').sink.upsert(thing('Pod', 'a/web-1-y', { owner: set })), ['shop']],
  ["a stranger's pod", 'Pod', ({ door }) => door.of('Pod').sink.upsert(thing('Pod', 'a/other')), []],
  [
    'a mark that goes to another Application',
    'Deployment',
    ({ door }) => door.of('Deployment').sink.upsert(later(web, { metadata: { labels: { app: 'other' } } }, 300)),
    ['shop'],
  ],
  ['a list without it', 'Deployment', ({ door }) => door.of('Deployment').list('400'), ['shop']],
  ['a list that says the same', 'Deployment', ({ door }) => door.of('Deployment').list('400', web), []],
  [
    'a change and a change back in one bunch',
    'Deployment',
    ({ door }) => {
      door.of('Deployment').sink.upsert(later(web, { spec: { n: 2 } }, 300));
      door.of('Deployment').sink.upsert(later(web, {}, 301));
    },
    ['shop'],
  ],
  ['its own write', 'Deployment', ({ cache }) => cache.observe(later(web, { spec: { n: 2 } }, 300), 'shop'), []],
  [
    'the echo of its own write',
    'Deployment',
    ({ cache, door }) => {
      cache.observe(later(web, { spec: { n: 2 } }, 300), 'shop');
      door.of('Deployment').sink.upsert(later(web, { spec: { n: 2 } }, 300));
    },
    [],
  ],
  [
    'its own delete, and its echo',
    'Deployment',
    ({ cache, door }) => {
      cache.observeGone({ group: 'apps', kind: 'Deployment', namespace: 'a', name: 'web' });
      door.of('Deployment').sink.upsert(later(web, { spec: { n: 3 } }, 299));
      door.of('Deployment').sink.remove(web);
    },
    [],
  ],
];
for (const [what, , act, expected] of cases)
  test(`${what} wakes ${expected.length === 0 ? 'nobody' : expected.join(' and ')}`, async () => {
    const stage = await shop();
    act(stage);
    await settle();
    assert.deepEqual(stage.touched, expected);
  });

test('a kind that is read by metadata only shows a change of its body by generation, or by version without one', async () => {
  const stage = await openStage();
  const map = thing('ConfigMap', 'a/map', { app: 'shop' });
  const counted = thing('Namespace', 'a', { app: 'shop' });
  const at = (object: KubeObject, version: number, generation?: number): KubeObject =>
    later(object, { metadata: { ...(generation === undefined ? {} : { generation }) } }, version);
  stage.door.of('ConfigMap').list('200', map);
  stage.door.of('Namespace').list('200', at(counted, 150, 1));
  await stage.live('shop');
  await settle();
  stage.touched.length = 0;
  stage.door.of('ConfigMap').sink.upsert(at(map, 300));
  await settle();
  stage.door.of('Namespace').sink.upsert(at(counted, 300, 1));
  await settle();
  assert.deepEqual(stage.touched, ['shop']);
  stage.door.of('Namespace').sink.upsert(at(counted, 301, 2));
  await settle();
  assert.deepEqual(stage.touched, ['shop', 'shop']);
});

test('who never asked is not told', async () => {
  const stage = await openStage();
  stage.door.of('Deployment').list('200', web);
  stage.door.of('Deployment').sink.remove(web);
  await settle();
  assert.deepEqual(stage.touched, []);
});

test('the echo of an own write that comes before its answer touches nobody', async () => {
  const stage = await shop();
  const written = later(web, { spec: { n: 2 } }, 300);
  const answer = await stage.cache.writing('shop', async () => {
    stage.door.of('Deployment').sink.upsert(written);
    await settle();
    return written;
  });
  await settle();
  assert.equal(answer, written);
  assert.deepEqual(stage.touched, []);
});

test('what others do while a write is under way is told after it', async () => {
  const stage = await shop();
  const written = later(web, { spec: { n: 2 } }, 300);
  await stage.cache.writing('shop', async () => {
    stage.door.of('Deployment').sink.upsert(written);
    stage.door.of('Pod').sink.upsert(later(pod, { status: { health: 'Degraded' } }, 301));
    await settle();
    assert.deepEqual(stage.touched, []);
    return written;
  });
  await settle();
  assert.deepEqual(stage.touched, ['shop']);
  await stage.cache.writing('shop', async () => {
    stage.door.of('Deployment').sink.upsert(later(web, { spec: { n: 3 } }, 302));
    return later(web, { spec: { n: 4 } }, 303);
  });
  await settle();
  assert.deepEqual(stage.touched, ['shop', 'shop']);
});

test('a write without an answer hides nothing, and of several at once the last one tells', async () => {
  const stage = await shop();
  const failing = stage.cache.writing('shop', async () => {
    stage.door.of('Deployment').sink.upsert(later(web, { spec: { n: 2 } }, 300));
    throw new Error('no answer');
  });
  await assert.rejects(failing);
  await settle();
  assert.deepEqual(stage.touched, ['shop']);
  let end = (): void => undefined;
  const written = later(web, { spec: { n: 3 } }, 400);
  const other = thing('ConfigMap', 'a/settings', { app: 'shop' });
  const first = stage.cache.writing('shop', async () => {
    await new Promise<void>((resolve) => (end = resolve));
    return written;
  });
  await stage.cache.writing('shop', async () => {
    stage.door.of('Deployment').sink.upsert(written);
    return other;
  });
  await settle();
  end();
  await first;
  await settle();
  assert.deepEqual(stage.touched, ['shop']);
});
