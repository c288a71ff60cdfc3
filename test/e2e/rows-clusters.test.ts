import assert from 'node:assert/strict';
import { createServer, type Server, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { createTestRepository, type TestRepository } from '../support/git-repository.ts';
import {
  type AppView,
  calls,
  conditionsOf,
  eventsAbout,
  isSynced,
  openStage,
  type Stage,
  tokenOf,
  until,
  untilApp,
  writersIn,
} from '../support/story.ts';
import { clusterSecret, configMap, deployer, namespaces, settings } from '../support/tenant.ts';

const plane = 'j-argocd';

let stage: Stage;
let repository: TestRepository;
/** Takes connections and never says a word. */
let mute: Server;
let dialled = 0;
const held = new Set<Socket>();
let muteUrl = '';

before(async () => {
  stage = await openStage();
  mute = createServer((socket) => {
    dialled++;
    held.add(socket);
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
  const address = mute.address();
  muteUrl = `https://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}`;
  repository = createTestRepository({ 'shop/map.yaml': configMap('shop') });
  await stage.apply(namespaces(plane, 'j-a', 'j-b', 'j-c', 'j-d', 'j-dev', 'j-stage', 'j-prod'));
  await stage.apply(deployer('j-a/tenant', ['j-dev', 'j-stage']) + deployer('j-b/tenant', ['j-stage', 'j-prod']));
  const hosts = `${new URL(stage.cluster.url).host}, ${new URL(muteUrl).host}`;
  await stage.apply(settings(plane, { 'cluster.tenant.allowedHosts': hosts }));
  await stage.apply(project('sample', ['j-a', 'j-b', 'j-c', 'j-d']) + project('foreign', ['j-b']));
  const appNamespaces = ['j-a', 'j-b', 'j-c', 'j-d'];
  await stage.start({ controlPlane: plane, appNamespaces }, { rhythm: { patienceMs: 5000 } });
});

after(async () => {
  const closed = new Promise((resolve) => mute?.close(resolve));
  for (const socket of held) socket.destroy();
  await closed;
  await stage?.stop();
  repository?.remove();
});

function project(name: string, from: readonly string[]): string {
  return `---
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: ${name}, namespace: ${plane}}
spec:
  sourceRepos: ['*']
  sourceNamespaces: ${JSON.stringify(from)}
  destinations:
  - {server: '${stage.cluster.url}', namespace: j-dev}
  - {server: '${stage.cluster.url}', namespace: j-stage}
  - {server: '${stage.cluster.url}', namespace: j-prod}
`;
}

/** A Secret for the one address, with the credential of the tenant in `from`. */
async function secret(home: string, name: string, from: string, data: Readonly<Record<string, string>> = {}) {
  const way = { url: stage.cluster.url, ca: stage.cluster.ca, token: await token(from) };
  await stage.apply(clusterSecret(`${home}/${name}`, way, { project: 'sample', ...data }));
}

const tokens = new Map<string, string>();

/** Always the same for a tenant: two Secrets with it are equal to the byte. */
async function token(from: string): Promise<string> {
  const known = tokens.get(from) ?? (await tokenOf(stage, from, 'tenant'));
  tokens.set(from, known);
  return known;
}

function application(home: string, name: string, destination: string): string {
  return `---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: ${name}, namespace: ${home}}
spec:
  project: sample
  source: {repoURL: '${repository.url}', path: shop, targetRevision: main}
  destination: {${destination}}
  syncPolicy: {automated: {selfHeal: true}}
`;
}

const app = (home: string, name: string, good: (found: AppView | undefined) => boolean): Promise<AppView> =>
  untilApp(stage, home, name, good);
const has = (text: string) => (found: AppView | undefined) => conditionsOf(found).some((each) => each.includes(text));
const user = (home: string): string => `system:serviceaccount:${home}:tenant`;
/** By whom ConfigMaps of a namespace were listed or watched. */
const readers = (namespace: string): string[] =>
  [
    ...new Set(
      calls(stage, 'configmaps', namespace)
        .filter(({ verb }) => verb === 'list' || verb === 'watch')
        .map((event) => event.user.username),
    ),
  ].sort();
const push = (text: string): string => repository.commit({ 'shop/map.yaml': configMap('shop', '', text) });
const absent = 'there are no clusters with this name: own';

test('J13 a cluster that the declared destinations do not allow is refused, and no connection is made for it', async () => {
  const way = { url: muteUrl, ca: stage.cluster.ca, token: 'none' };
  await stage.apply(clusterSecret('j-c/beyond', way, { project: 'sample' }));
  await stage.apply(application('j-c', 'beyond', 'name: beyond, namespace: j-dev'));
  const refused = await app('j-c', 'beyond', has('do not match'));
  assert.deepEqual(conditionsOf(refused), [
    "InvalidSpecError: application destination server 'beyond' and namespace 'j-dev' do not match any of the allowed destinations in project 'sample'",
  ]);
  assert.equal(dialled, 0);
});

test('J45 a Secret the controller rejects is never connected to, whatever else may have let it in', async () => {
  const way = { url: muteUrl, ca: stage.cluster.ca, token: 'none' };
  await stage.apply(clusterSecret('j-c/rejected', way, { project: 'foreign' }));
  await stage.apply(application('j-c', 'rejected', 'name: rejected, namespace: j-dev'));
  const refused = await app('j-c', 'rejected', (found) => conditionsOf(found).length > 0);
  assert.deepEqual(conditionsOf(refused), ['InvalidSpecError: there are no clusters with this name: rejected']);
  const told = await until(
    () => eventsAbout(stage, 'j-c', 'rejected'),
    (events) => events.some((event) => event.includes('ClusterRejected')),
  );
  assert.match(
    told.find((event) => event.includes('ClusterRejected')) ?? '',
    /^Warning ClusterRejected: .*foreign.*j-c/,
  );
  assert.equal(dialled, 0);
});

test('J16 tenants with different rights at one address each deploy with their own credential, from separate caches', async () => {
  await secret('j-a', 'own', 'j-a', { namespaces: 'j-dev, j-stage' });
  await secret('j-b', 'own', 'j-b', { namespaces: 'j-stage, j-prod' });
  await stage.apply(application('j-a', 'shop', 'name: own, namespace: j-dev'));
  await stage.apply(application('j-b', 'shop', `server: '${stage.cluster.url}', namespace: j-prod`));
  for (const home of ['j-a', 'j-b']) await app(home, 'shop', isSynced);
  assert.deepEqual(writersIn(stage, 'j-dev'), [user('j-a')]);
  assert.deepEqual(writersIn(stage, 'j-prod'), [user('j-b')]);
  assert.deepEqual([readers('j-dev'), readers('j-prod')], [[user('j-a')], [user('j-b')]]);
  assert.deepEqual(readers('j-stage'), [user('j-a'), user('j-b')]);
  const stray = application('j-a', 'stray', 'name: own, namespace: j-prod');
  await stage.apply(stray);
  const failed = await app('j-a', 'stray', (found) => conditionsOf(found).length > 0 || found?.operation !== undefined);
  assert.match(JSON.stringify(failed.status), /j-prod/);
  assert.deepEqual(writersIn(stage, 'j-prod').includes(user('j-a')), false);
});

test('J17 the same address with the same configuration works for both', async () => {
  // The credential of j-a, given to j-c as well: the Secrets are equal to the byte.
  await secret('j-c', 'own', 'j-a', { namespaces: 'j-dev, j-stage' });
  await stage.apply(application('j-c', 'shop', 'name: own, namespace: j-stage'));
  await app('j-c', 'shop', isSynced);
  assert.deepEqual(writersIn(stage, 'j-stage'), [user('j-a')]);
});

test('J19 a Secret that is deleted takes its own cluster away, and nobody else’s', async () => {
  await stage.remove('Secret', 'j-a', 'own');
  const lost = await app('j-a', 'shop', has(absent));
  assert.deepEqual([lost.status?.sync?.status, lost.status?.health?.status], ['Unknown', 'Unknown']);
  push('after J19');
  const head = repository.git('rev-parse', 'HEAD');
  for (const home of ['j-b', 'j-c'])
    await app(home, 'shop', (found) => isSynced(found) && found?.status?.sync?.revision === head);
  assert.match(JSON.stringify(await stage.get('ConfigMap', 'j-dev', 'shop')), /hello/);
  await secret('j-a', 'own', 'j-a', { namespaces: 'j-dev, j-stage' });
  await app('j-a', 'shop', (found) => isSynced(found) && found?.status?.sync?.revision === head);
});

test('J20 a Secret that turns to a foreign project is rejected at once, and its Applications lose the cluster', async () => {
  await secret('j-a', 'own', 'j-a', { namespaces: 'j-dev, j-stage', project: 'foreign' });
  await app('j-a', 'shop', has(absent));
  const told = await until(
    () => eventsAbout(stage, 'j-a', 'own'),
    (events) => events.some((event) => event.includes('ClusterRejected')),
  );
  assert.match(told.join('\n'), /Warning ClusterRejected: .*foreign/);
  const before = calls(stage, 'configmaps', 'j-dev').length;
  push('after J20');
  await app(
    'j-b',
    'shop',
    (found) => isSynced(found) && found?.status?.sync?.revision === repository.git('rev-parse', 'HEAD'),
  );
  assert.equal(calls(stage, 'configmaps', 'j-dev').length, before, 'nothing more is asked there');
  await secret('j-a', 'own', 'j-a', { namespaces: 'j-dev, j-stage' });
  await app('j-a', 'shop', isSynced);
});

test('J21 a project that drops the namespace takes Secret and Applications with it; live objects stay', async () => {
  await stage.apply(project('sample', ['j-b', 'j-c', 'j-d']));
  const refused = await app('j-a', 'shop', has('UnknownError'));
  assert.deepEqual(conditionsOf(refused), [
    "UnknownError: application 'shop' in namespace 'j-a' is not permitted to use project 'sample'",
  ]);
  push('after J21');
  await app(
    'j-b',
    'shop',
    (found) => isSynced(found) && found?.status?.sync?.revision === repository.git('rev-parse', 'HEAD'),
  );
  assert.match(JSON.stringify(await stage.get('ConfigMap', 'j-dev', 'shop')), /after J20/);
  assert.deepEqual(
    calls(stage, 'configmaps', 'j-dev').filter(({ verb }) => verb === 'delete'),
    [],
  );
});

test('a credential the cluster does not accept is told as such, without anything it answered', async () => {
  await stage.apply(
    clusterSecret(
      'j-d/expired',
      { url: stage.cluster.url, ca: stage.cluster.ca, token: 'canary-x' },
      { project: 'sample' },
    ),
  );
  await stage.apply(application('j-d', 'expired', 'name: expired, namespace: j-dev'));
  const marked = await app('j-d', 'expired', has('ComparisonError'));
  assert.deepEqual(conditionsOf(marked), [
    'ComparisonError: the cluster does not accept the credential of its Secret (401; it may have expired: renew it), so nothing is known of its objects; it is tried again',
  ]);
});

test('J40 a cluster that never answers is marked alone; the others go on', async () => {
  await stage.apply(`${project('sample', ['j-b', 'j-c', 'j-d'])}  - {server: '${muteUrl}', namespace: j-dev}\n`);
  await stage.apply(
    clusterSecret('j-d/silent', { url: muteUrl, ca: stage.cluster.ca, token: 'x' }, { project: 'sample' }),
  );
  await stage.apply(application('j-d', 'silent', 'name: silent, namespace: j-dev'));
  await until(
    () => Promise.resolve(dialled),
    (count) => count > 0,
  );
  push('after J40');
  const head = repository.git('rev-parse', 'HEAD');
  for (const home of ['j-b', 'j-c'])
    await app(home, 'shop', (found) => isSynced(found) && found?.status?.sync?.revision === head);
  const marked = await app('j-d', 'silent', has('ComparisonError'));
  assert.deepEqual(conditionsOf(marked), [
    'ComparisonError: the cluster does not answer, so nothing is known of its objects; it is tried again',
  ]);
  assert.equal(marked.status?.sync?.status, 'Unknown');
});
