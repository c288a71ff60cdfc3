import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Attempts, gate, openAttempts, operationOf } from '../support/attempts.ts';
import { appView, isOver, isSynced, type Stage, until } from '../support/story.ts';
import { conditionText, configMap, type Threat } from '../support/threat.ts';

// What a tenant tries with its Application, as the controller answers it: its project, its operations, its status, its
// deletion; each attempt in the tenant's own namespace. What it tries with manifests is in attempts-manifests.

let attempts: Attempts;
let stage: Stage;
let threat: Threat;

const waves = Array.from({ length: 10 }, (_, n) => n);

before(async () => {
  attempts = await openAttempts('att', {
    ...Object.fromEntries(
      waves.map((n) => [
        `waves/${n}.yaml`,
        n === 1 ? gate : configMap(`wave-${n}`, `annotations: {argocd.argoproj.io/sync-wave: "${n}"}`),
      ]),
    ),
    'last/good.yaml': configMap('beside-last'),
    'last/role.yaml':
      'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: att-last, annotations: {argocd.argoproj.io/hook: PreDelete}}\nrules: []\n',
    'last/post.yaml': configMap(
      'att-last',
      'namespace: kube-system, annotations: {argocd.argoproj.io/hook: PostDelete}',
    ),
    'gone/one.yaml': configMap('moved'),
    'forged/one.yaml': configMap('forged'),
    'life/one.yaml': configMap('life'),
  });
  ({ stage, threat } = attempts);
});

after(() => attempts?.close());

const mine: Attempts['mine'] = (...asked) => attempts.mine(...asked);
const here: Attempts['here'] = (...asked) => attempts.here(...asked);

test('T-010 the project toggled during a sync: nothing is written for the other one', async () => {
  await threat.tenant.apply(mine('toggled', 'waves'));
  await threat.seen('toggled', (app) => app.status?.operationState?.message?.includes('gate') === true);
  for (let n = 0; n < 30; n++)
    await threat.tenant.patch('Application', 'att-a', 'toggled', {
      spec: { project: n % 2 === 0 ? 'att-plat' : 'att-a' },
    });
  await threat.tenant.patch('Application', 'att-a', 'toggled', { spec: { project: 'att-plat' } });
  const app = await threat.seen('toggled', (found) => conditionText(found).includes('not permitted') && isOver(found));
  assert.match(
    conditionText(app),
    /application 'toggled' in namespace 'att-a' is not permitted to use project 'att-plat'/,
  );
  assert.match(operationOf(app), /^Error: /);
  assert.deepEqual(
    stage.writes('configmaps', 'att-plat').filter(({ objectRef }) => objectRef?.name?.startsWith('wave-')),
    [],
  );
  await threat.tenant.remove('Application', 'att-a', 'toggled');
  await clearWaves();
});

for (const [id, what, change, back] of [
  [
    'T-011',
    'the project stops listing the namespace',
    () => stage.patch('AppProject', 'att-argocd', 'att-a', { spec: { sourceNamespaces: [] } }),
    () => stage.patch('AppProject', 'att-argocd', 'att-a', { spec: { sourceNamespaces: ['att-a'] } }),
  ],
  [
    'T-012',
    'the project is deleted',
    () => stage.remove('AppProject', 'att-argocd', 'att-a'),
    () => attempts.restoreProject(),
  ],
] as const)
  test(`${id} ${what} during a sync of ten waves: it ends with the reason, nothing is pruned, the Application stays`, async () => {
    await attempts.restoreProject();
    await threat.tenant.apply(mine('stopped', 'waves', { policy: 'automated: {prune: true}' }));
    await threat.seen('stopped', (app) => app.status?.operationState?.message?.includes('gate') === true);
    await change();
    const app = await threat.seen('stopped', isOver);
    assert.match(operationOf(app), /^(Failed|Error): .*project/);
    await stage.patch('Service', 'att-a', 'gate', { metadata: { labels: { touched: 'yes' } } });
    await sleep(500);
    assert.equal(await here('ConfigMap', 'att-a', 'wave-2'), false);
    assert.equal(await here('ConfigMap', 'att-a', 'wave-0'), true);
    await back();
    await threat.tenant.remove('Application', 'att-a', 'stopped');
    await clearWaves();
  });

test('T-015 an operation that claims to be somebody’s is not told as theirs', async () => {
  await threat.tenant.apply(mine('claimed', 'good', { policy: 'syncOptions: []' }));
  await threat.seen('claimed', (app) => app.status?.sync?.status === 'OutOfSync');
  await threat.tenant.patch('Application', 'att-a', 'claimed', {
    operation: { sync: {}, initiatedBy: { username: 'admin' } },
  });
  const app = await threat.seen('claimed', (found) => isOver(found) && (found.status?.history?.length ?? 0) > 0);
  assert.match(operationOf(app), /^Succeeded/);
  assert.doesNotMatch(JSON.stringify(app.status), /admin/);
  const told = (await stage.list('Event', 'att-a')).map((event) => String(event['message'])).join('\n');
  assert.doesNotMatch(told, /admin/);
  await threat.tenant.remove('Application', 'att-a', 'claimed');
});

test('T-016 a forged status is computed anew, and a forged line of history leads nowhere', async () => {
  await threat.tenant.apply(mine('forged', 'forged', { policy: 'syncOptions: []' }));
  await threat.seen('forged', (app) => app.status?.sync?.status === 'OutOfSync');
  const foreign = { repoURL: 'file:///srv/platform', path: '.' };
  await threat.tenant.patch('Application', 'att-a', 'forged', {
    status: {
      sync: { status: 'Synced' },
      health: { status: 'Healthy' },
      operationState: {
        phase: 'Succeeded',
        operation: { sync: {} },
        message: 'successfully synced',
        startedAt: '2026-01-01T00:00:00Z',
      },
      history: [{ id: 0, revision: 'main', source: foreign, deployedAt: '2026-01-01T00:00:00Z' }],
    },
  });
  await threat.seen(
    'forged',
    (app) => app.status?.sync?.status === 'OutOfSync' && app.status.health?.status === 'Missing',
  );
  await threat.tenant.patch('Application', 'att-a', 'forged', {
    operation: { sync: { revision: 'main', source: foreign } },
  });
  const app = await threat.seen('forged', (found) => isOver(found) && operationOf(found).includes('not permitted'));
  assert.equal(operationOf(app), "Error: application repo file:///srv/platform is not permitted in project 'att-a'");
  // The same as an operation that seems to be under way.
  await threat.tenant.patch('Application', 'att-a', 'forged', {
    status: {
      operationState: {
        phase: 'Running',
        operation: { sync: { source: foreign } },
        message: 'forged',
        startedAt: '2026-01-01T00:00:00Z',
        syncResult: {
          revision: 'main',
          resources: [{ kind: 'ConfigMap', name: 'x', namespace: 'att-b', hookPhase: 'Running' }],
        },
      },
    },
  });
  const again = await threat.seen('forged', (found) => isOver(found) && operationOf(found).includes('not permitted'));
  assert.match(operationOf(again), /^Error: .*file:\/\/\/srv\/platform is not permitted/);
  assert.equal(await here('ConfigMap', 'att-a', 'forged'), false);
  await threat.tenant.remove('Application', 'att-a', 'forged');
});

test("T-017 a forged list of resources deletes nothing of the neighbour's", async () => {
  await threat.tenant.apply(
    mine('forged', 'forged', { metadata: 'finalizers: [resources-finalizer.argocd.argoproj.io]' }),
  );
  await threat.seen('forged', isSynced);
  await threat.tenant.patch('Application', 'att-a', 'forged', {
    status: { resources: [{ version: 'v1', kind: 'ConfigMap', namespace: 'att-b', name: 'canary', status: 'Synced' }] },
  });
  await threat.tenant.remove('Application', 'att-a', 'forged');
  await until(
    () => threat.view('forged'),
    (app) => app === undefined,
  );
  assert.equal(await here('ConfigMap', 'att-a', 'forged'), false);
  assert.equal(await here('ConfigMap', 'att-b', 'canary'), true);
});

test('T-018 a destination edited before the deletion: nothing there is deleted', async () => {
  await threat.tenant.apply(
    mine('moved', 'gone', { metadata: 'finalizers: [resources-finalizer.argocd.argoproj.io]' }),
  );
  await threat.seen('moved', isSynced);
  await stage.apply(configMap('moved', 'namespace: att-b'));
  await threat.tenant.patch('Application', 'att-a', 'moved', { spec: { destination: { namespace: 'att-b' } } });
  await threat.tenant.remove('Application', 'att-a', 'moved');
  const app = await threat.seen('moved', (found) => conditionText(found) !== '');
  assert.match(conditionText(app), /do not match any of the allowed destinations in project 'att-a'/);
  assert.equal(await here('ConfigMap', 'att-b', 'moved'), true);
  // Put right, it goes on and takes what is its own.
  await threat.tenant.patch('Application', 'att-a', 'moved', { spec: { destination: { namespace: 'att-a' } } });
  await until(
    () => threat.view('moved'),
    (each) => each === undefined,
  );
  assert.equal(await here('ConfigMap', 'att-a', 'moved'), false);
  assert.equal(await here('ConfigMap', 'att-b', 'moved'), true);
});

test('T-019 hooks of a deletion outside the project are not made, and the Application says why', async () => {
  await threat.tenant.apply(mine('last'));
  await threat.seen('last', isSynced);
  await until(
    () => threat.view('last'),
    (app) => (app?.metadata.finalizers ?? []).length === 4,
  );
  await threat.tenant.remove('Application', 'att-a', 'last');
  const app = await threat.seen('last', (found) => conditionText(found).includes('DeletionError'));
  assert.match(conditionText(app), /resource rbac.authorization.k8s.io:ClusterRole is not permitted in project att-a/);
  assert.equal(await here('ClusterRole', '', 'att-last'), false);
  assert.equal(await here('ConfigMap', 'kube-system', 'att-last'), false);
  // A person may let it go without its hooks.
  await threat.tenant.patch('Application', 'att-a', 'last', { metadata: { finalizers: null } });
  await until(
    () => threat.view('last'),
    (each) => each === undefined,
  );
  assert.equal(await here('ConfigMap', 'kube-system', 'att-last'), false);
});

test('T-051 an Application made anew inherits nothing of the one before', async () => {
  await threat.tenant.apply(mine('life'));
  const first = await threat.seen('life', isSynced);
  assert.equal(first.status?.history?.length, 1);
  await threat.tenant.remove('Application', 'att-a', 'life');
  await until(
    () => threat.view('life'),
    (app) => app === undefined,
  );
  await threat.tenant.apply(mine('life', 'life', { policy: 'syncOptions: []' }));
  const second = await threat.seen('life', isSynced);
  assert.equal(second.status?.history, undefined);
  assert.equal(second.status?.operationState, undefined);
  await threat.tenant.remove('Application', 'att-a', 'life');
});

test('in all of this nothing was written beyond the rights of the tenant', async () => {
  assert.deepEqual(threat.trespasses(), []);
  assert.ok(isSynced(await appView(stage, 'att-b', 'good')));
});

/** Takes away what a sync of the waves left. */
async function clearWaves(): Promise<void> {
  for (const { metadata } of await stage.list('ConfigMap', 'att-a'))
    if (metadata.name?.startsWith('wave-')) await stage.remove('ConfigMap', 'att-a', metadata.name);
  if (await here('Service', 'att-a', 'gate')) await stage.remove('Service', 'att-a', 'gate');
  await until(
    () => stage.get('Service', 'att-a', 'gate'),
    (object) => object === undefined,
  );
}
