import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type IgnoreDifference, readSettings } from '../../core/api/index.ts';
import { compare, type Live, type Target } from '../../core/diff/index.ts';
import { ArgosyError } from '../../core/errors/index.ts';
import type { Json } from '../../core/json/index.ts';
import { type KubeObject, objectKey, printKey } from '../../core/objects/index.ts';
import type { Door } from './carry-out.ts';
import { lookCloser, needsCloserLook, type Question } from './close-look.ts';
import { Closeup } from './closeup.ts';

const settings = readSettings(new Map()).value;
const mine = { manager: 'argocd-controller', operation: 'Apply', fieldsV1: { 'f:spec': { 'f:image': {} } } };
const theirs = { manager: 'scaler', operation: 'Update', fieldsV1: { 'f:spec': { 'f:replicas': {} } } };

function widget(spec: object, managedFields?: readonly Json[], apiVersion = 'example.io/v1'): KubeObject {
  const metadata = { name: 'w', namespace: 'shop', uid: 'u', resourceVersion: '7' };
  return {
    apiVersion,
    kind: 'Widget',
    metadata: managedFields === undefined ? metadata : { ...metadata, managedFields },
    spec,
  };
}

const targetOf = (object: KubeObject): Target => ({ key: objectKey(object), object, source: 0 });
const liveOf = (object: KubeObject): Live => ({
  objects: new Map([[printKey(objectKey(object)), { key: objectKey(object), object }]]),
  unknown: new Map(),
});

interface Cluster {
  readonly get?: (version: string) => KubeObject;
  readonly dryRun?: () => KubeObject;
  readonly closeup?: Closeup;
  readonly ignoreDifferences?: readonly IgnoreDifference[];
  readonly serverSide?: boolean;
}

/** A cluster of one object behind the door of an Application, and what is asked of it. */
function ask(target: KubeObject, live: KubeObject, cluster: Cluster = {}): { question: Question; asked: string[] } {
  const asked: string[] = [];
  const door = {
    get: async ({ version }: { version: string }) => {
      asked.push(`get ${version}`);
      return cluster.get?.(version) ?? assert.fail();
    },
    apply: async ({ version }: { version: string }, _object: KubeObject, options: { dryRun?: boolean }) => {
      asked.push(`${options.dryRun === true ? 'try' : 'WRITE'} ${version}`);
      return cluster.dryRun?.() ?? assert.fail();
    },
  };
  const question: Question = {
    targets: [targetOf(target)],
    live: liveOf(live),
    rules: { instance: 'shop', settings, ignoreDifferences: cluster.ignoreDifferences },
    serverSide: cluster.serverSide === true,
    permits: undefined,
    resource: ({ group, kind }) => ({ group, kind, version: 'v1', plural: 'widgets', namespaced: true, verbs: [] }),
    identity: { as: 'impersonate', user: 'system:serviceaccount:shop:deployer' } as Question['identity'], // made by the policy only
    door: door as unknown as Door, // what is not asked for here is left out
    closeup: cluster.closeup ?? new Closeup(() => 0),
  };
  return { question, asked };
}

const byScaler = [{ kind: 'Widget', group: 'example.io', managedFieldsManagers: ['scaler'] }];
const judged = async (question: Question): Promise<string | undefined> => {
  const { live, predicted } = await lookCloser(question);
  const { objects, errors } = compare(question.targets, live, { ...question.rules, predicted });
  return errors[0] ?? objects[0]?.status;
};

test('nothing is asked where the cache tells all', () => {
  const [target, live] = [widget({ image: 'a' }), widget({ image: 'b' }, [mine])];
  assert.equal(needsCloserLook(ask(target, live).question), false);
  assert.equal(needsCloserLook(ask(target, live, { ignoreDifferences: byScaler }).question), true);
  assert.equal(needsCloserLook(ask(target, live, { serverSide: true }).question), true);
  assert.equal(needsCloserLook(ask(widget({}, undefined, 'example.io/v1beta1'), live).question), true);
});

test('106: managers of fields are asked for only where something differs, and once', async () => {
  const closeup = new Closeup(() => 0);
  const get = () => widget({ image: 'a', replicas: 3 }, [mine, theirs]);
  const options = { get, closeup, ignoreDifferences: byScaler };
  const equal = ask(widget({ image: 'a', replicas: 3 }), widget({ image: 'a', replicas: 3 }, [mine]), options);
  assert.deepEqual([await judged(equal.question), equal.asked], ['Synced', []]);
  const scaled = ask(widget({ image: 'a', replicas: 1 }), widget({ image: 'a', replicas: 3 }, [mine]), options);
  assert.deepEqual([await judged(scaled.question), scaled.asked], ['Synced', ['get v1']]);
  assert.deepEqual([await judged(scaled.question), scaled.asked], ['Synced', ['get v1']]);
  const drifted = ask(widget({ image: 'z', replicas: 1 }), widget({ image: 'a', replicas: 3 }, [mine]), options);
  assert.deepEqual([await judged(drifted.question), drifted.asked], ['OutOfSync', []]);
});

test('an object that is read whole anyway is not read twice', async () => {
  const live = widget({ image: 'a', replicas: 3 }, [mine, theirs]);
  const { question, asked } = ask(widget({ image: 'a', replicas: 1 }), live, { ignoreDifferences: byScaler });
  assert.deepEqual([await judged(question), asked], ['Synced', []]);
});

test('fields of a newer object are good for this look only', async () => {
  const closeup = new Closeup(() => 0);
  const get = () => {
    const newer = widget({ image: 'a', replicas: 3 }, [mine, theirs]);
    return { ...newer, metadata: { ...newer.metadata, resourceVersion: '8' } };
  };
  const live = widget({ image: 'a', replicas: 2 }, [mine]);
  const { question, asked } = ask(widget({ image: 'a', replicas: 1 }), live, {
    get,
    closeup,
    ignoreDifferences: byScaler,
  });
  assert.equal(await judged(question), 'Synced');
  assert.equal(await judged(question), 'Synced');
  assert.deepEqual(asked, ['get v1', 'get v1']);
});

test('an object served in another version is compared in that of its target', async () => {
  const old = 'example.io/v1beta1';
  const closeup = new Closeup(() => 0);
  const get = () => widget({ picture: 'a' }, [mine], old);
  const live = widget({ image: 'a' }, [mine]);
  const same = ask(widget({ picture: 'a' }, undefined, old), live, { get, closeup });
  assert.deepEqual([await judged(same.question), same.asked], ['Synced', ['get v1beta1']]);
  const other = ask(widget({ picture: 'b' }, undefined, old), live, { get, closeup });
  assert.deepEqual([await judged(other.question), other.asked], ['OutOfSync', []]);
});

test('107, 108: the verdict of a dry run is remembered until the target changes; a refusal is unknown', async () => {
  const closeup = new Closeup(() => 0);
  const dryRun = () => widget({ image: 'a' }, [mine]);
  const live = widget({ image: 'a', sidecar: true }, [mine]);
  const options = { dryRun, closeup, serverSide: true };
  const first = ask(widget({ image: 'a' }), live, options);
  assert.equal(await judged(first.question), 'Synced');
  assert.equal(await judged(first.question), 'Synced');
  assert.deepEqual(first.asked, ['try v1']);
  const second = ask(widget({ image: 'b' }), live, { ...options, dryRun: () => widget({ image: 'b' }, [mine]) });
  assert.deepEqual([await judged(second.question), second.asked], ['OutOfSync', ['try v1']]);
  const refuse = (): never => {
    throw new ArgosyError('kube-invalid', 'apply widgets shop/w: spec.image: field is immutable');
  };
  const third = ask(widget({ image: 'c' }), live, { ...options, dryRun: refuse });
  const said = 'Failed to compare desired state to live state: apply widgets shop/w: spec.image: field is immutable';
  assert.equal(await judged(third.question), said);
  assert.equal((await lookCloser(third.question)).failed, true);
  assert.deepEqual(third.asked, ['try v1']);
});

test('another identity asks for itself', async () => {
  const closeup = new Closeup(() => 0);
  const options = { dryRun: () => widget({ image: 'a' }, [mine]), closeup, serverSide: true };
  const { question, asked } = ask(widget({ image: 'a' }), widget({ image: 'a' }, [mine]), options);
  await lookCloser(question);
  await lookCloser({ ...question, identity: { as: 'impersonate', user: 'other' } as Question['identity'] }); // made by the policy only
  assert.deepEqual(asked, ['try v1', 'try v1']);
});

test('what the project does not permit is not asked about', async () => {
  const { question, asked } = ask(widget({ image: 'a' }), widget({ image: 'a' }, [mine]), { serverSide: true });
  await lookCloser({ ...question, permits: () => false });
  assert.deepEqual(asked, []);
});
