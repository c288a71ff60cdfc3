import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestRepository, type TestRepository } from '../support/git-repository.ts';
import {
  type AppView,
  appView,
  isOver,
  isSynced,
  openStage,
  type Stage,
  until as untilThen,
} from '../support/story.ts';
import { configMap, tenantPlatform } from '../support/tenant.ts';

let stage: Stage;
let repository: TestRepository;

before(async () => {
  stage = await openStage();
  repository = createTestRepository({
    'kinds/crds.yaml': crd('Lamp', 'lamps', 'Namespaced') + crd('Realm', 'realms', 'Cluster'),
    'kinds/lamp.yaml': custom('Lamp', 'one'),
    'kinds/realm.yaml': custom('Realm', 'rule-realm'),
    'missing/lamp.yaml': custom('Ghost', 'one'),
    'missing/map.yaml': configMap('missing'),
    'later/lamp.yaml': custom('Ghost', 'later'),
    'later/map.yaml': configMap('later'),
    'space/map.yaml': configMap('space'),
    'confirm/keep.yaml': configMap('kept'),
    'confirm/go.yaml': configMap('gone', 'annotations: {argocd.argoproj.io/sync-options: Prune=confirm}'),
    'self/map.yaml': configMap('self'),
    'waves/one.yaml': configMap('wave-one', wave(1)),
    'waves/two.yaml': configMap('wave-two', wave(2)),
    'slow/job.yaml': slowHook,
    'slow/map.yaml': configMap('slow'),
  });
  await stage.apply(tenantPlatform('rule'));
  await stage.apply(rights);
  await stage.apply(`apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cmd-params-cm, namespace: rule-argocd, labels: {app.kubernetes.io/part-of: argocd}}
data: {controller.sync.wave.delay.seconds: '1'}
`);
  await stage.patch('AppProject', 'rule-argocd', 'rule-team', {
    spec: {
      clusterResourceWhitelist: [{ group: '*', kind: '*' }],
      destinations: [{ server: '*', namespace: '*' }],
      destinationServiceAccounts: [{ server: '*', namespace: '*', defaultServiceAccount: 'rule-shop:deployer' }],
    },
  });
  await stage.start({ controlPlane: 'rule-argocd', appNamespaces: ['rule-team'] });
});

after(async () => {
  await stage?.stop();
  repository?.remove();
});

/** A loaded machine is slow. */
const until = <T>(read: () => Promise<T>, good: (value: T) => boolean): Promise<T> => untilThen(read, good, 60_000);
const view = (name: string): Promise<AppView | undefined> => appView(stage, 'rule-team', name);

test('81: a CRD and objects of its kinds in one Application are applied in one sync', async () => {
  await stage.apply(application('kinds'));
  const app = await until(() => view('kinds'), isSynced);
  assert.equal(app?.status?.operationState?.retryCount, undefined);
  assert.notEqual(await stage.get('Lamp', 'rule-shop', 'one'), undefined);
  // A cluster-scoped kind is known as such before it is served.
  assert.notEqual(await stage.get('Realm', '', 'rule-realm'), undefined);
});

test('82: an object of a kind that is nowhere fails the sync before anything is applied, unless the options leave it to the apply', async () => {
  await stage.apply(application('missing') + application('later', 'syncOptions: [SkipDryRunOnMissingResource=true]'));
  for (const name of ['missing', 'later']) {
    await stage.patch('Application', 'rule-team', name, { operation: { sync: { syncOptions: optionsOf(name) } } });
  }
  const [missing, later] = [await until(() => view('missing'), isOver), await until(() => view('later'), isOver)];
  assert.equal(missing?.status?.operationState?.phase, 'Failed');
  assert.match(
    missing?.status?.operationState?.message ?? '',
    /one or more synchronization tasks are not valid: .*Ghost/,
  );
  assert.equal(await stage.get('ConfigMap', 'rule-shop', 'missing'), undefined);
  assert.match(later?.status?.operationState?.message ?? '', /does not serve rules\.example\.com\/Ghost/);
  assert.notEqual(await stage.get('ConfigMap', 'rule-shop', 'later'), undefined);
});

test('84, 85: the metadata of a created namespace is applied, a change of it shows, and the next sync brings it', async () => {
  const policy = (tier: string): string =>
    `automated: {}, syncOptions: [CreateNamespace=true], managedNamespaceMetadata: {labels: {tier: ${tier}}}`;
  await stage.apply(application('space', policy('gold'), 'rule-new'));
  await until(() => view('space'), isSynced);
  const labels = async (): Promise<unknown> =>
    (await stage.get('Namespace', '', 'rule-new'))?.metadata.labels?.['tier'];
  assert.equal(await labels(), 'gold');
  await stage.apply(application('space', policy('silver'), 'rule-new'));
  await until(
    () => view('space'),
    (app) => app?.status?.sync?.status === 'OutOfSync',
  );
  assert.equal(await labels(), 'gold');
  await stage.patch('Application', 'rule-team', 'space', {
    operation: { sync: { syncOptions: ['CreateNamespace=true'] } },
  });
  await until(() => view('space'), isSynced);
  assert.equal(await labels(), 'silver');
});

test('71: a prune that needs a word of approval waits for it', async () => {
  await stage.apply(application('confirm', 'automated: {prune: true}'));
  await until(() => view('confirm'), isSynced);
  repository.commit({ 'confirm/go.yaml': null });
  const waiting = await until(
    () => view('confirm'),
    (app) => app?.status?.operationState?.message?.includes('pruning confirmation') === true,
  );
  assert.equal(waiting?.status?.operationState?.message, 'waiting for pruning confirmation of /ConfigMap/gone');
  assert.notEqual(await stage.get('ConfigMap', 'rule-shop', 'gone'), undefined);
  const approved = new Date(Date.now() + 1000).toISOString().replace(/\.\d+Z$/, 'Z');
  await stage.patch('Application', 'rule-team', 'confirm', {
    metadata: { annotations: { 'argocd.argoproj.io/deletion-approved': approved } },
  });
  await until(() => view('confirm'), isSynced);
  assert.equal(await stage.get('ConfigMap', 'rule-shop', 'gone'), undefined);
});

test('116: an Application among its own objects goes last, and does not wait for itself', async () => {
  const self = application(
    'self',
    'automated: {}',
    'rule-shop',
    'finalizers: [resources-finalizer.argocd.argoproj.io], ',
  );
  repository.commit({ 'self/self.yaml': self });
  await stage.apply(self);
  await until(() => view('self'), isSynced);
  await stage.remove('Application', 'rule-team', 'self');
  await until(
    () => view('self'),
    (app) => app === undefined,
  );
  assert.equal(await stage.get('ConfigMap', 'rule-shop', 'self'), undefined);
});

test('48: where the settings ask for a pause, the next wave comes no earlier', async () => {
  await stage.apply(application('waves', 'automated: {}'));
  await until(() => view('waves'), isSynced);
  const [one = 0, two = 0] = ['wave-one', 'wave-two'].map((name) =>
    Date.parse(
      stage.writes('configmaps', 'rule-shop').find(({ objectRef }) => objectRef?.name === name)?.stageTimestamp ?? '',
    ),
  );
  assert.ok(two - one >= 1000, `${two - one} ms`);
});

test('43: an operation that takes longer than the settings allow is stopped, and says so', async () => {
  const limit = (seconds: string | null): Promise<void> =>
    stage.patch('ConfigMap', 'rule-argocd', 'argocd-cmd-params-cm', {
      data: { 'controller.sync.timeout.seconds': seconds },
    });
  await limit('3');
  await stage.apply(application('slow', 'automated: {}'));
  const app = await until(() => view('slow'), isOver);
  assert.equal(app?.status?.operationState?.phase, 'Failed');
  assert.equal(app?.status?.operationState?.message, 'Operation terminated, triggered by controller sync timeout');
  assert.equal(await stage.get('ConfigMap', 'rule-shop', 'slow'), undefined);
  await limit(null);
});

const optionsOf = (name: string): string[] => (name === 'later' ? ['SkipDryRunOnMissingResource=true'] : []);

function application(
  name: string,
  policy = name === 'kinds' ? 'automated: {}' : '',
  namespace = 'rule-shop',
  metadata = '',
): string {
  return `---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {${metadata}name: ${name}, namespace: rule-team}
spec:
  project: rule-team
  source: {repoURL: '${repository.url}', path: ${name}, targetRevision: main}
  destination: {server: https://kubernetes.default.svc, namespace: ${namespace}}
  syncPolicy: {${policy}}
`;
}

function custom(kind: string, name: string): string {
  return `apiVersion: rules.example.com/v1\nkind: ${kind}\nmetadata: {name: ${name}}\nspec: {bright: true}\n`;
}

function crd(kind: string, plural: string, scope: string): string {
  const schema =
    '{openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {bright: {type: boolean}}}}}}';
  return `---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ${plural}.rules.example.com}
spec:
  group: rules.example.com
  scope: ${scope}
  names: {plural: ${plural}, singular: ${kind.toLowerCase()}, kind: ${kind}}
  versions: [{name: v1, served: true, storage: true, schema: ${schema}}]
`;
}

/** The account may do what these stories need anywhere. */
const rights = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: rule-deployer}
rules: [{apiGroups: ['*'], resources: ['*'], verbs: ['*']}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: rule-deployer}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: rule-deployer}
subjects: [{kind: ServiceAccount, name: deployer, namespace: rule-shop}]
`;

const wave = (number: number): string => `annotations: {argocd.argoproj.io/sync-wave: '${number}'}`;

/** No node runs it: it never ends. */
const slowHook = `apiVersion: batch/v1
kind: Job
metadata: {name: slow, annotations: {argocd.argoproj.io/hook: PreSync}}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: 'registry.example.com/slow:1'}]}}}
`;
