import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestRepository, type TestRepository } from '../support/git-repository.ts';
import { type AppView, appView, openStage, type Stage, tokenOf, until } from '../support/story.ts';
import { tenantPlatform } from '../support/tenant.ts';
import { configMap } from '../support/threat.ts';

// Rows about what a sync does with single objects, with its options, and with what came before it.

let stage: Stage;
let repository: TestRepository;

before(async () => {
  stage = await openStage();
  repository = createTestRepository({
    'crless/cr.yaml': 'apiVersion: eng.example.com/v1\nkind: Widget\nmetadata: {name: w}\n',
    'crless/one.yaml': configMap('beside-widget'),
    'plain/one.yaml': configMap('plain'),
    'forbidden/one.yaml': configMap('beside-forbidden'),
    'forbidden/quota.yaml': 'apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: quota}\nspec: {hard: {pods: "1"}}\n',
    'typo/one.yaml': `${configMap('typo')}nonsense: true\n`,
    'typo-free/one.yaml': `${configMap('typo-free', "annotations: {argocd.argoproj.io/sync-options: 'Validate=false,ServerSideApply=false'}")}nonsense: true\n`,
    'replace/one.yaml': configMap('replaced', 'annotations: {argocd.argoproj.io/sync-options: Replace=true}'),
    'replace/space.yaml':
      'apiVersion: v1\nkind: Namespace\nmetadata: {name: eng-space, labels: {made: by-sync}, annotations: {argocd.argoproj.io/sync-options: "Force=true,Replace=true"}}\n',
    'back/one.yaml': configMap('back', '', 'version: "1"'),
    'back/hook.yaml': configMap('back-hook', 'annotations: {argocd.argoproj.io/hook: PreSync}'),
    'busy/gate.yaml':
      'apiVersion: v1\nkind: Service\nmetadata: {name: gate}\nspec: {type: LoadBalancer, ports: [{port: 80}]}\n',
    'busy/after.yaml': configMap('after-gate', 'annotations: {argocd.argoproj.io/sync-wave: "1"}'),
    'cluster/role.yaml':
      'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: eng-role}\nrules: []\n',
  });
  await stage.apply(tenantPlatform('eng'));
  await stage.apply('apiVersion: v1\nkind: Namespace\nmetadata: {name: eng-space}\n');
  await stage.apply(`
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: eng-deployer}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: ServiceAccount, name: deployer, namespace: eng-shop}]
`);
  await stage.patch('AppProject', 'eng-argocd', 'eng-team', {
    spec: {
      destinations: [{ server: '*', namespace: 'eng-*' }],
      clusterResourceWhitelist: [{ group: '*', kind: '*' }],
      namespaceResourceBlacklist: [{ group: '', kind: 'ResourceQuota' }],
      destinationServiceAccounts: [{ server: '*', namespace: '*', defaultServiceAccount: 'eng-shop:deployer' }],
    },
  });
  await stage.start({ controlPlane: 'eng-argocd', appNamespaces: ['eng-team'] });
});

after(async () => {
  await stage?.stop();
  repository?.remove();
});

const view = (name: string): Promise<AppView | undefined> => appView(stage, 'eng-team', name);
const ended = (app: AppView | undefined): boolean =>
  app?.operation === undefined && ['Succeeded', 'Failed', 'Error'].includes(app?.status?.operationState?.phase ?? '');
const over = (name: string): Promise<AppView | undefined> => until(() => view(name), ended, 60_000);
const operation = (app: AppView | undefined): string =>
  `${app?.status?.operationState?.phase}: ${app?.status?.operationState?.message}`;
const conditions = (app: AppView | undefined): string =>
  (app?.status?.conditions ?? []).map(({ type, message }) => `${type}: ${message}`).join('\n');
const here = async (kind: string, name: string, namespace = 'eng-shop'): Promise<boolean> =>
  (await stage.get(kind, namespace, name)) !== undefined;

test('82: an object of a kind that nobody serves fails the sync, and the message names the kind', async () => {
  await stage.apply(application('crless', 'automated: {}, retry: {limit: 0}'));
  const app = await until(
    () => view('crless'),
    (found) => ended(found) || conditions(found) !== '',
    60_000,
  );
  assert.match(`${operation(app)}\n${conditions(app)}`, /Widget/);
  assert.notEqual(app?.status?.operationState?.phase, 'Succeeded');
  assert.equal(await here('ConfigMap', 'beside-widget'), false);
});

test('86: metadata for a namespace that is not to be created has no effect', async () => {
  await stage.apply(application('plain', 'automated: {}, managedNamespaceMetadata: {labels: {managed: "yes"}}'));
  assert.match(operation(await over('plain')), /^Succeeded/);
  assert.equal((await stage.get('Namespace', '', 'eng-shop'))?.metadata.labels?.['managed'], undefined);
});

test('88: one object of a kind the project forbids: nothing is applied', async () => {
  await stage.apply(application('forbidden', 'automated: {}'));
  assert.match(
    operation(await over('forbidden')),
    /^Failed: .*resource :ResourceQuota is not permitted in project eng-team$/,
  );
  assert.equal(await here('ConfigMap', 'beside-forbidden'), false);
});

test('89: a field nobody knows fails the apply; Validate=false lets it pass where the client applies', async () => {
  await stage.apply(application('typo', 'automated: {}, retry: {limit: 0}'));
  await stage.apply(application('typo-free', 'automated: {}, retry: {limit: 0}'));
  assert.match(operation(await over('typo')), /^Failed: .*nonsense/s);
  assert.equal(await here('ConfigMap', 'typo'), false);
  assert.match(operation(await over('typo-free')), /^Succeeded/);
  assert.equal(await here('ConfigMap', 'typo-free'), true);
});

test('90: Replace=true replaces an object that is there; a Namespace is updated in place even by force', async () => {
  await stage.apply(configMap('replaced', 'namespace: eng-shop', 'greeting: old, leftover: old'));
  const [map, space] = [
    await stage.get('ConfigMap', 'eng-shop', 'replaced'),
    await stage.get('Namespace', '', 'eng-space'),
  ];
  await stage.apply(application('replace', 'automated: {}, retry: {limit: 0}'));
  const app = await over('replace');
  assert.match(operation(app), /^Succeeded/);
  const replaced = await stage.get('ConfigMap', 'eng-shop', 'replaced');
  assert.deepEqual(replaced?.['data'], { greeting: 'hello' });
  assert.equal(replaced?.metadata.uid, map?.metadata.uid);
  const after = await stage.get('Namespace', '', 'eng-space');
  assert.equal(after?.metadata.uid, space?.metadata.uid);
  assert.equal(after?.metadata.labels?.['made'], 'by-sync');
});

test('99: a rollback applies what a line of history names, without hooks, and the Application differs afterwards', async () => {
  await stage.apply(application('back', 'syncOptions: []'));
  const sync = async (body: object): Promise<AppView | undefined> => {
    await until(
      () => view('back'),
      (app) => app?.status?.sync?.status !== undefined,
    );
    await stage.patch('Application', 'eng-team', 'back', { operation: { sync: body } });
    return over('back');
  };
  assert.match(operation(await sync({})), /^Succeeded/);
  const revision = repository.commit({ 'back/one.yaml': configMap('back', '', 'version: "2"') });
  await until(
    () => view('back'),
    (app) => app?.status?.sync?.revision === revision,
  );
  assert.match(operation(await sync({})), /^Succeeded/);
  const lines = (
    await until(
      () => view('back'),
      (app) => app?.status?.history?.length === 2,
    )
  )?.status?.history as { revision: string; source: object }[] | undefined; // as this controller writes them
  const hooks = hookWrites();
  const [old] = lines ?? [];
  const rolled = await sync({ revision: old?.revision, source: old?.source, syncStrategy: { apply: {} } });
  assert.match(operation(rolled), /^Succeeded/);
  assert.deepEqual((await stage.get('ConfigMap', 'eng-shop', 'back'))?.['data'], { version: '1' });
  assert.equal(hookWrites(), hooks);
  await until(
    () => view('back'),
    (app) => app?.status?.sync?.status === 'OutOfSync',
  );
});

test('119: a deletion waits for the operation that is running', async () => {
  await stage.apply(
    application('busy', 'automated: {}').replace(
      'metadata: {',
      'metadata: {finalizers: [resources-finalizer.argocd.argoproj.io], ',
    ),
  );
  await until(
    () => view('busy'),
    (app) => app?.status?.operationState?.message?.includes('gate') === true,
    60_000,
  );
  await stage.remove('Application', 'eng-team', 'busy');
  await until(
    () => view('busy'),
    (app) => app?.metadata.deletionTimestamp !== undefined,
  );
  assert.equal(await here('Service', 'gate'), true);
  await stage.patch('Application', 'eng-team', 'busy', { status: { operationState: { phase: 'Terminating' } } });
  await until(
    () => view('busy'),
    (app) => app === undefined,
    60_000,
  );
  assert.equal(await here('Service', 'gate'), false);
});

test('136: in a cluster that is managed by namespaces a target without one is refused, and nothing is applied', async () => {
  const config = JSON.stringify({
    bearerToken: await tokenOf(stage, 'eng-shop', 'deployer'),
    tlsClientConfig: { caData: Buffer.from(stage.cluster.ca).toString('base64') },
  });
  await stage.apply(`
apiVersion: v1
kind: Secret
metadata: {name: narrow, namespace: eng-argocd, labels: {argocd.argoproj.io/secret-type: cluster}}
stringData: {name: narrow, server: '${stage.cluster.url}', namespaces: eng-shop, config: '${config}'}
`);
  await stage.apply(
    application('cluster', 'automated: {}').replace('server: https://kubernetes.default.svc', 'name: narrow'),
  );
  assert.match(
    operation(await over('cluster')),
    /^Failed: .*cluster level ClusterRole "eng-role" can not be managed when in namespaced mode$/,
  );
  assert.equal(await here('ClusterRole', 'eng-role', ''), false);
});

function hookWrites(): number {
  return stage.writes('configmaps', 'eng-shop').filter(({ objectRef }) => objectRef?.name === 'back-hook').length;
}

function application(name: string, policy: string): string {
  return `
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: ${name}, namespace: eng-team}
spec:
  project: eng-team
  source: {repoURL: '${repository.url}', path: ${name}, targetRevision: main}
  destination: {server: https://kubernetes.default.svc, namespace: eng-shop}
  syncPolicy: {${policy}}
`;
}
