import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestRepository, type TestRepository } from '../support/git-repository.ts';
import { type AppView, appView, openStage, type Stage, until } from '../support/story.ts';
import { tenantPlatform } from '../support/tenant.ts';

let stage: Stage;
let repository: TestRepository;

const setting = 'resource.customizations.health.ConfigMap';
/** Whoever runs the thing writes its state; Git says nothing about that. */
const byState = `
if obj.metadata.name ~= "engine" then return {status = "Healthy"} end
if obj.data.state == nil then return {status = "Progressing", message = "no state yet"} end
return {status = obj.data.state}`;

before(async () => {
  stage = await openStage();
  repository = createTestRepository({
    'shop/engine.yaml': configMap('engine', 0),
    'shop/wagon.yaml': configMap('wagon', 1),
  });
  await stage.apply(tenantPlatform('lua', { [setting]: byState }));
  await stage.start({ controlPlane: 'lua-argocd', appNamespaces: ['lua-team'] });
  await stage.apply(`
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: train, namespace: lua-team}
spec:
  project: lua-team
  source: {repoURL: '${repository.url}', path: shop, targetRevision: main}
  destination: {server: https://kubernetes.default.svc, namespace: lua-shop}
  syncPolicy: {automated: {}}
`);
});

after(async () => {
  await stage?.stop();
  repository?.remove();
});

const train = (): Promise<AppView | undefined> => appView(stage, 'lua-team', 'train');
const healthIs =
  (status: string) =>
  (app: AppView | undefined): boolean =>
    app?.status?.health?.status === status;
const isOver = (app: AppView | undefined): boolean => app?.status?.operationState?.phase === 'Succeeded';
const setState = (state: string): Promise<void> => stage.patch('ConfigMap', 'lua-shop', 'engine', { data: { state } });

test('a wave waits for what a check of the admin says, and goes on when it says healthy', async () => {
  const waiting = await until(train, (app) => app?.status?.operationState?.message?.includes('healthy state') === true);
  assert.equal(waiting?.status?.operationState?.message, 'waiting for healthy state of /ConfigMap/engine');
  assert.equal(await stage.get('ConfigMap', 'lua-shop', 'wagon'), undefined);
  await setState('Healthy');
  const done = await until(train, (app) => isOver(app) && healthIs('Healthy')(app));
  assert.equal(done?.status?.sync?.status, 'Synced');
});

test('the health of an Application follows the check, without a sync', async () => {
  await setState('Degraded');
  const app = await until(train, healthIs('Degraded'));
  assert.equal(app?.status?.sync?.status, 'Synced');
  await setState('Healthy');
  await until(train, healthIs('Healthy'));
});

test('a status that nobody knows is unknown, never healthy', async () => {
  await setState('Splendid');
  await until(train, healthIs('Unknown'));
  await setState('Healthy');
  await until(train, healthIs('Healthy'));
});

test('a changed check counts at once, and one that does not end is unknown', async () => {
  await stage.patch('ConfigMap', 'lua-argocd', 'argocd-cm', { data: { [setting]: 'while true do end' } });
  const app = await until(train, healthIs('Unknown'));
  const conditions = app?.status?.conditions ?? [];
  assert.match(conditions.find(({ type }) => type === 'ComparisonError')?.message ?? '', /takes more than \d+ steps/);
  assert.equal(app?.status?.sync?.status, 'Synced');
  await stage.patch('ConfigMap', 'lua-argocd', 'argocd-cm', { data: { [setting]: null } });
  await until(train, healthIs('Healthy'));
});

function configMap(name: string, wave: number): string {
  const annotations = `{argocd.argoproj.io/sync-wave: "${wave}"}`;
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, annotations: ${annotations}}\ndata: {a: b}\n`;
}
