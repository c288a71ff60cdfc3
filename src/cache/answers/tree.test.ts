import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../../core/objects/index.ts';
import { kind, settle } from '../testdata/scripted-door.ts';
import { kinds, openStage, type Stage, thing } from '../testdata/stage.ts';

const olm = { group: 'operators.coreos.com' };
const resources = [
  ...kinds,
  kind('Service'),
  kind('Endpoints'),
  kind('ServiceAccount'),
  kind('PersistentVolumeClaim'),
  kind('StatefulSet', { group: 'apps' }),
  kind('OperatorGroup', olm),
  kind('ClusterServiceVersion', olm),
];

const ofOperators = (object: KubeObject): KubeObject => ({ ...object, apiVersion: 'operators.coreos.com/v1' });

/** A stage whose kinds hold these objects. Only some are read at a time: those that are known make room for others. */
async function staged(...objects: readonly KubeObject[]): Promise<Stage> {
  const needsBody = ({ kind: name }: { kind: string }): boolean => ['Pod', 'Deployment', 'StatefulSet'].includes(name);
  const stage = await openStage({ resources, needsBody });
  for (const each of stage.door.played) each.list('1000', ...objects.filter((one) => one.kind === each.resource.kind));
  await stage.live('shop');
  await settle();
  stage.touched.length = 0;
  return stage;
}

/** `child <- parents`, by name. */
function shown({ cache }: Stage, instance = 'shop', hidden = ''): string[] {
  const permits = ({ kind: name }: { kind: string }): boolean => name !== hidden;
  return cache.tree(instance, permits).map(({ node, parents }) => {
    const text = `${node.key.kind} ${node.key.namespace}/${node.key.name}`;
    return parents.length === 0 ? text : `${text} <- ${parents.map(({ key }) => key.name).join(', ')}`;
  });
}

const withOwners = (object: KubeObject, ...owners: readonly KubeObject[]): KubeObject => {
  const ownerReferences = owners.map(({ apiVersion, kind: kindName, metadata }) => ({
    ...{ apiVersion, kind: kindName, name: metadata.name ?? '', uid: metadata.uid ?? '' },
  }));
  return { ...object, metadata: { ...object.metadata, ownerReferences } };
};

const withAnnotations = (object: KubeObject, annotations: { readonly [name: string]: string }): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, annotations },
});

const claims = (...names: readonly string[]): object => ({
  spec: { volumeClaimTemplates: names.map((name) => ({ metadata: { name } })) },
});

test('an object of two owners is there once with both, and wakes the Applications of both', async () => {
  const [one, two] = [thing('ConfigMap', 'a/one', { app: 'shop' }), thing('ConfigMap', 'a/two', { app: 'other' })];
  const pod = withOwners(thing('Pod', 'a/both'), one, two);
  const stage = await staged(one, two, pod);
  await stage.live('other');
  assert.deepEqual(shown(stage), ['ConfigMap a/one', 'Pod a/both <- one']);
  assert.deepEqual(shown(stage, 'other'), ['ConfigMap a/two', 'Pod a/both <- two']);
  const { sink } = stage.door.of('Pod');
  sink.upsert({
    ...pod,
    metadata: { ...pod.metadata, resourceVersion: '2000' },
    status: { health: 'Degraded' },
  });
  await settle();
  assert.deepEqual(stage.touched.toSorted(), ['other', 'shop']);
  // One of them is no longer named.
  sink.upsert({ ...withOwners(pod, two), metadata: { ...withOwners(pod, two).metadata, resourceVersion: '2001' } });
  assert.deepEqual(shown(stage), ['ConfigMap a/one']);
});

test('two owners of one Application are both its parents', async () => {
  const [one, two] = [thing('ConfigMap', 'a/one', { app: 'shop' }), thing('ConfigMap', 'a/two', { app: 'shop' })];
  const stage = await staged(one, two, withOwners(thing('Pod', 'a/both'), two, one));
  assert.deepEqual(shown(stage).at(-1), 'Pod a/both <- one, two');
});

test('Endpoints belong to the Service of their name, unless they name an owner', async () => {
  const service = thing('Service', 'a/web', { app: 'shop' });
  const foreign = thing('Endpoints', 'b/web');
  const stage = await staged(service, thing('Endpoints', 'a/web'), foreign, thing('Endpoints', 'a/web-2'));
  assert.deepEqual(shown(stage), ['Service a/web', 'Endpoints a/web <- web']);
  stage.door.of('Endpoints').sink.remove(thing('Endpoints', 'a/web'));
  await settle();
  assert.deepEqual(stage.touched, ['shop']);
  assert.deepEqual(shown(stage), ['Service a/web']);
  stage.door.of('Endpoints').sink.upsert(withOwners(thing('Endpoints', 'a/web', { life: 2 }), thing('Pod', 'a/x')));
  assert.deepEqual(shown(stage), ['Service a/web']);
});

test('a StatefulSet has the claims its templates made, those of its namespace and no others', async () => {
  const set = thing('StatefulSet', 'a/db', { app: 'shop', rest: claims('data', 'log') });
  const names = ['a/data-db-0', 'a/log-db-12', 'a/old-data-db-0', 'a/data-db-x', 'b/data-db-0', 'a/data-db2-0'];
  const stage = await staged(set, ...names.map((name) => thing('PersistentVolumeClaim', name)));
  assert.deepEqual(shown(stage).slice(1), [
    'PersistentVolumeClaim a/data-db-0 <- db',
    'PersistentVolumeClaim a/log-db-12 <- db',
  ]);
  stage.door.of('PersistentVolumeClaim').sink.upsert(thing('PersistentVolumeClaim', 'a/data-db-1'));
  await settle();
  assert.deepEqual(stage.touched, ['shop']);
  stage.door.of('StatefulSet').sink.upsert({
    ...set,
    metadata: { ...set.metadata, resourceVersion: '3000' },
    ...claims('log'),
  });
  assert.deepEqual(shown(stage).slice(1), ['PersistentVolumeClaim a/log-db-12 <- db']);
  stage.door.of('StatefulSet').sink.remove(set);
  assert.deepEqual(shown(stage), []);
});

test('the Secret of a token belongs to its account, told by metadata alone, and never to one of another namespace', async () => {
  const account = thing('ServiceAccount', 'a/robot', { app: 'shop' });
  const named = (name: string, uid: string): { [key: string]: string } => ({
    'kubernetes.io/service-account.name': name,
    'kubernetes.io/service-account.uid': uid,
  });
  const uid = account.metadata.uid ?? '';
  const stage = await staged(
    account,
    withAnnotations(thing('Secret', 'a/token'), named('robot', uid)),
    withAnnotations(thing('Secret', 'b/stolen'), named('robot', uid)),
    withAnnotations(thing('Secret', 'a/other'), { 'kubernetes.io/service-account.uid': uid }),
  );
  assert.deepEqual(shown(stage), ['ServiceAccount a/robot', 'Secret a/token <- robot']);
});

test('an operator belongs to the group it names', async () => {
  const group = ofOperators(thing('OperatorGroup', 'a/team', { app: 'shop' }));
  const operator = ofOperators(
    withAnnotations(thing('ClusterServiceVersion', 'a/op.v1'), { 'olm.operatorGroup': 'team' }),
  );
  const stage = await staged(group, operator);
  assert.deepEqual(shown(stage), ['OperatorGroup a/team', 'ClusterServiceVersion a/op.v1 <- team']);
});

test('an owner in another namespace is none: nothing hangs itself into a stranger’s tree or wakes it', async () => {
  const web = thing('Deployment', 'a/web', { app: 'shop' });
  const stage = await staged(web);
  stage.door.of('Pod').sink.upsert(withOwners(thing('Pod', 'b/leech'), web));
  const between = withOwners(thing('ReplicaSet', 'b/between'), web);
  stage.door.of('ReplicaSet').sink.upsert(between);
  stage.door.of('Pod').sink.upsert(withOwners(thing('Pod', 'b/second'), between));
  await settle();
  assert.deepEqual(shown(stage), ['Deployment a/web']);
  assert.deepEqual(stage.touched, []);
});

test('something cluster-scoped may own what is in namespaces, but nothing in a namespace owns it', async () => {
  const space = thing('Namespace', 'a', { app: 'shop' });
  const [map, other] = [withOwners(thing('ConfigMap', 'a/map'), space), thing('ConfigMap', 'b/mine', { app: 'other' })];
  const stage = await staged(space, map, other, withOwners(thing('Namespace', 'c'), other));
  assert.deepEqual(shown(stage), ['Namespace /a', 'ConfigMap a/map <- a']);
  assert.deepEqual(shown(stage, 'other'), ['ConfigMap b/mine']);
});

test('what is not permitted hides what is below it', async () => {
  const web = thing('Deployment', 'a/web', { app: 'shop' });
  const set = withOwners(thing('ReplicaSet', 'a/web-1'), web);
  const stage = await staged(web, set, withOwners(thing('Pod', 'a/web-1-x'), set));
  assert.equal(shown(stage).length, 3);
  assert.deepEqual(shown(stage, 'shop', 'ReplicaSet'), ['Deployment a/web']);
});

test('rings of several owners, an owner of itself and a thousand owners neither hang nor fill memory', async () => {
  const names = Array.from({ length: 40 }, (_, n) => thing('ReplicaSet', `a/r${n}`, n === 0 ? { app: 'shop' } : {}));
  const ring = names.map((each, n) => withOwners(each, ...names.filter((_, m) => m !== n + 1), each));
  const many = Array.from({ length: 1_000 }, (_, n) => thing('ReplicaSet', `a/not-there-${n}`));
  const stage = await staged(...ring, withOwners(thing('Pod', 'a/greedy'), ...many));
  assert.equal(shown(stage).length, 40);
  const pod = withOwners(thing('Pod', 'a/leaf', { health: 'Degraded' }), ...ring.slice(1));
  stage.door.of('Pod').sink.upsert(pod);
  await settle();
  assert.deepEqual(stage.touched, ['shop']);
  for (const each of ring) stage.door.of('ReplicaSet').sink.remove(each);
  stage.door.of('Pod').sink.remove(pod);
  stage.door.of('Pod').sink.remove(thing('Pod', 'a/greedy'));
  assert.equal(stage.cache.stats().objects, 0);
  assert.deepEqual(shown(stage), []);
});
