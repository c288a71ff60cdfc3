import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { connect, readKubeconfig } from '../../src/kube/index.ts';
import { type Logger, silentLogger } from '../../src/telemetry/index.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { createTestRepository, type TestRepository } from '../support/git-repository.ts';
import {
  type AppView,
  appView,
  calls,
  conditionsOf,
  isOver,
  isSynced,
  openStage,
  type Stage,
  tokenOf,
  until,
  untilApp,
} from '../support/story.ts';
import { clusterSecret, configMap, tenantPlatform } from '../support/tenant.ts';
import { testCluster } from '../support/test-cluster.ts';

/** After so many tries a pass that fails waits for longer than any story: whatever comes back then was woken. */
const triesAtOnce = 3;
const backoffMs = (failures: number): number => (failures < triesAtOnce ? 50 : 3_600_000);

let stage: Stage;
let repository: TestRepository;
/** Between the controller and its own API server. */
let own: FaultProxy;
/** Between the controller and a cluster that is not there yet. */
let far: FaultProxy;
/** What the renderer does besides rendering. */
let onRender = (): void => undefined;
type LogFields = Parameters<Logger['warn']>[1];
/** What the controller complains about. */
const said: { readonly message: string; readonly fields: LogFields }[] = [];
const note = (message: string, fields?: LogFields): void => void said.push({ message, fields });
const log: Logger = { ...silentLogger, warn: note, error: note };

before(async () => {
  const cluster = await testCluster();
  own = await startFaultProxy(cluster.url);
  far = await startFaultProxy(cluster.url);
  const config = await readKubeconfig(cluster.kubeconfig);
  const through = connect({ ...config, server: own.url }, { version: 'test' });
  stage = await openStage({ cluster, through });
  repository = createTestRepository({
    'shop/one.yaml': configMap('one'),
    'far/two.yaml': configMap('two'),
    'away/three.yaml': configMap('three'),
    'broken/four.yaml': configMap('four'),
    'fine/five.yaml': configMap('five'),
    'other/six.yaml': configMap('six', 'annotations: {argocd.argoproj.io/hook: PreSync}'),
    'other/seven.yaml': configMap('seven'),
    'next/eight.yaml': configMap('eight'),
  });
  await stage.apply(tenantPlatform('rec') + project('rec-team') + admin);
  const token = await tokenOf(stage, 'rec-argocd', 'admin');
  await stage.apply(clusterSecret('rec-argocd/far', { url: far.url, ca: cluster.ca, token }, {}));
  far.refuse(true);
  await stage.start(
    { controlPlane: 'rec-argocd', appNamespaces: ['rec-team'] },
    { backoffMs, log, onRender: () => onRender(), rhythm: { againMs: 100, longestAgainMs: 1000 } },
  );
});

after(async () => {
  await stage?.stop();
  await far?.close();
  await own?.close();
  repository?.remove();
});

const seen = (name: string, good: (app: AppView | undefined) => boolean): Promise<AppView> =>
  untilApp(stage, 'rec-team', name, good);

/** Waits until a pass over an Application has failed so often in a row. */
const failed = (name: string, failures: number): Promise<unknown> =>
  until(
    async () => said,
    (lines) =>
      lines.some(({ fields }) => fields?.['application'] === `rec-team/${name}` && fields['failures'] === failures),
    60_000,
  );

/** The far cluster's own account, which may do all and impersonates the tenant's. */
const admin = `---
apiVersion: v1
kind: ServiceAccount
metadata: {name: admin, namespace: rec-argocd}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: rec-admin}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: ServiceAccount, name: admin, namespace: rec-argocd}]
`;

function project(name: string): string {
  return `---
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: ${name}, namespace: rec-argocd}
spec:
  sourceRepos: ['*']
  sourceNamespaces: [rec-team]
  destinations: [{server: '*', namespace: rec-shop}]
  destinationServiceAccounts: [{server: '*', namespace: rec-shop, defaultServiceAccount: deployer}]
`;
}

function application(name: string, destination = 'server: https://kubernetes.default.svc'): string {
  return `
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: ${name}, namespace: rec-team}
spec:
  project: rec-team
  source: {repoURL: '${repository.url}', path: ${name}, targetRevision: main}
  destination: {${destination}, namespace: rec-shop}
  syncPolicy: {automated: {prune: true}}
`;
}

test('a sync that was refused stands in no way of the automatic one once the refusal is lifted', async () => {
  await stage.apply(application('shop').replace('project: rec-team', 'project: rec-late'));
  await seen('shop', (app) => conditionsOf(app).some((text) => text.startsWith('InvalidSpecError')));
  await stage.patch('Application', 'rec-team', 'shop', { operation: { sync: {} } });
  const refused = await seen('shop', isOver);
  assert.equal(refused.status?.operationState?.phase, 'Error');
  await stage.apply(project('rec-late'));
  const app = await seen('shop', isSynced);
  assert.equal(app.status?.operationState?.phase, 'Succeeded');
  assert.deepEqual(conditionsOf(app), []);
});

test('a cluster that was away is worked on as soon as it answers, however long its Applications would wait', async () => {
  await stage.apply(application('far', 'name: far'));
  const app = await seen('far', (found) => conditionsOf(found).length > 0);
  assert.deepEqual(conditionsOf(app), [
    'ComparisonError: the cluster does not answer, so nothing is known of its objects; it is tried again',
  ]);
  await failed('far', triesAtOnce);
  far.refuse(false);
  const synced = await seen('far', isSynced);
  assert.deepEqual(conditionsOf(synced), []);
});

test('what failed while our own API server was away is tried again when it is back', async () => {
  await stage.apply(application('away'));
  await seen('away', isSynced);
  own.refuse(true);
  own.reset();
  const revision = repository.commit({ 'away/three.yaml': configMap('three', '', 'changed') });
  await failed('away', triesAtOnce);
  await until(
    async () => said,
    (lines) => lines.some(({ message }) => message.startsWith('Applications cannot be watched')),
    60_000,
  );
  own.refuse(false);
  await seen('away', (app) => isSynced(app) && app?.status?.sync?.revision === revision);
});

test('an operation that another controller carries on is left to it, whatever of it has not come to us yet', async () => {
  const manual = application('other').replace('syncPolicy: {automated: {prune: true}}', '');
  await stage.apply(manual);
  await seen('other', (app) => app?.status?.sync?.status === 'OutOfSync');
  const revision = repository.git('rev-parse', 'HEAD');
  const operation = { sync: { revision } };
  const hook = { version: 'v1', kind: 'ConfigMap', namespace: 'rec-shop', name: 'six', hookType: 'PreSync' };
  const resources = [{ ...hook, status: 'Synced', hookPhase: 'Running', syncPhase: 'PreSync' }];
  const operationState = { operation, phase: 'Running', startedAt: '2026-01-01T00:00:00Z' };
  // As the other one would: the hook is asked for, and we have not seen it yet.
  await stage.patch('Application', 'rec-team', 'other', {
    operation,
    status: { operationState: { ...operationState, syncResult: { revision, resources } } },
  });
  // Whatever came before this has been looked at by then: one tenant's Applications come in turn.
  await stage.apply(application('next'));
  await seen('next', isSynced);
  const meanwhile = await appView(stage, 'rec-team', 'other');
  assert.deepEqual(
    [meanwhile?.status?.operationState?.phase, meanwhile?.status?.operationState?.message],
    ['Running', undefined],
  );
  await stage.patch('Application', 'rec-team', 'other', {
    operation: null,
    metadata: { annotations: { 'argocd.argoproj.io/refresh': 'normal' } },
    status: { operationState: { phase: 'Succeeded', message: 'by the other one', finishedAt: '2026-01-01T00:00:01Z' } },
  });
  const app = await seen('other', (found) => found?.metadata.annotations?.['argocd.argoproj.io/refresh'] === undefined);
  assert.equal(app.status?.operationState?.message, 'by the other one');
  assert.deepEqual(
    calls(stage, 'configmaps', 'rec-shop').filter(({ objectRef }) => objectRef?.name === 'six'),
    [],
  );
});

test('T-134 an Application that we fail on by a fault of ours says so once, and the rest goes on', async () => {
  await stage.apply(application('fine').replace('{prune: true}', '{selfHeal: true}'));
  await seen('fine', isSynced);
  onRender = () => {
    throw new TypeError('undefined is not a token s3cr3t');
  };
  await stage.apply(application('broken'));
  const app = await seen('broken', (found) => conditionsOf(found).length > 0);
  const [told = ''] = conditionsOf(app);
  assert.match(told, /^UnknownError: Argosy fails on this Application by a fault of its own/);
  assert.match(told, /what is deployed stays as it is.*tried again.*log of the controller/);
  assert.doesNotMatch(told, /s3cr3t|TypeError| at /);
  await failed('broken', triesAtOnce);
  assert.ok(said.some(({ message }) => message.startsWith('a pass failed by a fault of Argosy')));
  // The rest goes on.
  await stage.remove('ConfigMap', 'rec-shop', 'five');
  await until(
    () => stage.get('ConfigMap', 'rec-shop', 'five'),
    (object) => object !== undefined,
    60_000,
  );
  const writes = (): number =>
    calls(stage, 'applications', 'rec-team').filter(
      ({ verb, objectRef }) => verb === 'patch' && objectRef?.name === 'broken',
    ).length;
  assert.equal(writes(), 1);
  // A pass that works takes it back.
  onRender = () => undefined;
  await stage.patch('Application', 'rec-team', 'broken', {
    metadata: { annotations: { 'argocd.argoproj.io/refresh': 'normal' } },
  });
  const mended = await seen('broken', isSynced);
  assert.deepEqual(conditionsOf(mended), []);
});
