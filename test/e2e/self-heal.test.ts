import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestRepository, type TestRepository } from '../support/git-repository.ts';
import { type AppView, appView, isSynced, openStage, type Stage, until } from '../support/story.ts';
import { tenantPlatform } from '../support/tenant.ts';

let stage: Stage;
let repository: TestRepository;

before(async () => {
  stage = await openStage();
  repository = createTestRepository({
    'shop/one.yaml': configMap('one', 'hello'),
    'shop/two.yaml': configMap('two', 'hello'),
    'other/three.yaml': configMap('three', 'hello'),
  });
  await stage.apply(tenantPlatform('heal'));
  await stage.start({ controlPlane: 'heal-argocd', appNamespaces: ['heal-team'] });
  await stage.apply(application('shop', '{prune: true, selfHeal: true}'));
  await stage.apply(application('other', '{}'));
  await until(() => view('shop'), isSynced);
  await until(() => view('other'), isSynced);
});

after(async () => {
  await stage?.stop();
  repository?.remove();
});

const view = (name: string): Promise<AppView | undefined> => appView(stage, 'heal-team', name);
const greeting = async (name: string): Promise<unknown> =>
  ((await stage.get('ConfigMap', 'heal-shop', name))?.['data'] as { greeting?: unknown } | undefined)?.greeting;

test('32: what somebody changes in the cluster is put back, only that, without hooks or history', async () => {
  const history = (await view('shop'))?.status?.history?.length;
  await stage.patch('ConfigMap', 'heal-shop', 'one', { data: { greeting: 'drifted' } });
  await until(
    () => greeting('one'),
    (text) => text === 'hello',
  );
  const app = await until(
    () => view('shop'),
    (found) => isSynced(found) && found?.status?.operationState?.syncResult?.resources?.length === 1,
  );
  assert.deepEqual(
    app?.status?.operationState?.syncResult?.resources?.map(({ name }) => name),
    ['one'],
  );
  assert.equal(app?.status?.history?.length, history);
});

test('a deleted object is made again', async () => {
  await stage.remove('ConfigMap', 'heal-shop', 'two');
  await until(
    () => greeting('two'),
    (text) => text === 'hello',
  );
});

test('34: without selfHeal the drift is told and left', async () => {
  await stage.patch('ConfigMap', 'heal-shop', 'three', { data: { greeting: 'drifted' } });
  await until(
    () => view('other'),
    (app) => app?.status?.sync?.status === 'OutOfSync',
  );
  await sleep(500);
  assert.equal(await greeting('three'), 'drifted');
});

test('a field taken out of Git goes from the object', async () => {
  repository.commit({
    'shop/one.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\ndata: {farewell: bye}\n',
  });
  const object = await until(
    () => stage.get('ConfigMap', 'heal-shop', 'one'),
    (found) => (found?.['data'] as { farewell?: string } | undefined)?.farewell === 'bye',
  );
  assert.deepEqual(object?.['data'], { farewell: 'bye' });
});

test('103: what somebody else adds is none of our business', async () => {
  await until(() => view('shop'), isSynced);
  await stage.patch('ConfigMap', 'heal-shop', 'one', { data: { theirs: 'stays' } });
  await sleep(700);
  const object = await stage.get('ConfigMap', 'heal-shop', 'one');
  assert.deepEqual(object?.['data'], { farewell: 'bye', theirs: 'stays' });
  assert.ok(isSynced(await view('shop')));
});

test('at rest nothing is written', async () => {
  const count = (): number =>
    stage.writes('applications', 'heal-team').length + stage.writes('configmaps', 'heal-shop').length;
  await sleep(500);
  const then = count();
  await sleep(2000);
  assert.equal(count(), then);
});

function configMap(name: string, text: string): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {greeting: ${text}}\n`;
}

function application(name: string, automated: string): string {
  return `
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: ${name}, namespace: heal-team}
spec:
  project: heal-team
  source: {repoURL: '${repository.url}', path: ${name}, targetRevision: main}
  destination: {server: https://kubernetes.default.svc, namespace: heal-shop}
  syncPolicy: {automated: ${automated}}
`;
}
