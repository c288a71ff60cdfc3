import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestRepository, type TestRepository } from '../support/git-repository.ts';
import { startRealCluster } from '../support/real-cluster.ts';
import { appView, conditionsOf, isSynced, openStage, type Stage, until, untilApp } from '../support/story.ts';
import { configMap, tenantPlatform } from '../support/tenant.ts';

// A kind whose conversion webhook is gone cannot be read. What an Application has of it is neither there nor gone.

let stage: Stage;
let repository: TestRepository;
let controller: Awaited<ReturnType<Stage['start']>>;

const installation = { controlPlane: 'rvu-argocd', appNamespaces: ['rvu-team'] };
// Evidence counts for a moment only, so that the story need not wait until it is old.
const rhythm = { freshMs: 500, patienceMs: 3_000, againMs: 100, longestAgainMs: 500 };
const none = '{strategy: None}';
const broken =
  '{strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {url: "https://127.0.0.1:1/convert"}}}';

before(async () => {
  // A cluster of its own: what is broken here would be in the way of others.
  const cluster = await startRealCluster({ own: true, controllers: false });
  stage = await openStage({ cluster: { flavour: 'real', ...cluster } });
  repository = createTestRepository({
    'app/map.yaml': configMap('map'),
    'app/gear.yaml': 'apiVersion: rvu.argosy.test/v1\nkind: Gear\nmetadata: {name: one}\nspec: {size: 1}\n',
  });
  await stage.apply(tenantPlatform('rvu'));
  await stage.apply(definition(none));
  await stage.apply(rights);
  await until(
    () => stage.cluster.kubectl(['get', 'gears', '-A']),
    ({ code }) => code === 0,
  );
  controller = await stage.start(installation, { rhythm });
});

after(async () => {
  await stage?.stop();
  repository?.remove();
});

test('objects that leave Git while their kind cannot be read are not told as gone, and nothing is told as synced', async () => {
  await stage.apply(application());
  await untilApp(stage, 'rvu-team', 'app', isSynced);
  await stage.apply(definition(broken));
  await controller.stop();
  repository.commit({ 'app/gear.yaml': null });
  controller = await stage.start(installation, { rhythm });
  const app = await untilApp(stage, 'rvu-team', 'app', (seen) =>
    conditionsOf(seen).some((text) => /^ComparisonError: .*convert/s.test(text)),
  );
  assert.equal(app.status?.sync?.status, 'Unknown');
  assert.deepEqual(
    app.status?.resources?.map(({ name, status }) => `${name} ${status}`),
    ['map Synced', 'one Unknown'],
  );
});

test('a deletion waits for them, also after a restart', async () => {
  await stage.remove('Application', 'rvu-team', 'app');
  await controller.stop();
  controller = await stage.start(installation, { rhythm });
  await untilApp(stage, 'rvu-team', 'app', (seen) =>
    conditionsOf(seen).some((text) => text.startsWith('DeletionError')),
  );
  await stage.apply(definition(none));
  await until(
    () => appView(stage, 'rvu-team', 'app'),
    (app) => app === undefined,
    60_000,
  );
  assert.deepEqual(await stage.list('Gear', 'rvu-shop'), []);
});

const rights = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: gears, namespace: rvu-shop}
rules: [{apiGroups: ['', rvu.argosy.test], resources: [configmaps, gears], verbs: ['*']}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: gears, namespace: rvu-shop}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: gears}
subjects: [{kind: ServiceAccount, name: deployer, namespace: rvu-shop}]
`;

/** Stored as v1, read as v2: every read converts. */
function definition(conversion: string): string {
  const version = (name: string, storage: boolean): string =>
    `{name: ${name}, served: true, storage: ${storage}, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}`;
  return `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gears.rvu.argosy.test}
spec:
  group: rvu.argosy.test
  scope: Namespaced
  names: {kind: Gear, plural: gears, singular: gear}
  conversion: ${conversion}
  versions: [${version('v1', true)}, ${version('v2', false)}]
`;
}

function application(): string {
  return `
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: app, namespace: rvu-team, finalizers: [resources-finalizer.argocd.argoproj.io/background]}
spec:
  project: rvu-team
  source: {repoURL: '${repository.url}', path: app, targetRevision: main}
  destination: {server: https://kubernetes.default.svc, namespace: rvu-shop}
  syncPolicy: {automated: {prune: true}}
`;
}
