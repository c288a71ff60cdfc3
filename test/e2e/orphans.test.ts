import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestRepository, type TestRepository } from '../support/git-repository.ts';
import { appView, conditionsOf, isSynced, openStage, type Stage, until } from '../support/story.ts';
import { configMap, tenantPlatform } from '../support/tenant.ts';

let stage: Stage;
let repository: TestRepository;

before(async () => {
  stage = await openStage();
  repository = createTestRepository({ 'web/one.yaml': configMap('one'), 'other/two.yaml': configMap('two') });
  await stage.apply(tenantPlatform('orp'));
  await watchOrphans({ warn: true, ignore: [{ kind: 'ConfigMap', name: 'ignored-*' }] });
  await stage.start({ controlPlane: 'orp-argocd', appNamespaces: ['orp-team'] });
});

after(async () => {
  await stage?.stop();
  repository?.remove();
});

const watchOrphans = (orphanedResources: object | null): Promise<void> =>
  stage.patch('AppProject', 'orp-argocd', 'orp-team', { spec: { orphanedResources } });
const warnings = async (): Promise<string[]> =>
  conditionsOf(await appView(stage, 'orp-team', 'web')).filter((text) => text.startsWith('Orphaned'));
const told = (count: number): string => `OrphanedResourceWarning: Application has ${count} orphaned resources`;
const says = (...texts: readonly string[]): Promise<unknown> =>
  until(warnings, (found) => JSON.stringify(found) === JSON.stringify(texts), 60_000);
const put = (name: string): Promise<void> => stage.apply(configMap(name, 'namespace: orp-shop'));

async function application(name: string): Promise<void> {
  await stage.apply(`
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: ${name}, namespace: orp-team}
spec:
  project: orp-team
  source: {repoURL: '${repository.url}', path: ${name}}
  destination: {server: https://kubernetes.default.svc, namespace: orp-shop}
  syncPolicy: {automated: {}}
`);
  await until(() => appView(stage, 'orp-team', name), isSynced, 60_000);
}

test('an Application tells how many objects of its namespace belong to nobody, and keeps that up', async () => {
  await application('web');
  // The tenant's account and its binding, which an admin made; what every namespace has does not count.
  await says(told(2));
  await put('stray');
  await says(told(3));
  await put('ignored-by-the-project');
  await application('other');
  await stage.apply(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: by-hand, namespace: orp-shop}
spec:
  selector: {matchLabels: {x: by-hand}}
  template: {metadata: {labels: {x: by-hand}}, spec: {containers: [{name: c, image: i}]}}
`);
  // Its ReplicaSet and Pods have an owner; the other Application's object and the ignored one do not count.
  await says(told(4));
  await stage.remove('ConfigMap', 'orp-shop', 'stray');
  await says(told(3));
});

test('a project that only lists orphans gets no condition, and one that does not look takes it back', async () => {
  await watchOrphans({ warn: true, ignore: null });
  await says(told(4));
  await watchOrphans({ warn: false });
  await says();
  await watchOrphans({ warn: true, ignore: null });
  await says(told(4));
  await watchOrphans(null);
  await says();
  assert.ok(isSynced(await appView(stage, 'orp-team', 'web')));
});
