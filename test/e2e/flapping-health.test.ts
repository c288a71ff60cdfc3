import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestRepository, type TestRepository } from '../support/git-repository.ts';
import { type AppView, calls, eventsAbout, openStage, type Stage, untilApp } from '../support/story.ts';
import { tenantPlatform } from '../support/tenant.ts';

/** So often health is written in an hour at the most, if nothing else is new. */
const mostWrites = 12;
const flips = 60;

let stage: Stage;
let repository: TestRepository;

/** A thing that is ready once whoever runs it has taken up the version that Git asks for; and that may fail. */
const byState = `
if obj.metadata.name ~= "engine" then return {status = "Healthy"} end
if obj.data.state == "failed" then return {status = "Degraded"} end
if obj.data.state ~= obj.data.version then return {status = "Progressing"} end
return {status = "Healthy"}`;

before(async () => {
  stage = await openStage();
  repository = createTestRepository({ 'shop/engine.yaml': engine('v0') });
  await stage.apply(tenantPlatform('flap', { 'resource.customizations.health.ConfigMap': byState }));
  await stage.start({ controlPlane: 'flap-argocd', appNamespaces: ['flap-team'] });
  await stage.apply(`
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: train, namespace: flap-team}
spec:
  project: flap-team
  source: {repoURL: '${repository.url}', path: shop, targetRevision: main}
  destination: {server: https://kubernetes.default.svc, namespace: flap-shop}
  syncPolicy: {automated: {}}
`);
  await untilTrain(isDoing('Progressing'));
});

after(async () => {
  await stage?.stop();
  repository?.remove();
});

test('every rollout is told: its sync in one write, its end in another', async () => {
  const index = await writes();
  for (let rollout = 1; rollout <= 7; rollout++) {
    const revision = repository.commit({ 'shop/engine.yaml': engine(`v${rollout}`) });
    await untilTrain((app) => app?.status?.sync?.revision === revision && isDoing('Progressing')(app));
    await setState(`v${rollout}`);
    await untilTrain(isDoing('Healthy'));
  }
  assert.equal((await writes()) - index, 2 * 7);
});

test('health that flaps is told rarely, and its last state when it has settled', async () => {
  const index = await writes();
  const told = (await healthEvents()).length;
  for (let flip = 0; flip < flips; flip++) await setState(flip % 2 === 0 ? 'failed' : 'v7');
  await setState('none');
  await untilTrain(isDoing('Progressing'));
  const count = (await writes()) - index;
  assert.ok(count >= 2 && count <= mostWrites, `${count} writes for ${flips} flips`);
  assert.ok((await healthEvents()).length - told <= count, 'more Events than writes');
});

test('a flap that comes back to what stands written is not told at all', async () => {
  const index = await writes();
  for (let flip = 0; flip < 10; flip++) await setState(flip % 2 === 0 ? 'v7' : 'none');
  await untilRefreshed();
  assert.equal((await writes()) - index, 1, 'more was written than the answer to the refresh');
});

test('whoever asks is told what is held back, in the same write', async () => {
  for (let flip = 0; flip < 20; flip++) await setState(flip % 2 === 0 ? 'failed' : 'none');
  await setState('v7');
  const app = await untilRefreshed();
  assert.equal(app.status?.health?.status, 'Healthy');
});

const untilTrain = (good: (app: AppView | undefined) => boolean): Promise<AppView> =>
  untilApp(stage, 'flap-team', 'train', good);
const isDoing =
  (health: string) =>
  (app: AppView | undefined): boolean =>
    app?.status?.sync?.status === 'Synced' && app.operation === undefined && app.status.health?.status === health;
const setState = (state: string): Promise<void> => stage.patch('ConfigMap', 'flap-shop', 'engine', { data: { state } });

/** How often the controller has written the Application so far; the audit log is a little later than what it tells of. */
async function writes(): Promise<number> {
  const count = (): number => calls(stage, 'applications', 'flap-team').filter(({ verb }) => verb === 'patch').length;
  for (;;) {
    const before = count();
    await sleep(200);
    if (count() === before) return before;
  }
}

async function healthEvents(): Promise<string[]> {
  return (await eventsAbout(stage, 'flap-team', 'train')).filter((text) => text.includes('health status'));
}

/** Asks for a refresh and waits for the answer; what was looked at before it is part of that. */
async function untilRefreshed(): Promise<AppView> {
  const annotation = 'argocd.argoproj.io/refresh';
  const body = { metadata: { annotations: { [annotation]: 'normal' } } };
  await stage.patch('Application', 'flap-team', 'train', body);
  const app = await untilTrain((found) => found?.metadata.annotations?.[annotation] === undefined);
  return app;
}

function engine(version: string): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: engine}\ndata: {version: ${version}}\n`;
}
