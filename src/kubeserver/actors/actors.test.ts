import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { embeddedInside } from '../../../test/support/embedded-inside.ts';
import type { JsonObject, MutableJsonObject } from '../../core/json/index.ts';
import { stringAt } from '../../core/json/index.ts';
import { asJson, type KubeObject } from '../../core/objects/index.ts';
import { createAccess, generateTokenKey } from '../access/index.ts';
import type { Inside } from '../ports.ts';
import { podLogs, standardActors } from './index.ts';
import { isTrue, specOf, statusOf } from './objects.ts';

const stops: (() => unknown)[] = [];
after(async () => {
  for (const stop of stops) await stop();
});

const tokenKey = generateTokenKey();

async function cluster(off: string[] = []): Promise<Inside & { access: ReturnType<typeof createAccess> }> {
  const inside = await embeddedInside();
  const access = createAccess({ inside, tokenKey, staticTokens: [] });
  const actors = standardActors({ tokens: access.tokens, caCertificate: 'CA', off, podDelay: 1 });
  for (const actor of actors) {
    const running = actor.start(inside);
    stops.push(() => running.stop());
  }
  await until('accounts', () => inside.get('', 'ServiceAccount', 'default', 'default'));
  return Object.assign(inside, { access });
}

/** Waits until something holds; the deadline is far beyond what it takes. */
async function until<T>(what: string, read: () => T | undefined | false): Promise<T> {
  for (const deadline = Date.now() + 15_000; Date.now() < deadline; await sleep(5)) {
    const found = read();
    if (found !== undefined && found !== false) return found;
  }
  return assert.fail(`in vain: ${what}`);
}

const template = (image = 'web:1', more: JsonObject = {}): JsonObject => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'c', image }], ...more },
});

function make(inside: Inside, apiVersion: string, kind: string, name: string, rest: object): Promise<KubeObject> {
  return inside.create({ apiVersion, kind, metadata: { name, namespace: 'default' }, ...rest });
}

const selector = { matchLabels: { app: 'web' } };
const deployment = (inside: Inside, spec: object = {}): Promise<KubeObject> =>
  make(inside, 'apps/v1', 'Deployment', 'web', { spec: { replicas: 3, selector, template: template(), ...spec } });

/** Changes the image of a workload's containers, as `kubectl set image` does. */
function setImage(inside: Inside, kind: string, name: string, image: string): Promise<unknown> {
  return inside.update('apps', kind, 'default', name, (current) => {
    const text = JSON.stringify(current).replaceAll(/"image":"[^"]*"/g, `"image":"${image}"`);
    return JSON.parse(text) as MutableJsonObject; // it was one before
  });
}

function reason(object: KubeObject, type: string): string | undefined {
  const conditions = statusOf(object)['conditions'] as readonly JsonObject[] | undefined;
  return stringAt(conditions?.find((condition) => condition['type'] === type) ?? {}, 'reason');
}

const rolledOut = (inside: Inside, generation = 1): KubeObject | undefined => {
  const found = inside.get('apps', 'Deployment', 'default', 'web');
  const status = found === undefined ? {} : statusOf(found);
  const done = found !== undefined && reason(found, 'Progressing') === 'NewReplicaSetAvailable';
  return done && Number(status['observedGeneration']) >= generation ? found : undefined;
};

test('a Deployment becomes available through a ReplicaSet and pods', async () => {
  const inside = await cluster();
  await deployment(inside);
  const done = await until('rolled out', () => rolledOut(inside));
  const { conditions: _conditions, ...status } = statusOf(done);
  assert.deepEqual(status, {
    observedGeneration: 1,
    replicas: 3,
    updatedReplicas: 3,
    readyReplicas: 3,
    availableReplicas: 3,
    terminatingReplicas: 0,
  });
  assert.equal(reason(done, 'Available'), 'MinimumReplicasAvailable');
  assert.equal(done.metadata.annotations?.['deployment.kubernetes.io/revision'], '1');
  const [set, ...others] = inside.list('apps', 'ReplicaSet', 'default');
  assert.equal(others.length, 0);
  assert.match(set?.metadata.name ?? '', /^web-[a-z0-9]{10}$/);
  assert.equal(inside.list('', 'Pod', 'default').filter((pod) => isTrue(pod, 'Ready')).length, 3);
});

test('a new image rolls through without losing availability, and back again to the old ReplicaSet', async () => {
  const inside = await cluster();
  await deployment(inside);
  await until('rolled out', () => rolledOut(inside));
  let least = 3;
  const watch = inside.watch('', 'Pod', () => {
    least = Math.min(least, inside.list('', 'Pod', 'default').filter((pod) => isTrue(pod, 'Ready')).length);
  });
  await setImage(inside, 'Deployment', 'web', 'web:2');
  const second = await until('rolled out again', () => rolledOut(inside, 2));
  watch.stop();
  assert.ok(least >= 3, `fell to ${least}`);
  assert.equal(second.metadata.annotations?.['deployment.kubernetes.io/revision'], '2');
  const images = inside.list('', 'Pod', 'default').map((pod) => JSON.stringify(specOf(pod)['containers']));
  assert.deepEqual(
    images.map((text) => text.includes('web:2')),
    [true, true, true],
  );
  await setImage(inside, 'Deployment', 'web', 'web:1');
  const third = await until('rolled back', () => rolledOut(inside, 3));
  assert.equal(third.metadata.annotations?.['deployment.kubernetes.io/revision'], '3');
  assert.equal(inside.list('apps', 'ReplicaSet', 'default').length, 2);
});

test('an image that cannot be pulled leaves a Deployment unavailable and says why', async () => {
  const inside = await cluster();
  await deployment(inside, { template: template('web:broken'), progressDeadlineSeconds: 1 });
  const failed = await until('deadline', () => {
    const found = inside.get('apps', 'Deployment', 'default', 'web');
    return found !== undefined && reason(found, 'Progressing') === 'ProgressDeadlineExceeded' ? found : undefined;
  });
  assert.equal(reason(failed, 'Available'), 'MinimumReplicasUnavailable');
  const [pod] = inside.list('', 'Pod', 'default');
  assert.match(JSON.stringify(pod === undefined ? {} : statusOf(pod)), /ImagePullBackOff/);
});

test('a StatefulSet starts its pods in order, each with its claim', async () => {
  const inside = await cluster();
  const order: string[] = [];
  inside.watch('', 'Pod', ({ type, object }) => {
    if (type === 'ADDED') order.push(object.metadata.name ?? '');
  });
  const claim = {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };
  await make(inside, 'apps/v1', 'StatefulSet', 'db', {
    spec: { replicas: 3, serviceName: 'db', selector, template: template(), volumeClaimTemplates: [claim] },
  });
  const done = await until('ready', () => {
    const found = inside.get('apps', 'StatefulSet', 'default', 'db');
    return found !== undefined && statusOf(found)['readyReplicas'] === 3 ? found : undefined;
  });
  assert.deepEqual(order, ['db-0', 'db-1', 'db-2']);
  assert.equal(statusOf(done)['currentRevision'], statusOf(done)['updateRevision']);
  const claims = inside.list('', 'PersistentVolumeClaim', 'default');
  assert.deepEqual(
    claims.map(({ metadata }) => metadata.name),
    ['data-db-0', 'data-db-1', 'data-db-2'],
  );
  await until('bound', () =>
    inside.list('', 'PersistentVolumeClaim', 'default').every((item) => statusOf(item)['phase'] === 'Bound'),
  );
  await setImage(inside, 'StatefulSet', 'db', 'web:2');
  await until('renewed', () => {
    const found = inside.get('apps', 'StatefulSet', 'default', 'db');
    const status = found === undefined ? {} : statusOf(found);
    return (
      status['updatedReplicas'] === 3 &&
      status['readyReplicas'] === 3 &&
      status['currentRevision'] === status['updateRevision']
    );
  });
});

test('a DaemonSet has one pod on the one node', async () => {
  const inside = await cluster();
  await make(inside, 'apps/v1', 'DaemonSet', 'agent', { spec: { selector, template: template() } });
  await until('ready', () => {
    const found = inside.get('apps', 'DaemonSet', 'default', 'agent');
    return found !== undefined && statusOf(found)['numberReady'] === 1;
  });
  assert.equal(specOf(inside.list('', 'Pod', 'default')[0] ?? assert.fail())['nodeName'], 'argosy-node');
});

const task = (command: string[], more: JsonObject = {}): JsonObject => ({
  spec: { ...more, template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'x', command }] } } },
});

test('a Job completes, or fails after its retries, as its command says', async () => {
  const inside = await cluster();
  await make(inside, 'batch/v1', 'Job', 'good', task(['echo', 'hello'], { completions: 2 }));
  await make(inside, 'batch/v1', 'Job', 'bad', task(['sh', '-c', 'exit 3'], { backoffLimit: 1 }));
  const ended = (name: string): KubeObject | undefined => {
    const job = inside.get('batch', 'Job', 'default', name);
    return job !== undefined && (isTrue(job, 'Complete') || isTrue(job, 'Failed')) ? job : undefined;
  };
  const good = await until('complete', () => ended('good'));
  assert.deepEqual([reason(good, 'Complete'), statusOf(good)['succeeded']], ['CompletionsReached', 2]);
  const bad = await until('failed', () => ended('bad'));
  assert.deepEqual([reason(bad, 'Failed'), statusOf(bad)['failed']], ['BackoffLimitExceeded', 2]);
  const pods = inside.list('', 'Pod', 'default').filter((pod) => (pod.metadata.name ?? '').startsWith('bad-'));
  assert.deepEqual(
    pods.map((pod) => statusOf(pod)['phase']),
    ['Failed', 'Failed'],
  );
});

test('a container writes what its command echoes', async () => {
  const inside = await cluster();
  const containers = [{ name: 'c', image: 'x', command: ['sh', '-c', 'echo one; echo "two words" && exit 0'] }];
  await make(inside, 'v1', 'Pod', 'p', { spec: { restartPolicy: 'Never', containers } });
  const lines: string[] = [];
  const options = { namespace: 'default', pod: 'p', container: '', follow: true };
  for await (const line of podLogs(inside, options)) lines.push(line);
  assert.deepEqual(lines, ['one\n', 'two words\n']);
  await assert.rejects(podLogs(inside, { ...options, container: 'x' }).next(), {
    message: 'container x is not valid for pod p',
  });
});

async function family(inside: Inside, block = true): Promise<KubeObject> {
  const parent = await make(inside, 'v1', 'ConfigMap', 'parent', {});
  const owner = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: 'parent',
    uid: parent.metadata.uid ?? '',
    blockOwnerDeletion: block,
  };
  const metadata = { name: 'child', namespace: 'default', ownerReferences: [owner] };
  await inside.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
  return parent;
}

const there = (inside: Inside, name: string): boolean => inside.get('', 'ConfigMap', 'default', name) !== undefined;

test('dependents go with their owner in the background', async () => {
  const inside = await cluster();
  await family(inside);
  await inside.delete('', 'ConfigMap', 'default', 'parent', { propagation: 'Background' });
  await until('collected', () => !there(inside, 'child'));
});

test('in the foreground the owner waits for those that block it', async () => {
  const inside = await cluster();
  await family(inside);
  await inside.update('', 'ConfigMap', 'default', 'child', (child) => {
    return { ...child, metadata: { ...(child['metadata'] as MutableJsonObject), finalizers: ['x.io/hold'] } };
  });
  await inside.delete('', 'ConfigMap', 'default', 'parent', { propagation: 'Foreground' });
  await until('child marked', () => inside.get('', 'ConfigMap', 'default', 'child')?.metadata.deletionTimestamp);
  assert.ok(there(inside, 'parent'));
  await inside.update('', 'ConfigMap', 'default', 'child', (child) => {
    return { ...child, metadata: { ...(child['metadata'] as MutableJsonObject), finalizers: [] } };
  });
  await until('both gone', () => !there(inside, 'parent') && !there(inside, 'child'));
});

test('orphans lose the reference and stay', async () => {
  const inside = await cluster();
  await family(inside);
  await inside.delete('', 'ConfigMap', 'default', 'parent', { propagation: 'Orphan' });
  await until('owner gone', () => !there(inside, 'parent'));
  assert.equal(inside.get('', 'ConfigMap', 'default', 'child')?.metadata.ownerReferences, undefined);
});

test('an owner of the right name and another uid is no owner', async () => {
  const inside = await cluster();
  await make(inside, 'v1', 'ConfigMap', 'parent', {});
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'parent', uid: 'another' };
  const metadata = { name: 'child', namespace: 'default', ownerReferences: [owner] };
  await inside.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
  await until('collected', () => !there(inside, 'child'));
  const unknown = { ...owner, apiVersion: 'no.such/v1', kind: 'Thing' };
  await inside.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...metadata, ownerReferences: [unknown] } });
  await sleep(50);
  assert.ok(there(inside, 'child'), 'an owner of an unknown kind is unknown, not absent');
});

test('a deleted namespace is emptied and goes, unless something in it holds on', async () => {
  const inside = await cluster();
  const spec = { finalizers: ['kubernetes'] };
  await inside.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' }, spec });
  await until('default account', () => inside.get('', 'ServiceAccount', 'team', 'default'));
  const held = { name: 'held', namespace: 'team', finalizers: ['x.io/y'] };
  await inside.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: held });
  await inside.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'team' } });
  await inside.delete('', 'Namespace', '', 'team');
  const waiting = await until('conditions', () => {
    const found = inside.get('', 'Namespace', '', 'team');
    return found !== undefined && isTrue(found, 'NamespaceFinalizersRemaining') ? found : undefined;
  });
  const text = JSON.stringify(statusOf(waiting));
  assert.match(text, /Some resources are remaining: configmaps\. has 1 resource instances/);
  assert.match(text, /Some content in the namespace has finalizers remaining: x\.io\/y in 1 resource instances/);
  await inside.update('', 'ConfigMap', 'team', 'held', (object) => {
    return { ...object, metadata: { ...(object['metadata'] as MutableJsonObject), finalizers: [] } };
  });
  await until('gone', () => inside.get('', 'Namespace', '', 'team') === undefined);
  assert.equal(inside.list('', 'Secret', 'team').length, 0);
});

test('aggregated roles gather by label and follow changes', async () => {
  const inside = await cluster();
  const rbac = 'rbac.authorization.k8s.io';
  const admin = (): string =>
    JSON.stringify(asJson(inside.get(rbac, 'ClusterRole', '', 'admin') ?? assert.fail())['rules']);
  await until('filled', () => admin().includes('configmaps') && admin().includes('rolebindings'));
  const metadata = { name: 'things', labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } };
  const rules = [{ apiGroups: ['example.org'], resources: ['things'], verbs: ['get'] }];
  await inside.create({ apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata, rules });
  await until('through view and edit to admin', () => admin().includes('example.org'));
});

test('a token Secret is filled, opens the API, and goes with its account', async () => {
  const inside = await cluster();
  await make(inside, 'v1', 'ServiceAccount', 'robot', {});
  const annotations = { 'kubernetes.io/service-account.name': 'robot' };
  const metadata = { name: 'tok', namespace: 'default', annotations };
  await inside.create({ apiVersion: 'v1', kind: 'Secret', metadata, type: 'kubernetes.io/service-account-token' });
  const text = await until('filled', () => {
    const secret = inside.get('', 'Secret', 'default', 'tok');
    return secret === undefined ? undefined : stringAt(asJson(secret), 'data', 'token');
  });
  const authorization = `Bearer ${Buffer.from(text, 'base64').toString()}`;
  const credential = { authorization, clientCertificate: undefined };
  assert.equal((await inside.access.identify(credential)).name, 'system:serviceaccount:default:robot');
  await inside.delete('', 'ServiceAccount', 'default', 'robot');
  await until('gone', () => inside.get('', 'Secret', 'default', 'tok') === undefined);
  await assert.rejects(inside.access.identify(credential), { message: 'Unauthorized' });
});

test('an actor that is turned off does nothing', async () => {
  const inside = await cluster(['deployment']);
  await deployment(inside);
  await sleep(50);
  assert.equal(inside.list('apps', 'ReplicaSet', 'default').length, 0);
});

test('a cluster at rest writes nothing', async () => {
  const inside = await cluster();
  await deployment(inside);
  await make(inside, 'v1', 'Service', 'web', { spec: { selector: { app: 'web' }, ports: [{ port: 80 }] } });
  await until('rolled out', () => rolledOut(inside));
  await sleep(150);
  const { revision } = inside.store;
  await sleep(300);
  assert.equal(inside.store.revision, revision);
});
