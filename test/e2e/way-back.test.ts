/**
 * Turning features off while the controller runs, or with its next start: live objects are left alone, and it is said
 * what is now ignored. The way back from `resource.respectRBAC` is told where its examples are, in `proposal-3`.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestRepository, type TestRepository } from '../support/git-repository.ts';
import {
  type AppView,
  appView,
  eventsAbout,
  isSynced,
  openStage,
  type Stage,
  until,
  untilApp,
} from '../support/story.ts';
import { clusterSecret, deployer, namespaces } from '../support/tenant.ts';

let stage: Stage;
let repository: TestRepository;

before(async () => {
  stage = await openStage();
  repository = createTestRepository({ 'shop/one.yaml': configMap('hello') });
  await stage.apply(platform());
  await stage.apply(remote(stage));
  const here = 'server: https://kubernetes.default.svc';
  await stage.apply(application('shop', here, 'back-shop'));
  await stage.apply(application('ours', here, 'back-own', 'back-argocd'));
  await stage.apply(application('far', 'name: blue', 'back-far'));
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

test('a namespace taken off the list is ignored: its objects stay, its status is left as it was, and the admin is told', async () => {
  const controller = await stage.start({ controlPlane: 'back-argocd' });
  for (const name of ['shop', 'far']) await looked(name);
  await stage.patch('ConfigMap', 'back-argocd', 'argocd-cmd-params-cm', { data: { 'application.namespaces': '' } });
  await until(
    () => eventsAbout(stage, 'back-argocd', 'argocd-cmd-params-cm'),
    (events) =>
      events.includes(
        "Warning NamespaceIgnored: namespace 'back-team' is no longer listed: its 2 Applications are ignored, and what they have deployed stays as it is",
      ),
  );
  const before = await view('shop');
  repository.commit({ 'shop/one.yaml': configMap('ignored') });
  // An Application of the control plane shows that the commit was seen.
  const head = repository.git('rev-parse', 'HEAD');
  await untilApp(stage, 'back-argocd', 'ours', (app) => isSynced(app) && app?.status?.sync?.revision === head);
  assert.equal(await greeting('back-own'), 'ignored');
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

/** Waits until the controller that runs now has looked at an Application. */
async function looked(name: string): Promise<void> {
  const refresh = 'argocd.argoproj.io/refresh';
  await stage.patch('Application', 'back-team', name, { metadata: { annotations: { [refresh]: 'normal' } } });
  await untilApp(stage, 'back-team', name, (app) => app?.metadata.annotations?.[refresh] === undefined);
}

async function settings(data: Record<string, string>): Promise<void> {
  await stage.patch('ConfigMap', 'back-argocd', 'argocd-cm', { data });
}

function configMap(text: string): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\ndata: {greeting: ${text}}\n`;
}

function platform(): string {
  return `
${namespaces('back-argocd', 'back-team', 'back-shop', 'back-far', 'back-own')}
${deployer('back-shop/deployer')}${deployer('back-own/default')}---
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
function remote({ cluster: { url, ca, adminToken: token } }: Stage): string {
  return clusterSecret('back-team/blue', { url, ca, token }, { project: 'back', namespaces: 'back-far' });
}

function application(name: string, cluster: string, to: string, home = 'back-team'): string {
  return `
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: ${name}, namespace: ${home}}
spec:
  project: back
  source: {repoURL: '${repository.url}', path: shop, targetRevision: main}
  destination: {${cluster}, namespace: ${to}}
  syncPolicy: {automated: {prune: true}}
`;
}
