import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestRepository, type TestRepository } from '../support/git-repository.ts';
import { isOver, isSynced, type Stage, until } from '../support/story.ts';
import { attack, conditionText, configMap, openThreat, openWatchedStage, type Threat } from '../support/threat.ts';

// Operations with odd wishes, objects with odd names, and a status that somebody else has written.

let stage: Stage;
let threat: Threat;
let repository: TestRepository;

const options = (words: string): string => `annotations: {argocd.argoproj.io/sync-options: '${words}'}`;
const longName = `l${'o'.repeat(251)}g`;

before(async () => {
  stage = await openWatchedStage();
  repository = createTestRepository({
    'hooked/one.yaml': configMap('hooked'),
    'hooked/pre.yaml': configMap('ran-before', 'annotations: {argocd.argoproj.io/hook: PreSync}'),
    'forced/one.yaml': configMap('forced', options('Force=true')),
    'fresh/one.yaml': configMap('fresh', `labels: {bad: 'not a label!'}, ${options('Force=true')}`),
    'proto/one.yaml': configMap('proto', options('ServerSideApply=false'), 'plain: one'),
    'names/one.yaml': configMap('constructor', 'labels: {constructor: constructor}', 'constructor: prototype'),
    'names/two.yaml': configMap(longName),
    'forged/one.yaml': configMap('forged'),
  });
  threat = await openThreat(stage, 'rvo');
  await stage.start({ controlPlane: 'rvo-argocd', appNamespaces: ['rvo-a', 'rvo-b'] });
});

after(async () => {
  await threat?.close();
  await stage?.stop();
  repository?.remove();
});

const source = (path: string): string => `repoURL: '${repository.url}', path: ${path}`;
const deletions = (name: string): unknown[] =>
  stage.writes('configmaps', 'rvo-a').filter(({ verb, objectRef }) => verb === 'delete' && objectRef?.name === name);

test('a dry run of an Application whose hooks have run before ends, and removes nothing', async () => {
  await threat.tenant.apply(attack(threat, 'hooked', source('hooked')));
  await threat.seen('hooked', (app) => isSynced(app) && isOver(app));
  const before = await stage.get('ConfigMap', 'rvo-a', 'ran-before');
  await threat.tenant.patch('Application', 'rvo-a', 'hooked', { operation: { sync: { dryRun: true } } });
  const app = await threat.seen(
    'hooked',
    (seen) => isOver(seen) && seen.status?.operationState?.syncResult?.resources?.length === 2,
  );
  assert.equal(app.status?.operationState?.phase, 'Succeeded', app.status?.operationState?.message);
  const now = await stage.get('ConfigMap', 'rvo-a', 'ran-before');
  assert.deepEqual(now?.metadata.uid, before?.metadata.uid);
});

test('what is forced and cannot be made anew stays as it was, with the words of the API server', async () => {
  await threat.tenant.apply(attack(threat, 'forced', source('forced'), { policy: 'automated: {}, retry: {limit: 0}' }));
  await threat.seen('forced', isSynced);
  const before = await stage.get('ConfigMap', 'rvo-a', 'forced');
  repository.commit({
    'forced/one.yaml': configMap('forced', `labels: {bad: 'not a label!'}, ${options('Force=true')}`),
  });
  const app = await threat.seen('forced', (seen) => seen.status?.operationState?.phase === 'Failed');
  assert.match(app.status?.operationState?.message ?? '', /metadata\.labels: Invalid value/);
  const now = await stage.get('ConfigMap', 'rvo-a', 'forced');
  assert.equal(now?.metadata.uid, before?.metadata.uid, 'it was deleted');
});

test('what is new, forced and invalid is not deleted before it was there', async () => {
  await threat.tenant.apply(attack(threat, 'fresh', source('fresh'), { policy: 'automated: {}, retry: {limit: 0}' }));
  const app = await threat.seen('fresh', isOver);
  assert.match(app.status?.operationState?.message ?? '', /metadata\.labels: Invalid value/);
  assert.deepEqual(deletions('fresh'), []);
});

test('a key named __proto__ is data, also where the client applies', async () => {
  await threat.tenant.apply(attack(threat, 'proto', source('proto')));
  await threat.seen('proto', isSynced);
  const commit = repository.commit({
    'proto/one.yaml': configMap('proto', options('ServerSideApply=false'), '"__proto__": two'),
  });
  await threat.seen('proto', (app) => isSynced(app) && app.status?.sync?.revision === commit);
  const data = (await stage.get('ConfigMap', 'rvo-a', 'proto'))?.['data'];
  assert.equal(JSON.stringify(data), '{"__proto__":"two"}');
});

test('objects and Applications with the names of prototypes, or as long as names may be, are like all others', async () => {
  const name = `n${'a'.repeat(251)}e`;
  for (const each of ['constructor', name]) {
    await threat.tenant.apply(attack(threat, each, source('names')));
    await threat.seen(each, isSynced);
    await threat.tenant.patch('Application', 'rvo-a', each, {
      metadata: { finalizers: ['resources-finalizer.argocd.argoproj.io'] },
    });
    await threat.tenant.remove('Application', 'rvo-a', each);
    await until(
      () => threat.view(each),
      (app) => app === undefined,
      60_000,
    );
    assert.equal(await stage.get('ConfigMap', 'rvo-a', 'constructor'), undefined);
    assert.equal(await stage.get('ConfigMap', 'rvo-a', longName), undefined);
  }
});

test('a status that somebody fills with inventions costs a look, and is computed anew', async () => {
  await threat.tenant.apply(attack(threat, 'forged', source('forged'), { policy: 'automated: {selfHeal: true}' }));
  await threat.seen('forged', isSynced);
  const rows = Array.from({ length: 3000 }, (_, n) => ({ group: `g${n}.example.com`, kind: `K${n}`, name: 'n' }));
  await threat.tenant.patch('Application', 'rvo-a', 'forged', {
    status: {
      reconciledAt: '9999-12-31T23:59:59Z',
      sourceType: 'Plugin',
      sync: { status: 'OutOfSync', revision: '0000000000000000000000000000000000000000' },
      resources: rows,
      history: [{ id: 9007199254740991, deployedAt: '9999-12-31T23:59:59Z', revision: 'x' }],
      operationState: {
        phase: 'Succeeded',
        operation: { sync: { autoHealAttemptsCount: 1000000 } },
        startedAt: '9999-12-31T23:59:59Z',
        finishedAt: '9999-12-31T23:59:59Z',
        syncResult: { revision: '0000000000000000000000000000000000000000', resources: rows },
      },
    },
  });
  const app = await threat.seen('forged', (seen) => isSynced(seen) && seen.status?.resources?.length === 1);
  assert.equal(conditionText(app), '');
  // And it still heals: nothing in the future holds it back.
  await threat.tenant.patch('ConfigMap', 'rvo-a', 'forged', { data: { greeting: 'forged' } });
  await until(
    () => stage.get('ConfigMap', 'rvo-a', 'forged'),
    (map) => (map?.['data'] as { greeting?: string } | undefined)?.greeting === 'hello',
    60_000,
  );
});

test('in all of this nothing was written beyond the rights of the tenant', () => {
  assert.deepEqual(threat.trespasses(), []);
});
