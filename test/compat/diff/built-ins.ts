/**
 * What Argosy calls Synced: objects as users write them, applied as the controller applies them, then changed on the
 * cluster and in Git; on the real API server and on the embedded one.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { CORE_SCHEMA, load } from 'js-yaml';
import { compare, differenceOf, type Live, type Target, targetsOf } from '../../../src/core/diff/index.ts';
import { type Json, own } from '../../../src/core/json/index.ts';
import { jsonPatch } from '../../../src/core/merge/index.ts';
import { asJson, type KubeObject, objectKey, parseApiVersion, printKey } from '../../../src/core/objects/index.ts';
import { type Connection, connect, type Resource, readKubeconfig } from '../../../src/kube/index.ts';
import { type TestCluster, testCluster } from '../../support/test-cluster.ts';

interface Change {
  readonly what: string;
  readonly patch: Json;
  /** A drift of a field that the object leaves to others. */
  readonly quiet?: boolean;
}

interface Case {
  readonly object: KubeObject;
  readonly drifts?: readonly Change[];
  readonly quiet?: readonly Change[];
  readonly edits?: readonly Change[];
}

const ns = `diff-${process.pid}`;
const group = `g${process.pid}.example.com`;
const text = readFileSync(new URL('cases.yaml', import.meta.url), 'utf8')
  .replaceAll('GROUP', group)
  .replaceAll('NS', ns);
const cases = load(text, { schema: CORE_SCHEMA }) as Case[]; // the table beside this file

let cluster: TestCluster;
let connection: Connection;

async function start(flavour: TestCluster['flavour']): Promise<void> {
  cluster = await testCluster(flavour);
  connection = connect(await readKubeconfig(cluster.kubeconfig));
  await cluster.kubectl(['create', 'namespace', ns]);
}

async function stop(): Promise<void> {
  const stray = ['pv', 'clusterrole', 'priorityclass', 'storageclass', 'validatingwebhookconfiguration'];
  for (const { object } of cases)
    if (stray.includes(object.kind.toLowerCase()) || object.kind === 'PersistentVolume')
      await cluster.kubectl(['delete', object.kind.toLowerCase(), object.metadata.name ?? '', '--wait=false']);
  await cluster.kubectl(['delete', 'crd', `widgets.${group}`, '--wait=false']);
  await cluster.kubectl(['delete', 'namespace', ns, `${ns}-more`, '--wait=false']);
  await connection.close();
  await cluster.stop();
}

async function resourceOf(object: KubeObject): Promise<Resource> {
  const { group: name, version } = parseApiVersion(object.apiVersion);
  for (let tries = 0; ; tries++) {
    const { resources } = await connection.discover({ fresh: tries > 0 });
    const found = resources.find(
      (each) => each.group === name && each.kind === object.kind && each.version === version,
    );
    if (found !== undefined) return found;
    if (tries > 50) throw new Error(`${object.kind} is not served`);
    await sleep(200);
  }
}

function targetOf(object: KubeObject, resource: Resource): Target {
  const [target] = targetsOf([{ object, source: 0 }], {
    instance: 'shop',
    destinationNamespace: ns,
    namespaced: () => resource.namespaced,
  });
  assert.ok(target !== undefined);
  return target;
}

async function apply(target: Target, resource: Resource): Promise<void> {
  await connection.apply(resource, target.object, { fieldManager: 'argocd-controller', force: true });
}

/** The verdict on the whole live object, which must be that on what the cache keeps of it: our own managed fields. */
async function statusOf(target: Target, resource: Resource): Promise<string> {
  const object = await connection.get(resource, target.key.namespace, target.key.name);
  const ours = (object.metadata.managedFields ?? []).filter((entry) => own(entry, 'manager') === 'argocd-controller');
  const kept = verdict(target, { ...object, metadata: { ...object.metadata, managedFields: ours } });
  const whole = verdict(target, object);
  assert.equal(kept.split(' ')[0], whole.split(' ')[0]);
  return whole;
}

function verdict(target: Target, object: KubeObject): string {
  const live: Live = {
    objects: new Map([[printKey(target.key), { key: objectKey(object), object }]]),
    unknown: new Map(),
  };
  const { status } = compare([target], live, { instance: 'shop' });
  const where = differenceOf(target.object, object)?.join(' ') ?? '';
  return `${status} ${where}`.trim();
}

async function change(target: Target, resource: Resource, patch: Json): Promise<void> {
  const { namespace, name } = target.key;
  await connection.patch(resource, namespace, name, 'json', patch, { fieldManager: 'kubectl-edit' });
}

/** Registers the tests of all cases on a cluster of this flavour. */
export function testBuiltIns(flavour: TestCluster['flavour']): void {
  before(() => start(flavour));
  after(stop);
  for (const { object, drifts = [], quiet = [], edits = [] } of cases) {
    describe(`${object.kind} ${object.metadata.name ?? ''}`, () => {
      let resource: Resource;
      let target: Target;

      test('is Synced once applied', async () => {
        resource = await resourceOf(object);
        target = targetOf(object, resource);
        await apply(target, resource);
        assert.equal(await statusOf(target, resource), 'Synced');
      });

      for (const { what, patch, quiet: isQuiet = false } of drifts) {
        test(`${isQuiet ? 'stays Synced after' : 'shows'} a drift: ${what}`, async () => {
          await change(target, resource, patch);
          const status = await statusOf(target, resource);
          if (isQuiet) assert.equal(status, 'Synced');
          else assert.match(status, /^OutOfSync ./);
          await apply(target, resource);
          assert.equal(await statusOf(target, resource), 'Synced');
        });
      }

      for (const { what, patch } of edits) {
        test(`shows an edit: ${what}`, async () => {
          const edited = jsonPatch(asJson(object), patch);
          assert.ok(edited.outcome === 'patched');
          const wanted = targetOf(edited.value as unknown as KubeObject, resource); // a patched object is one
          assert.match(await statusOf(wanted, resource), /^OutOfSync ./);
          await apply(wanted, resource);
          assert.equal(await statusOf(wanted, resource), 'Synced');
          await apply(target, resource);
          assert.equal(await statusOf(target, resource), 'Synced');
        });
      }

      for (const { what, patch } of quiet) {
        test(`leaves to others: ${what}`, async () => {
          await change(target, resource, patch);
          assert.equal(await statusOf(target, resource), 'Synced');
        });
      }
    });
  }
}
