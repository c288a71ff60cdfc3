import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestRepository, type TestRepository } from '../support/git-repository.ts';
import { type AppView, appView, openStage, type Stage, until } from '../support/story.ts';

let stage: Stage;
let repository: TestRepository;

before(async () => {
  stage = await openStage();
  repository = createTestRepository({ 'shop/one.yaml': configMap('hello') });
  await stage.apply(platform());
  await stage.apply(remote(stage));
  await stage.apply(application('shop', `server: https://kubernetes.default.svc`));
  await stage.apply(application('far', 'name: blue'));
});

after(async () => {
  await stage?.stop();
  repository?.remove();
});

const view = (name: string): Promise<AppView | undefined> => appView(stage, 'back-team', name);
const untilSynced = (name: string): Promise<AppView | undefined> =>
  until(
    () => view(name),
    (app) => app?.status?.sync?.status === 'Synced' && app.status.sync.revision === repository.git('rev-parse', 'HEAD'),
  );
const projectText = async (): Promise<string> => JSON.stringify(await stage.get('AppProject', 'back-argocd', 'back'));
const writers = (): (string | undefined)[] => [
  ...new Set(
    stage
      .writes('configmaps', 'back-shop')
      .flatMap(({ objectRef, impersonatedUser }) => (objectRef?.name === 'one' ? [impersonatedUser?.username] : [])),
  ),
];
const greeting = async (namespace = 'back-shop'): Promise<unknown> =>
  ((await stage.get('ConfigMap', namespace, 'one')) as { data?: { greeting?: string } } | undefined)?.data?.greeting;

test('turning impersonation off deletes nothing, and the project says that its accounts are not used', async () => {
  const controller = await stage.start({ controlPlane: 'back-argocd' });
  await untilSynced('shop');
  await settings({ 'application.sync.impersonation.enabled': 'false' });
  // The condition tells that the setting has arrived; what is pushed after it goes out under our own name.
  await until(projectText, (project) => project.includes('ServiceAccountsUnused'));
  repository.commit({ 'shop/one.yaml': configMap('as ourselves') });
  await untilSynced('shop');
  assert.equal(await greeting(), 'as ourselves');
  assert.deepEqual(writers(), ['system:serviceaccount:back-shop:deployer', undefined]);
  await settings({ 'application.sync.impersonation.enabled': 'true' });
  await until(projectText, (project) => !project.includes('ServiceAccountsUnused'));
  assert.equal(await greeting(), 'as ourselves');
  await controller.stop();
});

test('a namespace taken off the list is ignored: its objects stay, its status is left as it was', async () => {
  const controller = await stage.start({ controlPlane: 'back-argocd' });
  await untilSynced('shop');
  await stage.patch('ConfigMap', 'back-argocd', 'argocd-cmd-params-cm', { data: { 'application.namespaces': '' } });
  await sleep(1500);
  const before = await view('shop');
  repository.commit({ 'shop/one.yaml': configMap('ignored') });
  await sleep(2500);
  assert.equal(await greeting(), 'as ourselves');
  assert.deepEqual(await view('shop'), before);
  await stage.patch('ConfigMap', 'back-argocd', 'argocd-cmd-params-cm', {
    data: { 'application.namespaces': 'back-team' },
  });
  await untilSynced('shop');
  assert.equal(await greeting(), 'ignored');
  await controller.stop();
});

test("turning tenants' clusters off leaves what runs there, and the Application says that there is no such cluster", async () => {
  const first = await stage.start({ controlPlane: 'back-argocd' });
  await untilSynced('far');
  await first.stop();
  const second = await stage.start({ controlPlane: 'back-argocd', tenantClusters: false });
  const said = await until(
    () => view('far'),
    (app) => (app?.status?.conditions ?? []).length > 0,
  );
  assert.match(said?.status?.conditions?.[0]?.message ?? '', /there are no clusters with this name: blue/);
  assert.equal(await greeting('back-far'), 'ignored');
  assert.notEqual(await stage.get('Secret', 'back-team', 'blue'), undefined);
  await second.stop();
  const third = await stage.start({ controlPlane: 'back-argocd' });
  const healed = await until(
    () => view('far'),
    (app) => app?.status?.sync?.status === 'Synced' && (app.status.conditions ?? []).length === 0,
  );
  assert.equal(healed?.status?.sync?.revision, repository.git('rev-parse', 'HEAD'));
  await third.stop();
});

async function settings(data: Record<string, string>): Promise<void> {
  await stage.patch('ConfigMap', 'back-argocd', 'argocd-cm', { data });
}

function configMap(text: string): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\ndata: {greeting: ${text}}\n`;
}

function namespaces(...names: string[]): string {
  return names.map((name) => `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${name}}\n---\n`).join('');
}

function platform(): string {
  return `
${namespaces('back-argocd', 'back-team', 'back-shop', 'back-far')}
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: deployer, namespace: back-shop}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: edit}
subjects: [{kind: ServiceAccount, name: deployer, namespace: back-shop}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cmd-params-cm, namespace: back-argocd}
data: {application.namespaces: back-team}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm, namespace: back-argocd}
data:
  application.sync.impersonation.enabled: "true"
  source.allowedHosts: "file:"
  cluster.tenant.allowedHosts: "127.0.0.1:*"
---
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: back, namespace: back-argocd}
spec:
  sourceRepos: ['*']
  sourceNamespaces: [back-team]
  destinations: [{server: '*', namespace: 'back-*'}]
  destinationServiceAccounts:
  - {server: https://kubernetes.default.svc, namespace: back-shop, defaultServiceAccount: deployer}
`;
}

/** The same cluster once more, as a tenant would bring it. */
function remote({ cluster }: Stage): string {
  const config = JSON.stringify({
    bearerToken: cluster.adminToken,
    tlsClientConfig: { caData: Buffer.from(cluster.ca).toString('base64') },
  });
  return `
apiVersion: v1
kind: Secret
metadata: {name: blue, namespace: back-team, labels: {argocd.argoproj.io/secret-type: cluster}}
stringData: {name: blue, server: '${cluster.url}', project: back, namespaces: back-far, config: '${config}'}
`;
}

function application(name: string, cluster: string): string {
  return `
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: ${name}, namespace: back-team}
spec:
  project: back
  source: {repoURL: '${repository.url}', path: shop, targetRevision: main}
  destination: {${cluster}, namespace: ${name === 'far' ? 'back-far' : 'back-shop'}}
  syncPolicy: {automated: {prune: true}}
`;
}
