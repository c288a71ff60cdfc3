import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestRepository, type TestRepository } from '../support/git-repository.ts';
import { type AppView, isOver, isSynced, type Stage, until } from '../support/story.ts';
import { attack, configMap, openThreat, openWatchedStage, type Threat } from '../support/threat.ts';

// Two tenants share an installation that impersonates nobody: only the project stands between them. The first writes into
// the status and the operation of its Application whatever might lead elsewhere.

let stage: Stage;
let threat: Threat;
let repository: TestRepository;
let evil: TestRepository;

const settings = `
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm, namespace: rvf-argocd, labels: {app.kubernetes.io/part-of: argocd}}
data: {application.sync.impersonation.enabled: "false", source.allowedHosts: "file:"}
`;

before(async () => {
  stage = await openWatchedStage();
  const hook = 'annotations: {argocd.argoproj.io/hook: PreSync, argocd.argoproj.io/hook-delete-policy: HookSucceeded}';
  repository = createTestRepository({
    'mine/one.yaml': configMap('mine'),
    'theirs/one.yaml': configMap('theirs'),
    'hook/pre.yaml': configMap('theirs', `namespace: rvf-b, ${hook}`),
    'hook/one.yaml': configMap('beside'),
  });
  evil = createTestRepository({ 'all/evil.yaml': configMap('evil') });
  threat = await openThreat(stage, 'rvf');
  await stage.apply(settings);
  await stage.patch('AppProject', 'rvf-argocd', 'rvf-a', { spec: { sourceRepos: [repository.url] } });
  await stage.start({ controlPlane: 'rvf-argocd', appNamespaces: ['rvf-a', 'rvf-b'] });
  const theirs = attack(threat, 'theirs', source('theirs'), { project: 'rvf-b', namespace: 'rvf-b' });
  await stage.apply(theirs.replace('namespace: rvf-a', 'namespace: rvf-b'));
  // One after the other they would take long: what others have begun is left to them for a while.
  const mine = [...forgeries.map((_, n) => `mine-${n}`), 'named'];
  for (const name of mine) await threat.tenant.apply(attack(threat, name, source('mine'), { policy: '' }));
  for (const name of mine) await threat.seen(name, (app) => app.status?.sync?.status === 'OutOfSync');
  for (const [n, [, body]] of forgeries.entries())
    await threat.tenant.patch('Application', 'rvf-a', `mine-${n}`, body());
  await threat.tenant.patch('Application', 'rvf-a', 'named', named);
  await until(
    () => stage.get('ConfigMap', 'rvf-b', 'theirs'),
    (map) => map !== undefined,
    60_000,
  );
});

after(async () => {
  await threat?.close();
  await stage?.stop();
  repository?.remove();
  evil?.remove();
});

const source = (path: string): string => `repoURL: '${repository.url}', path: ${path}`;
const elsewhere = (): object => ({ repoURL: evil.url, path: 'all', targetRevision: 'main' });
const running = (sync: object, more: object = {}): object => ({
  operation: { sync: {} },
  status: { operationState: { phase: 'Running', startedAt: '2026-01-01T00:00:00Z', operation: { sync }, ...more } },
});
const row = { kind: 'ConfigMap', name: 'theirs', namespace: 'rvf-b', version: 'v1' };

const forgeries: readonly [what: string, body: () => object, message: RegExp][] = [
  ['an operation from another repository', () => ({ operation: { sync: { source: elsewhere() } } }), /not permitted/],
  ['several such sources', () => ({ operation: { sync: { sources: [elsewhere()] } } }), /not permitted/],
  ['an operation under way from another repository', () => running({ source: elsewhere() }), /not permitted/],
  ['an operation under way with manifests in it', () => running({ manifests: [configMap('evil')] }), /not permitted/],
  [
    'an attempt that waits to go on from another repository',
    () => running({ sources: [elsewhere()] }, { finishedAt: '2026-01-01T00:00:00Z', retryCount: 1 }),
    /not permitted/,
  ],
];

const named = {
  ...running(
    { prune: true },
    {
      syncResult: {
        resources: [
          { ...row, status: 'Pruned', hookPhase: 'Running', syncPhase: 'PreSync', hookType: 'PreSync' },
          { ...row, status: 'Synced', hookPhase: 'Running', syncPhase: 'Sync' },
        ],
      },
    },
  ),
  metadata: { finalizers: ['resources-finalizer.argocd.argoproj.io'] },
};

for (const [n, [what, , message]] of forgeries.entries()) {
  test(`${what} ends with the reason, and brings nothing`, async () => {
    const app = await threat.seen(`mine-${n}`, (seen) => isOver(seen) && message.test(messageOf(seen)));
    assert.equal(app.status?.operationState?.phase, 'Error');
    assert.equal(await stage.get('ConfigMap', 'rvf-a', 'evil'), undefined);
  });
}

test('names of objects in a forged result lead to nobody else’s objects', async () => {
  await threat.seen('named', (app) => isOver(app));
  await threat.tenant.patch('Application', 'rvf-a', 'named', { status: { resources: [{ ...row, status: 'Synced' }] } });
  await threat.tenant.remove('Application', 'rvf-a', 'named');
  await until(
    () => threat.view('named'),
    (app) => app === undefined,
    60_000,
  );
  assert.notEqual(await stage.get('ConfigMap', 'rvf-b', 'theirs'), undefined);
});

test('a hook that is the neighbour’s object is refused before anything is made, and deletes nothing', async () => {
  await threat.tenant.apply(attack(threat, 'hook', source('hook')));
  const app = await threat.seen('hook', isOver);
  assert.match(messageOf(app), /namespace rvf-b is not permitted in project 'rvf-a'/);
  assert.equal(await stage.get('ConfigMap', 'rvf-a', 'beside'), undefined);
});

test('in all of this the neighbour’s objects were written by the neighbour’s Application once', async () => {
  const writes = stage.writes('configmaps', 'rvf-b').filter(({ userAgent }) => userAgent === 'argosy/controller');
  assert.deepEqual(
    writes.map(({ verb, objectRef }) => `${verb} ${objectRef?.name}`),
    ['patch theirs'],
  );
  const map = await stage.get('ConfigMap', 'rvf-b', 'theirs');
  assert.equal(map?.metadata.annotations?.['argocd.argoproj.io/tracking-id'], 'rvf-b_theirs:/ConfigMap:rvf-b/theirs');
  assert.ok(isSynced(await viewOfNeighbour()));
});

function messageOf(app: AppView): string {
  return app.status?.operationState?.message ?? '';
}

async function viewOfNeighbour(): Promise<AppView> {
  return (await stage.get('Application', 'rvf-b', 'theirs')) as unknown as AppView; // read field by field
}
