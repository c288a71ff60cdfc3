import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestRepository, type TestRepository } from '../support/git-repository.ts';
import { type AppView, appView, type Stage, until } from '../support/story.ts';
import {
  attack,
  conditionText,
  configMap,
  isOver,
  openThreat,
  openWatchedStage,
  type Threat,
} from '../support/threat.ts';

// What a tenant tries with its Application, as the controller answers it; each attempt in the tenant's own namespace.

let stage: Stage;
let threat: Threat;
let repository: TestRepository;

const waves = Array.from({ length: 10 }, (_, n) => n);
/** Never becomes healthy where there is no load balancer, and is gone as soon as it is deleted. */
const gate =
  'apiVersion: v1\nkind: Service\nmetadata: {name: gate, annotations: {argocd.argoproj.io/sync-wave: "1"}}\nspec: {type: LoadBalancer, ports: [{port: 80}]}\n';

before(async () => {
  stage = await openWatchedStage();
  repository = createTestRepository({
    'good/one.yaml': configMap('one'),
    'stolen/plat.yaml': configMap('plat'),
    ...Object.fromEntries(
      waves.map((n) => [
        `waves/${n}.yaml`,
        n === 1 ? gate : configMap(`wave-${n}`, `annotations: {argocd.argoproj.io/sync-wave: "${n}"}`),
      ]),
    ),
    'list/list.yaml': `apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: listed}}
- apiVersion: v1
  kind: List
  items:
  - {apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: att-nested}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}, subjects: [{kind: ServiceAccount, name: tenant, namespace: att-a}]}
`,
    'secrets/list.yaml':
      'apiVersion: v1\nkind: SecretList\nitems:\n- {apiVersion: v1, kind: Secret, metadata: {name: hidden, namespace: att-b}}\n',
    'marked/one.yaml': configMap(
      'marked',
      "annotations: {argocd.argoproj.io/tracking-id: 'plat:/ConfigMap:att-a/marked'}",
    ),
    'owned/one.yaml': configMap(
      'owned',
      'ownerReferences: [{apiVersion: v1, kind: Namespace, name: att-b, uid: 00000000-0000-4000-8000-000000000000}]',
    ),
    'fifty/bad.yaml': configMap('bad', 'namespace: kube-system'),
    ...Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`fifty/${n}.yaml`, configMap(`fifty-${n}`)])),
    'spy/secret.yaml': 'apiVersion: v1\nkind: Secret\nmetadata: {name: canary, namespace: att-b}\n',
    'spy/map.yaml': configMap('canary', 'namespace: att-b'),
    'spy/managed.yaml': configMap('one', 'namespace: att-b'),
    ...Object.fromEntries(
      ['PreSync', 'Sync', 'PostSync', 'SyncFail'].flatMap((phase) => [
        [
          `hook-${phase.toLowerCase()}/hook.yaml`,
          configMap('outside', `namespace: att-b, annotations: {argocd.argoproj.io/hook: ${phase}}`),
        ],
        [`hook-${phase.toLowerCase()}/good.yaml`, configMap(`beside-${phase.toLowerCase()}`)],
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
  threat = await openThreat(stage, 'att');
  await restoreProject();
  await stage.apply(configMap('canary', 'namespace: att-b', 'secret: c4n4ry-b'));
  await stage.apply(
    'apiVersion: v1\nkind: Secret\nmetadata: {name: canary, namespace: att-b}\nstringData: {key: c4n4ry-s}\n',
  );
  await stage.start({ controlPlane: 'att-argocd', appNamespaces: ['att-a', 'att-b'] });
  // The neighbours, who must not notice anything of it.
  await stage.apply(neighbour('plat', 'att-argocd', 'stolen', 'att-plat'));
  await stage.apply(neighbour('good', 'att-b', 'good', 'att-b'));
  await until(() => appView(stage, 'att-argocd', 'plat'), synced, 120_000);
  await until(() => appView(stage, 'att-b', 'good'), synced, 120_000);
});

after(async () => {
  await threat?.tenant.close();
  await stage?.stop();
  repository?.remove();
});

const synced = (app: AppView | undefined): boolean =>
  app?.status?.sync?.status === 'Synced' && app.operation === undefined;
const source = (path: string): string => `repoURL: '${repository.url}', path: ${path}, targetRevision: main`;
const mine = (name: string, path = name, more: Parameters<typeof attack>[3] = {}): string =>
  attack(threat, name, source(path), more);
const operation = (app: AppView): string =>
  `${app.status?.operationState?.phase}: ${app.status?.operationState?.message}`;
const here = async (kind: string, namespace: string, name: string): Promise<boolean> =>
  (await stage.get(kind, namespace, name)) !== undefined;

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
  assert.match(operation(app), /^Error: /);
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
  ['T-012', 'the project is deleted', () => stage.remove('AppProject', 'att-argocd', 'att-a'), () => restoreProject()],
] as const)
  test(`${id} ${what} during a sync of ten waves: it ends with the reason, nothing is pruned, the Application stays`, async () => {
    await restoreProject();
    await threat.tenant.apply(mine('stopped', 'waves', { policy: 'automated: {prune: true}' }));
    await threat.seen('stopped', (app) => app.status?.operationState?.message?.includes('gate') === true);
    await change();
    const app = await threat.seen('stopped', isOver);
    assert.match(operation(app), /^(Failed|Error): .*project/);
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
  assert.match(operation(app), /^Succeeded/);
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
  const app = await threat.seen('forged', (found) => isOver(found) && operation(found).includes('not permitted'));
  assert.equal(operation(app), "Error: application repo file:///srv/platform is not permitted in project 'att-a'");
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
  const again = await threat.seen('forged', (found) => isOver(found) && operation(found).includes('not permitted'));
  assert.match(operation(again), /^Error: .*file:\/\/\/srv\/platform is not permitted/);
  assert.equal(await here('ConfigMap', 'att-a', 'forged'), false);
  await threat.tenant.remove('Application', 'att-a', 'forged');
});

test("T-017 a forged list of resources deletes nothing of the neighbour's", async () => {
  await threat.tenant.apply(
    mine('forged', 'forged', { metadata: 'finalizers: [resources-finalizer.argocd.argoproj.io]' }),
  );
  await threat.seen('forged', synced);
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
  await threat.seen('moved', synced);
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
  await threat.seen('last', synced);
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

for (const phase of ['PreSync', 'Sync', 'PostSync', 'SyncFail'])
  test(`T-020 a ${phase} hook outside the project stops the whole sync before the first write`, async () => {
    const name = `hook-${phase.toLowerCase()}`;
    await threat.tenant.apply(mine(name));
    const app = await threat.seen(name, isOver);
    assert.equal(
      operation(app),
      "Failed: one or more synchronization tasks are not valid: namespace att-b is not permitted in project 'att-a'",
    );
    assert.equal(await here('ConfigMap', 'att-a', `beside-${phase.toLowerCase()}`), false);
    await threat.tenant.remove('Application', 'att-a', name);
  });

test('T-021 one manifest of fifty outside the project stops the whole sync before the first write', async () => {
  await threat.tenant.apply(mine('fifty'));
  const app = await threat.seen('fifty', isOver);
  assert.match(operation(app), /^Failed: .*namespace kube-system is not permitted in project 'att-a'$/);
  assert.equal(
    (await stage.list('ConfigMap', 'att-a')).some(({ metadata }) => metadata.name?.startsWith('fifty-')),
    false,
  );
  await threat.tenant.remove('Application', 'att-a', 'fifty');
});

test('T-025 lists in lists hide nothing: each object is checked', async () => {
  await threat.tenant.apply(mine('list'));
  await threat.tenant.apply(mine('secrets'));
  assert.match(
    operation(await threat.seen('list', isOver)),
    /^Failed: .*resource rbac.authorization.k8s.io:ClusterRoleBinding is not permitted in project att-a$/,
  );
  assert.match(
    operation(await threat.seen('secrets', isOver)),
    /^Failed: .*namespace att-b is not permitted in project 'att-a'$/,
  );
  assert.equal(await here('ConfigMap', 'att-a', 'listed'), false);
  for (const name of ['list', 'secrets']) await threat.tenant.remove('Application', 'att-a', name);
});

test('T-031 Applications of one name in three namespaces share nothing', async () => {
  await threat.tenant.apply(mine('plat', 'stolen'));
  await threat.tenant.apply(mine('good', 'good'));
  await threat.seen('good', isOver);
  await threat.seen('plat', synced);
  const mark = async (namespace: string): Promise<unknown> =>
    (await stage.get('ConfigMap', namespace, 'plat'))?.metadata.annotations?.['argocd.argoproj.io/tracking-id'];
  assert.equal(await mark('att-plat'), 'plat:/ConfigMap:att-plat/plat');
  assert.equal(await mark('att-a'), 'att-a_plat:/ConfigMap:att-a/plat');
  await threat.tenant.patch('Application', 'att-a', 'plat', {
    metadata: { finalizers: ['resources-finalizer.argocd.argoproj.io'] },
  });
  await threat.tenant.remove('Application', 'att-a', 'plat');
  await until(
    () => threat.view('plat'),
    (app) => app === undefined,
  );
  assert.equal(await here('ConfigMap', 'att-plat', 'plat'), true);
  assert.ok(synced(await appView(stage, 'att-argocd', 'plat')));
  assert.ok(synced(await appView(stage, 'att-b', 'good')));
});

test("T-033 the platform's mark on the tenant's objects: neither adopted nor pruned nor shown", async () => {
  await threat.tenant.apply(
    configMap('bait', "namespace: att-a, annotations: {argocd.argoproj.io/tracking-id: 'plat:/ConfigMap:att-a/bait'}"),
  );
  await stage.patch('Application', 'att-argocd', 'plat', { spec: { syncPolicy: { automated: { prune: true } } } });
  repository.commit({ 'stolen/more.yaml': configMap('more') });
  const app = await until(
    () => appView(stage, 'att-argocd', 'plat'),
    (found) => synced(found) && found?.status?.resources?.some(({ name }) => name === 'more') === true,
  );
  assert.doesNotMatch(JSON.stringify(app), /bait/);
  assert.equal(await here('ConfigMap', 'att-a', 'bait'), true);
  await threat.tenant.remove('ConfigMap', 'att-a', 'bait');
});

test("T-034 another Application's mark in a manifest is written over", async () => {
  await threat.tenant.apply(mine('marked'));
  await threat.seen('marked', synced);
  const object = await stage.get('ConfigMap', 'att-a', 'marked');
  assert.equal(
    object?.metadata.annotations?.['argocd.argoproj.io/tracking-id'],
    'att-a_marked:/ConfigMap:att-a/marked',
  );
  await threat.tenant.remove('Application', 'att-a', 'marked');
});

test('T-035 an owner reference to a namespace of others deletes nothing there', async () => {
  await threat.tenant.apply(
    mine('owned', 'owned', { metadata: 'finalizers: [resources-finalizer.argocd.argoproj.io]' }),
  );
  await threat.seen('owned', isOver);
  await threat.tenant.remove('Application', 'att-a', 'owned');
  await until(
    () => threat.view('owned'),
    (app) => app === undefined,
  );
  assert.equal(await here('Namespace', '', 'att-b'), true);
  assert.equal((await stage.get('Namespace', '', 'att-b'))?.metadata.deletionTimestamp, undefined);
});

test('T-036 an object that the neighbour manages is told as shared; where the options ask for it, the sync stops', async () => {
  await stage.patch('AppProject', 'att-argocd', 'att-b', {
    spec: {
      destinations: [
        { server: 'https://kubernetes.default.svc', namespace: 'att-a' },
        { server: 'https://kubernetes.default.svc', namespace: 'att-b' },
      ],
    },
  });
  await threat.seen('good', synced);
  await stage.apply(neighbour('shared', 'att-b', 'good', 'att-a', '[FailOnSharedResource=true]'));
  const app = await until(
    () => appView(stage, 'att-b', 'shared'),
    (found) => found !== undefined && isOver(found),
  );
  assert.match(
    app?.status?.operationState?.message ?? '',
    /^Shared resource found: ConfigMap\/one is part of applications /,
  );
  assert.match(conditionText(app), /SharedResourceWarning: /);
  assert.equal(
    (await stage.get('ConfigMap', 'att-a', 'one'))?.metadata.annotations?.['argocd.argoproj.io/tracking-id'],
    'att-a_good:/ConfigMap:att-a/one',
  );
  await stage.remove('Application', 'att-b', 'shared');
  await threat.tenant.remove('Application', 'att-a', 'good');
});

test('T-051 an Application made anew inherits nothing of the one before', async () => {
  await threat.tenant.apply(mine('life'));
  const first = await threat.seen('life', synced);
  assert.equal(first.status?.history?.length, 1);
  await threat.tenant.remove('Application', 'att-a', 'life');
  await until(
    () => threat.view('life'),
    (app) => app === undefined,
  );
  await threat.tenant.apply(mine('life', 'life', { policy: 'syncOptions: []' }));
  const second = await threat.seen('life', synced);
  assert.equal(second.status?.history, undefined);
  assert.equal(second.status?.operationState, undefined);
  await threat.tenant.remove('Application', 'att-a', 'life');
});

test('T-066 a manifest that names an object of others shows nothing of it', async () => {
  await threat.tenant.apply(mine('spy', 'spy', { policy: 'syncOptions: []' }));
  const there = await threat.seen('spy', (app) => app.status?.sync?.status !== undefined);
  await stage.remove('ConfigMap', 'att-b', 'canary');
  await threat.tenant.patch('Application', 'att-a', 'spy', {
    metadata: { annotations: { 'argocd.argoproj.io/refresh': 'normal' } },
  });
  const absent = await threat.seen(
    'spy',
    (app) => app.metadata.annotations?.['argocd.argoproj.io/refresh'] === undefined,
  );
  assert.deepEqual([...new Set(there.status?.resources?.map(({ status }) => status))], ['Unknown']);
  // Whether the object is there makes no difference to what is told.
  assert.deepEqual(absent.status?.resources, there.status?.resources);
  assert.deepEqual(absent.status?.health?.status, there.status?.health?.status);
  assert.doesNotMatch(JSON.stringify(there) + JSON.stringify(absent), /c4n4ry/);
  await threat.tenant.remove('Application', 'att-a', 'spy');
});

test('in all of this nothing was written beyond the rights of the tenant', async () => {
  assert.deepEqual(threat.trespasses(), []);
  assert.ok(synced(await appView(stage, 'att-b', 'good')));
});

async function restoreProject(): Promise<void> {
  const destination = { server: 'https://kubernetes.default.svc', namespace: 'att-a' };
  await stage.apply(
    `apiVersion: argoproj.io/v1alpha1\nkind: AppProject\nmetadata: {name: att-a, namespace: att-argocd}\nspec: ${JSON.stringify(
      {
        sourceNamespaces: ['att-a'],
        sourceRepos: [repository.url],
        destinations: [destination],
        destinationServiceAccounts: [{ ...destination, defaultServiceAccount: 'deployer' }],
      },
    )}\n`,
  );
}

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

function neighbour(name: string, namespace: string, path: string, destination: string, options = '[]'): string {
  const project = namespace === 'att-argocd' ? 'att-plat' : namespace;
  return `
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  project: ${project}
  source: {${source(path)}}
  destination: {server: https://kubernetes.default.svc, namespace: ${destination}}
  syncPolicy: {automated: {}, syncOptions: ${options}}
`;
}
