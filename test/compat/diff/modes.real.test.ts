/**
 * The other two ways of comparing, against a real API server: objects that were applied client-side (by kubectl, or
 * because the Application asks for it), and the API server's own prediction from a dry run.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { CORE_SCHEMA, load } from 'js-yaml';
import { type CompareOptions, compare, type Live, type Target, targetsOf } from '../../../src/core/diff/index.ts';
import type { Json } from '../../../src/core/json/index.ts';
import { jsonPatch } from '../../../src/core/merge/index.ts';
import { asJson, type KubeObject, objectKey, parseApiVersion, printKey } from '../../../src/core/objects/index.ts';
import { type Connection, connect, type Resource, readKubeconfig } from '../../../src/kube/index.ts';
import { type TestCluster, testCluster } from '../../support/test-cluster.ts';

const ns = `modes-${process.pid}`;
const text = readFileSync(new URL('cases.yaml', import.meta.url), 'utf8').replaceAll('NS', ns);
const namespacedKinds = ['Deployment', 'Service', 'StatefulSet', 'DaemonSet', 'CronJob', 'ConfigMap', 'Secret'];
const moreKinds = ['Role', 'RoleBinding', 'Ingress', 'NetworkPolicy', 'HorizontalPodAutoscaler', 'ResourceQuota'];
const objects = (load(text, { schema: CORE_SCHEMA }) as { object: KubeObject }[]) // the table beside this file
  .map(({ object }) => object)
  .filter(({ kind }) => namespacedKinds.includes(kind) || moreKinds.includes(kind));

let cluster: TestCluster;
let connection: Connection;

before(async () => {
  cluster = await testCluster('real');
  connection = connect(await readKubeconfig(cluster.kubeconfig));
  await cluster.kubectl(['create', 'namespace', ns]);
});

after(async () => {
  await cluster.kubectl(['delete', 'namespace', ns, '--wait=false']);
  await connection.close();
  await cluster.stop();
});

function targetOf(object: KubeObject): Target {
  const options = { instance: 'shop', destinationNamespace: ns, namespaced: () => true };
  const [target] = targetsOf([{ object, source: 0 }], options);
  assert.ok(target !== undefined);
  return target;
}

function edited(object: KubeObject, ...patch: Json[]): Target {
  const result = jsonPatch(asJson(object), patch);
  assert.ok(result.outcome === 'patched');
  return targetOf(result.value as unknown as KubeObject); // a patched object is one
}

async function resourceOf({ apiVersion, kind }: KubeObject): Promise<Resource> {
  const { group, version } = parseApiVersion(apiVersion);
  const { resources } = await connection.discover();
  const found = resources.find((each) => each.group === group && each.kind === kind && each.version === version);
  assert.ok(found !== undefined);
  return found;
}

async function statusOf(target: Target, more: Partial<CompareOptions> = {}): Promise<string> {
  const { namespace, name } = target.key;
  const object = await connection.get(await resourceOf(target.object), namespace, name);
  const live: Live = {
    objects: new Map([[printKey(target.key), { key: objectKey(object), object }]]),
    unknown: new Map(),
  };
  const { status, objects: compared, errors } = compare([target], live, { instance: 'shop', ...more });
  return [status, ...(compared[0]?.difference ?? []), ...errors].join(' ');
}

const clientSide = { syncOptions: ['ServerSideApply=false'] };

describe('applied client-side', () => {
  for (const object of objects) {
    test(`${object.kind} ${object.metadata.name ?? ''} is Synced, also to who applies server-side`, async () => {
      const target = targetOf(object);
      const result = await cluster.kubectl(['apply', '-f', '-'], { input: JSON.stringify(target.object) });
      assert.equal(result.code, 0, result.stderr);
      assert.equal(await statusOf(target, clientSide), 'Synced');
      assert.equal(await statusOf(target), 'Synced');
    });
  }

  test('101: what is removed from Git shows, in maps and in keyed lists', async () => {
    const deployment = objects.find(({ kind }) => kind === 'Deployment') as KubeObject; // it is in the table
    const containers = '/spec/template/spec/containers';
    for (const path of [
      '/metadata/labels/app',
      `${containers}/0/env/0`,
      `${containers}/0/readinessProbe`,
      `${containers}/1`,
    ]) {
      assert.match(await statusOf(edited(deployment, { op: 'remove', path }), clientSide), /^OutOfSync/, path);
      assert.match(await statusOf(edited(deployment, { op: 'remove', path })), /^OutOfSync/, path);
    }
  });

  test('a drift shows, and what others add does not', async () => {
    const target = targetOf(objects.find(({ kind }) => kind === 'Deployment') as KubeObject); // it is in the table
    const resource = await resourceOf(target.object);
    const patch = (body: Json): Promise<KubeObject> => connection.patch(resource, ns, target.key.name, 'json', body);
    await patch([{ op: 'add', path: '/metadata/labels/theirs', value: 'x' }]);
    assert.equal(await statusOf(target, clientSide), 'Synced');
    await patch([{ op: 'replace', path: '/spec/template/spec/containers/0/resources/limits/cpu', value: '2' }]);
    assert.match(await statusOf(target, clientSide), /^OutOfSync .*f:cpu$/);
  });
});

describe('predicted by a dry run', () => {
  const predicted = async (target: Target): Promise<CompareOptions['predicted']> => {
    const resource = await resourceOf(target.object);
    const options = { fieldManager: 'argocd-controller', force: true, dryRun: true };
    return new Map([[printKey(target.key), { object: await connection.apply(resource, target.object, options) }]]);
  };

  for (const object of objects) {
    test(`${object.kind} ${object.metadata.name ?? ''} is Synced once applied, and an edit shows`, async () => {
      const target = targetOf(object);
      await connection.apply(await resourceOf(object), target.object, {
        fieldManager: 'argocd-controller',
        force: true,
      });
      assert.equal(await statusOf(target, { predicted: await predicted(target) }), 'Synced');
      const more = edited(object, { op: 'add', path: '/metadata/labels', value: { more: 'x' } });
      assert.match(await statusOf(more, { predicted: await predicted(more) }), /^OutOfSync f:metadata f:labels/);
    });
  }

  test('a field removed from Git shows, unless somebody else owns it, too', async () => {
    const config = objects.find(({ kind }) => kind === 'ConfigMap') as KubeObject; // it is in the table
    const less = edited(config, { op: 'remove', path: '/data/text' });
    assert.equal(await statusOf(less, { predicted: await predicted(less) }), 'Synced');
    const fresh = { op: 'replace', path: '/metadata/name', value: 'fresh' };
    const alone = edited(config, fresh);
    await connection.apply(await resourceOf(config), alone.object, { fieldManager: 'argocd-controller', force: true });
    const now = edited(config, fresh, { op: 'remove', path: '/data/text' });
    assert.equal(await statusOf(now, { predicted: await predicted(now) }), 'OutOfSync f:data f:text');
  });
});
