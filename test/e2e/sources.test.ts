import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { Controller } from '../../src/controller/index.ts';
import { createTestRepository, type TestRepository } from '../support/git-repository.ts';
import { type AppView, appView, openStage, type Stage, until } from '../support/story.ts';
import { configMap } from '../support/tenant.ts';

const server = 'https://kubernetes.default.svc';
const installation = { controlPlane: 'sources-argocd' };

const asking = `
apiVersion: v1
kind: ConfigMap
metadata: {name: asked}
data:
  kube: {{ .Capabilities.KubeVersion.Version | quote }}
  deployments: {{ .Capabilities.APIVersions.Has "apps/v1/Deployment" | quote }}
  shops: {{ .Capabilities.APIVersions.Has "sources.example.com/v1/Shop" | quote }}
`;

const shops = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: shops.sources.example.com}
spec:
  group: sources.example.com
  scope: Namespaced
  names: {kind: Shop, plural: shops, singular: shop, listKind: ShopList}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`;

const here = `
apiVersion: v1
kind: Secret
metadata: {name: here, namespace: sources-argocd, labels: {argocd.argoproj.io/secret-type: cluster}}
stringData: {name: here, server: '${server}', namespaces: sources-shop}
`;

let stage: Stage;
let controller: Controller;
let repository: TestRepository;

before(async () => {
  stage = await openStage();
  repository = createTestRepository({
    'shop/one.yaml': configMap('one'),
    'kustomized/kustomization.yaml': 'resources: [../shared]\n',
    'shared/kustomization.yaml': 'resources: [two.yaml]\n',
    'shared/two.yaml': configMap('two'),
    'chart/Chart.yaml': 'apiVersion: v2\nname: asking\nversion: 1.0.0\n',
    'chart/templates/asked.yaml': asking,
  });
  repository.git('branch', 'feature');
  await stage.apply(platform());
  await stage.apply(params(3600));
  controller = await stage.start(installation);
});

after(async () => {
  await stage?.stop();
  repository?.remove();
});

const view = (name: string) => (): Promise<AppView | undefined> => appView(stage, 'sources-argocd', name);
const shop = view('shop');
const syncOf = (app: AppView | undefined): string | undefined => app?.status?.sync?.status;
const synced = (app: AppView | undefined): boolean => syncOf(app) === 'Synced';
const unknown = (app: AppView | undefined): boolean => syncOf(app) === 'Unknown';
const comparisonError = (app: AppView | undefined): string =>
  app?.status?.conditions?.find(({ type }) => type === 'ComparisonError')?.message ?? '';
const refresh = (name: string, how: string): Promise<void> =>
  stage.patch('Application', 'sources-argocd', name, { metadata: { annotations: { [refreshAnnotation]: how } } });
const refreshAnnotation = 'argocd.argoproj.io/refresh';
const appWrites = (name: string): number =>
  stage.writes('applications', 'sources-argocd').filter(({ objectRef }) => objectRef?.name === name).length;

/** Loaded machines are slow; what does not come at all is what fails. */
const eventually = <T>(read: () => Promise<T>, good: (value: T) => boolean): Promise<T> => until(read, good, 60_000);

/** Takes the repository away while something happens, and brings it back. */
async function away(story: () => Promise<void>): Promise<void> {
  const elsewhere = `${repository.directory}-away`;
  renameSync(repository.directory, elsewhere);
  try {
    await story();
  } finally {
    renameSync(elsewhere, repository.directory);
  }
}

test('21: the first failure of a repository changes no status, and nothing is healed on what was read before', async () => {
  await stage.apply(application('shop', { path: 'shop' }));
  const before = await eventually(shop, synced);
  const { status } = before ?? {};
  await away(async () => {
    await controller.poll(repository.url);
    assert.deepEqual((await shop())?.status, status);
    const operation = (await shop())?.status?.operationState;
    await stage.remove('ConfigMap', 'sources-shop', 'one');
    const drifted = await eventually(shop, (app) => syncOf(app) === 'OutOfSync');
    await controller.poll(repository.url);
    assert.deepEqual(drifted?.status?.operationState, operation);
    assert.equal(await stage.get('ConfigMap', 'sources-shop', 'one'), undefined);
    assert.equal(comparisonError(await shop()), '');
  });
});

test('a repository that reads again is gone on with by itself', async () => {
  await eventually(shop, synced);
  assert.notEqual(await stage.get('ConfigMap', 'sources-shop', 'one'), undefined);
});

test('23: somebody who asks for a refresh hears at once that the repository cannot be read, and since when', async () => {
  await away(async () => {
    await refresh('shop', 'normal');
    const app = await eventually(shop, unknown);
    assert.match(comparisonError(app), /not readable since \d{4}-\d\d-\d\dT[\d:]+Z/);
    assert.equal(app?.metadata.annotations?.[refreshAnnotation], undefined);
    // The last good manifests stay for tree and health.
    assert.equal(app?.status?.health?.status, 'Healthy');
    assert.deepEqual(
      app?.status?.resources?.map(({ name, status }) => [name, status]),
      [['one', 'Unknown']],
    );
    const writes = appWrites('shop');
    for (let polls = 0; polls < 3; polls++) await controller.poll(repository.url);
    assert.equal(appWrites('shop'), writes);
  });
  const app = await eventually(shop, synced);
  assert.equal(comparisonError(app), '');
});

test('a sync that somebody asks for while the repository cannot be read ends with the reason', async () => {
  await away(async () => {
    await controller.poll(repository.url);
    await stage.patch('Application', 'sources-argocd', 'shop', { operation: { sync: {} } });
    const app = await eventually(shop, (found) => found?.status?.operationState?.phase === 'Error');
    assert.match(app?.status?.operationState?.message ?? '', /not readable since/);
    assert.equal(app?.operation, undefined);
  });
  await eventually(shop, synced);
});

test('what cannot be rendered is said at once, prunes nothing, and is over with the next good commit', async () => {
  repository.commit({ 'shop/one.yaml': null, 'shop/broken.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: [\n' });
  const app = await eventually(shop, unknown);
  assert.match(comparisonError(app), /broken\.yaml/);
  assert.equal(app?.status?.health?.status, 'Healthy');
  assert.notEqual(await stage.get('ConfigMap', 'sources-shop', 'one'), undefined);
  repository.commit({ 'shop/one.yaml': configMap('one'), 'shop/broken.yaml': null });
  await eventually(shop, (found) => synced(found) && comparisonError(found) === '');
});

test('a branch that is deleted is a failure, and one that comes back is its end', async () => {
  const feature = view('feature');
  await stage.apply(application('feature', { path: 'shared', targetRevision: 'feature' }));
  await eventually(feature, synced);
  const commit = repository.git('rev-parse', 'feature');
  repository.git('branch', '-D', 'feature');
  await controller.poll(repository.url);
  await stage.remove('ConfigMap', 'sources-shop', 'two');
  await eventually(feature, (app) => syncOf(app) === 'OutOfSync');
  await refresh('feature', 'normal');
  const app = await eventually(feature, unknown);
  assert.match(comparisonError(app), /feature/);
  assert.equal(await stage.get('ConfigMap', 'sources-shop', 'two'), undefined);
  repository.git('branch', 'feature', commit);
  await eventually(feature, synced);
  await stage.remove('Application', 'sources-argocd', 'feature');
  await eventually(feature, (found) => found === undefined);
});

test('10, 11: a refresh is done and its annotation gone, whatever word it bears', async () => {
  for (const how of ['hard', 'foo']) {
    await refresh('shop', how);
    const app = await eventually(shop, (found) => found?.metadata.annotations?.[refreshAnnotation] === undefined);
    assert.ok(synced(app));
  }
});

test('a setting that decides how sources are rendered renders them again', async () => {
  const kustomized = view('kustomized');
  repository.commit({ 'kustomized/kustomization.yaml': 'resources: [../shared]\nnamePrefix: a-\n' });
  await stage.apply(application('kustomized', { path: 'kustomized' }));
  await eventually(kustomized, synced);
  await stage.patch('ConfigMap', 'sources-argocd', 'argocd-cm', { data: { 'kustomize.enable': 'false' } });
  // Without kustomize the directory is one of plain files, of which a kustomization is none.
  await eventually(kustomized, (app) => !synced(app));
  await stage.patch('ConfigMap', 'sources-argocd', 'argocd-cm', { data: { 'kustomize.enable': null } });
  await eventually(kustomized, synced);
});

test('a chart is told what its cluster can do, and again when that changes', async () => {
  const chart = view('chart');
  const told = async (): Promise<object | undefined> =>
    ((await stage.get('ConfigMap', 'sources-shop', 'asked')) as { data?: object } | undefined)?.data;
  await stage.apply(application('chart', { path: 'chart' }));
  await eventually(chart, synced);
  const { gitVersion } = await stage.connection.version();
  const kube = /^v\d+\.\d+\.\d+/.exec(gitVersion)?.[0];
  assert.deepEqual(await told(), { kube, deployments: 'true', shops: 'false' });
  await stage.apply(shops);
  await eventually(told, (data) => isDeepStrictEqual(data, { kube, deployments: 'true', shops: 'true' }));
});

test('a Secret for the cluster we run in that brings no credential uses our own connection', async () => {
  await stage.apply(here);
  repository.commit({ 'shop/three.yaml': configMap('three') });
  await eventually(shop, (app) => synced(app) && app?.status?.resources?.length === 2);
  assert.notEqual(await stage.get('ConfigMap', 'sources-shop', 'three'), undefined);
  await stage.remove('Secret', 'sources-argocd', 'here');
});

test('22: after the grace period the status says so, and after a restart what the mirror holds stays, too', async () => {
  await controller.stop();
  await stage.apply(params(1));
  await away(async () => {
    controller = await stage.start(installation);
    const app = await eventually(shop, unknown);
    assert.match(comparisonError(app), /not readable since/);
    assert.equal(app?.status?.health?.status, 'Healthy');
    assert.notEqual(await stage.get('ConfigMap', 'sources-shop', 'one'), undefined);
  });
  await eventually(shop, synced);
  await away(async () => {
    const app = await eventually(shop, unknown);
    assert.equal(app?.status?.health?.status, 'Healthy');
  });
  await eventually(shop, synced);
});

function application(name: string, source: { path: string; targetRevision?: string }): string {
  return JSON.stringify({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: 'sources-argocd' },
    spec: {
      project: 'default',
      source: { repoURL: repository.url, targetRevision: 'main', ...source },
      destination: { server, namespace: 'sources-shop' },
      syncPolicy: { automated: { prune: true, selfHeal: true } },
    },
  });
}

function params(graceSeconds: number): string {
  return `
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cmd-params-cm, namespace: sources-argocd, labels: {app.kubernetes.io/part-of: argocd}}
data: {controller.repo.error.grace.period.seconds: "${graceSeconds}"}
`;
}

function platform(): string {
  return `
apiVersion: v1
kind: Namespace
metadata: {name: sources-argocd}
---
apiVersion: v1
kind: Namespace
metadata: {name: sources-shop}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm, namespace: sources-argocd, labels: {app.kubernetes.io/part-of: argocd}}
data: {source.allowedHosts: "file:"}
---
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: default, namespace: sources-argocd}
spec:
  sourceRepos: ['*']
  destinations: [{server: '*', namespace: sources-shop}]
`;
}
