import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestRepository, type TestRepository } from '../support/git-repository.ts';
import { type AppView, appView, openStage, type Stage, until } from '../support/story.ts';

const deployer = 'system:serviceaccount:walk-shop:deployer';

let stage: Stage;
let repository: TestRepository;

before(async () => {
  stage = await openStage();
  repository = createTestRepository({ 'shop/one.yaml': configMap('one'), 'shop/two.yaml': configMap('two') });
  await stage.apply(platform());
  await stage.start({ controlPlane: 'walk-argocd', appNamespaces: ['walk-team'] });
});

after(async () => {
  await stage?.stop();
  repository?.remove();
});

const shop = (): Promise<AppView | undefined> => appView(stage, 'walk-team', 'shop');
const synced = (app: AppView | undefined): boolean => app?.status?.sync?.status === 'Synced';
const asWhom = (verb: string, name: string): (string | undefined)[] =>
  stage
    .writes('configmaps', 'walk-shop')
    .filter((event) => event.verb === verb && event.objectRef?.name === name)
    .map(({ impersonatedUser }) => impersonatedUser?.username);

test("a tenant's Application from Git is applied as the service account its project names", async () => {
  await stage.apply(application(repository.url));
  const app = await until(shop, synced);
  assert.equal(app?.status?.operationState?.phase, 'Succeeded');
  assert.equal(app?.status?.sync?.revision, repository.git('rev-parse', 'HEAD'));
  assert.equal(app?.status?.health?.status, 'Healthy');
  assert.deepEqual(asWhom('patch', 'one'), [deployer]);
  assert.deepEqual(asWhom('patch', 'two'), [deployer]);
});

test('a file removed from Git is pruned, as the same account', async () => {
  repository.commit({ 'shop/two.yaml': null });
  await until(
    () => stage.get('ConfigMap', 'walk-shop', 'two'),
    (object) => object === undefined,
  );
  assert.notEqual(await stage.get('ConfigMap', 'walk-shop', 'one'), undefined);
  assert.deepEqual(asWhom('delete', 'two'), [deployer]);
});

test('at rest the Application is not written', async () => {
  await until(shop, (app) => synced(app) && app?.status?.resources?.length === 1);
  const then = stage.writes('applications', 'walk-team').length;
  await sleep(2000);
  assert.equal(stage.writes('applications', 'walk-team').length, then);
});

test('an object of a namespace the project does not permit is refused, and nothing of it is sent', async () => {
  repository.commit({ 'shop/far.yaml': configMap('far', 'kube-system') });
  const app = await until(shop, (found) => found?.status?.operationState?.phase === 'Failed');
  assert.match(
    app?.status?.operationState?.message ?? '',
    /namespace kube-system is not permitted in project 'walk-team'/,
  );
  assert.deepEqual(
    stage.writes('configmaps', 'kube-system').filter(({ objectRef }) => objectRef?.name === 'far'),
    [],
  );
  repository.commit({ 'shop/far.yaml': null });
});

test('deleting the Application removes its objects first, as the same account', async () => {
  await until(shop, synced);
  await stage.remove('Application', 'walk-team', 'shop');
  await until(shop, (app) => app === undefined);
  assert.equal(await stage.get('ConfigMap', 'walk-shop', 'one'), undefined);
  assert.deepEqual(asWhom('delete', 'one'), [deployer]);
});

function configMap(name: string, namespace?: string): string {
  const place = namespace === undefined ? '' : `, namespace: ${namespace}`;
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}${place}}\ndata: {greeting: hello}\n`;
}

function platform(): string {
  return `
apiVersion: v1
kind: Namespace
metadata: {name: walk-argocd}
---
apiVersion: v1
kind: Namespace
metadata: {name: walk-team}
---
apiVersion: v1
kind: Namespace
metadata: {name: walk-shop}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: deployer, namespace: walk-shop}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: deployer, namespace: walk-shop}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: edit}
subjects: [{kind: ServiceAccount, name: deployer, namespace: walk-shop}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm, namespace: walk-argocd, labels: {app.kubernetes.io/part-of: argocd}}
data: {application.sync.impersonation.enabled: "true", source.allowedHosts: "file:"}
---
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: walk-team, namespace: walk-argocd}
spec:
  sourceRepos: ['*']
  sourceNamespaces: [walk-team]
  destinations: [{server: https://kubernetes.default.svc, namespace: walk-shop}]
  destinationServiceAccounts:
  - {server: https://kubernetes.default.svc, namespace: walk-shop, defaultServiceAccount: deployer}
`;
}

function application(repoURL: string): string {
  return `
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: shop
  namespace: walk-team
  finalizers: [resources-finalizer.argocd.argoproj.io]
spec:
  project: walk-team
  source: {repoURL: '${repoURL}', path: shop, targetRevision: main}
  destination: {server: https://kubernetes.default.svc, namespace: walk-shop}
  syncPolicy: {automated: {prune: true, selfHeal: true}}
`;
}
