import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { KubeObject } from '../../src/core/objects/index.ts';
import { createTestRepository, type TestRepository } from '../support/git-repository.ts';
import { isOver, type Stage, until } from '../support/story.ts';
import { attack, configMap, openThreat, openWatchedStage, type Threat } from '../support/threat.ts';

// Hooks that leave their names to us, waves that somebody stops in the middle, and what is too large to be told.

let stage: Stage;
let threat: Threat;
let repository: TestRepository;

const wave = 1500;
/** More rows than an object in etcd holds. */
const large = 6000;
const job = (generateName: string, hook: string): string =>
  `apiVersion: batch/v1\nkind: Job\nmetadata: {generateName: ${generateName}, annotations: {argocd.argoproj.io/hook: ${hook}}}\nspec: {suspend: true, template: {spec: {restartPolicy: Never, containers: [{name: c, image: registry.example.com/c:1}]}}}\n`;

before(async () => {
  stage = await openWatchedStage();
  repository = createTestRepository({
    'hooks/one.yaml': configMap('behind-hook'),
    'hooks/pre.yaml': job('mig-', 'PreSync'),
    'hooks/last.yaml': job('bye-', 'PreDelete'),
    'wave/all.yaml': Array.from({ length: wave }, (_, n) => configMap(`wave-${n}`)).join('---\n'),
    'large/all.yaml': Array.from({ length: large }, (_, n) =>
      configMap(`an-object-that-the-project-does-not-permit-${n}`, 'namespace: kube-system'),
    ).join('---\n'),
    'twice/all.yaml': Array.from({ length: 120 }, (_, n) => configMap(`twice-${n % 60}`)).join('---\n'),
    'retry/one.yaml': configMap('no_name'),
  });
  threat = await openThreat(stage, 'stp');
  await stage.start({ controlPlane: 'stp-argocd', appNamespaces: ['stp-a', 'stp-b'] });
});

after(async () => {
  await threat?.close();
  await stage?.stop();
  repository?.remove();
});

const source = (path: string): string => `repoURL: '${repository.url}', path: ${path}`;
const jobs = async (begins: string): Promise<KubeObject[]> =>
  (await stage.list('Job', 'stp-a')).filter(({ metadata }) => metadata.name?.startsWith(begins));

/** Says of a Job what its controller would: that it is over. */
async function finish(name: string): Promise<void> {
  const now = new Date().toISOString().replace(/\.\d+/, '');
  const kind = { group: 'batch', version: 'v1', kind: 'Job', plural: 'jobs', namespaced: true, verbs: [] };
  const conditions = ['SuccessCriteriaMet', 'Complete'].map((type) => ({
    type,
    status: 'True',
    lastTransitionTime: now,
  }));
  const status = { succeeded: 1, startTime: now, completionTime: now, conditions };
  await stage.connection.patch(kind, 'stp-a', name, 'merge', { status }, { subresource: 'status' });
}

test('a hook with a generated name is waited for, run once, and found when it is over', async () => {
  await threat.tenant.apply(attack(threat, 'hooks', source('hooks'), { policy: '' }));
  await threat.tenant.patch('Application', 'stp-a', 'hooks', { operation: { sync: {} } });
  const waiting = await threat.seen('hooks', (app) =>
    /waiting for completion of hook batch\/Job\/mig-/.test(app.status?.operationState?.message ?? ''),
  );
  assert.equal(waiting.status?.operationState?.phase, 'Running');
  const [made, ...more] = await jobs('mig-');
  assert.deepEqual(more, []);
  await finish(made?.metadata.name ?? '');
  const app = await threat.seen('hooks', isOver);
  assert.equal(app.status?.operationState?.phase, 'Succeeded', app.status?.operationState?.message);
  assert.notEqual(await stage.get('ConfigMap', 'stp-a', 'behind-hook'), undefined);
});

test('a hook of a deletion with a generated name is made once, and the Application goes when it is over', async () => {
  await threat.tenant.remove('Application', 'stp-a', 'hooks');
  const [made, ...more] = await until(
    () => jobs('bye-'),
    (found) => found.length > 0,
  );
  assert.deepEqual(more, []);
  await finish(made?.metadata.name ?? '');
  await until(
    () => threat.view('hooks'),
    (app) => app === undefined,
  );
});

test('a sync that is terminated in the middle of a wave ends there', async () => {
  await threat.tenant.apply(attack(threat, 'wave', source('wave'), { policy: '' }));
  await threat.seen('wave', (app) => app.status?.sync?.status === 'OutOfSync');
  const operation = { sync: {} };
  await threat.tenant.patch('Application', 'stp-a', 'wave', { operation });
  await until(
    () => stage.get('ConfigMap', 'stp-a', 'wave-1'),
    (found) => found !== undefined,
  );
  const operationState = { operation, phase: 'Terminating', startedAt: '2026-01-01T00:00:00Z' };
  await threat.tenant.patch('Application', 'stp-a', 'wave', { status: { operationState } });
  const app = await threat.seen('wave', isOver);
  assert.deepEqual(
    [app.status?.operationState?.phase, app.status?.operationState?.message],
    ['Failed', 'Operation terminated'],
  );
  const made = (await stage.list('ConfigMap', 'stp-a')).filter(({ metadata }) => metadata.name?.startsWith('wave-'));
  assert.ok(made.length < wave, `${made.length} of ${wave} were made`);
});

test('a retry that asks for a wait without measure still says what failed', async () => {
  const policy =
    "automated: {}, retry: {limit: -1, backoff: {duration: '5s', factor: 1000000000000000, maxDuration: '0s'}}";
  await threat.tenant.apply(attack(threat, 'retry', source('retry'), { policy }));
  const app = await threat.seen('retry', ({ status }) =>
    /Retrying attempt #1/.test(status?.operationState?.message ?? ''),
  );
  assert.equal(app.status?.operationState?.phase, 'Running');
});

test('a refusal of more objects than a status holds is told all the same', async () => {
  await threat.tenant.apply(attack(threat, 'large', source('large')));
  const app = await threat.seen('large', isOver);
  assert.equal(app.status?.operationState?.phase, 'Failed');
  assert.match(app.status?.operationState?.message ?? '', /namespace kube-system is not permitted/);
});

test('of many warnings of one kind the first are told, and how many more there are', async () => {
  await threat.tenant.apply(attack(threat, 'twice', source('twice'), { policy: '' }));
  const { status } = await threat.seen('twice', (app) => (app.status?.conditions ?? []).length > 0);
  const told = (status?.conditions ?? []).filter(({ type }) => type === 'RepeatedResourceWarning');
  assert.equal(told.length, 51);
  assert.ok(told.some(({ message }) => message === '… and 10 more of this kind'));
});

test('in all of this nothing was written beyond the rights of the tenant', () => {
  assert.deepEqual(threat.trespasses(), []);
});
