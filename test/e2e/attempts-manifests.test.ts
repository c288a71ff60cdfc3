import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Attempts, openAttempts, operationOf } from '../support/attempts.ts';
import type { TestRepository } from '../support/git-repository.ts';
import { appView, isOver, isSynced, type Stage, until } from '../support/story.ts';
import { conditionText, configMap, type Threat } from '../support/threat.ts';

// What a tenant tries with the manifests of its repository, as the controller answers it: hooks and lists, marks and
// names of others, objects it only wants to look at.

let attempts: Attempts;
let stage: Stage;
let threat: Threat;
let repository: TestRepository;

before(async () => {
  attempts = await openAttempts('mft', {
    'list/list.yaml': `apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: listed}}
- apiVersion: v1
  kind: List
  items:
  - {apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: mft-nested}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}, subjects: [{kind: ServiceAccount, name: tenant, namespace: mft-a}]}
`,
    'secrets/list.yaml':
      'apiVersion: v1\nkind: SecretList\nitems:\n- {apiVersion: v1, kind: Secret, metadata: {name: hidden, namespace: mft-b}}\n',
    'marked/one.yaml': configMap(
      'marked',
      "annotations: {argocd.argoproj.io/tracking-id: 'plat:/ConfigMap:mft-a/marked'}",
    ),
    'owned/one.yaml': configMap(
      'owned',
      'ownerReferences: [{apiVersion: v1, kind: Namespace, name: mft-b, uid: 00000000-0000-4000-8000-000000000000}]',
    ),
    'fifty/bad.yaml': configMap('bad', 'namespace: kube-system'),
    ...Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`fifty/${n}.yaml`, configMap(`fifty-${n}`)])),
    'spy/secret.yaml': 'apiVersion: v1\nkind: Secret\nmetadata: {name: canary, namespace: mft-b}\n',
    'spy/map.yaml': configMap('canary', 'namespace: mft-b'),
    'spy/managed.yaml': configMap('one', 'namespace: mft-b'),
    ...Object.fromEntries(
      ['PreSync', 'Sync', 'PostSync', 'SyncFail'].flatMap((phase) => [
        [
          `hook-${phase.toLowerCase()}/hook.yaml`,
          configMap('outside', `namespace: mft-b, annotations: {argocd.argoproj.io/hook: ${phase}}`),
        ],
        [`hook-${phase.toLowerCase()}/good.yaml`, configMap(`beside-${phase.toLowerCase()}`)],
      ]),
    ),
  });
  ({ stage, threat, repository } = attempts);
});

after(() => attempts?.close());

const mine: Attempts['mine'] = (...asked) => attempts.mine(...asked);
const here: Attempts['here'] = (...asked) => attempts.here(...asked);

for (const phase of ['PreSync', 'Sync', 'PostSync', 'SyncFail'])
  test(`T-020 a ${phase} hook outside the project stops the whole sync before the first write`, async () => {
    const name = `hook-${phase.toLowerCase()}`;
    await threat.tenant.apply(mine(name));
    const app = await threat.seen(name, isOver);
    assert.equal(
      operationOf(app),
      "Failed: one or more synchronization tasks are not valid: namespace mft-b is not permitted in project 'mft-a'",
    );
    assert.equal(await here('ConfigMap', 'mft-a', `beside-${phase.toLowerCase()}`), false);
    await threat.tenant.remove('Application', 'mft-a', name);
  });

test('T-021 one manifest of fifty outside the project stops the whole sync before the first write', async () => {
  await threat.tenant.apply(mine('fifty'));
  const app = await threat.seen('fifty', isOver);
  assert.match(operationOf(app), /^Failed: .*namespace kube-system is not permitted in project 'mft-a'$/);
  assert.equal(
    (await stage.list('ConfigMap', 'mft-a')).some(({ metadata }) => metadata.name?.startsWith('fifty-')),
    false,
  );
  await threat.tenant.remove('Application', 'mft-a', 'fifty');
});

test('T-025 lists in lists hide nothing: each object is checked', async () => {
  await threat.tenant.apply(mine('list'));
  await threat.tenant.apply(mine('secrets'));
  assert.match(
    operationOf(await threat.seen('list', isOver)),
    /^Failed: .*resource rbac.authorization.k8s.io:ClusterRoleBinding is not permitted in project mft-a$/,
  );
  assert.match(
    operationOf(await threat.seen('secrets', isOver)),
    /^Failed: .*namespace mft-b is not permitted in project 'mft-a'$/,
  );
  assert.equal(await here('ConfigMap', 'mft-a', 'listed'), false);
  for (const name of ['list', 'secrets']) await threat.tenant.remove('Application', 'mft-a', name);
});

test('T-031 Applications of one name in three namespaces share nothing', async () => {
  await threat.tenant.apply(mine('plat', 'stolen'));
  await threat.tenant.apply(mine('good', 'good'));
  await threat.seen('good', isOver);
  await threat.seen('plat', isSynced);
  const mark = async (namespace: string): Promise<unknown> =>
    (await stage.get('ConfigMap', namespace, 'plat'))?.metadata.annotations?.['argocd.argoproj.io/tracking-id'];
  assert.equal(await mark('mft-plat'), 'plat:/ConfigMap:mft-plat/plat');
  assert.equal(await mark('mft-a'), 'mft-a_plat:/ConfigMap:mft-a/plat');
  await threat.tenant.patch('Application', 'mft-a', 'plat', {
    metadata: { finalizers: ['resources-finalizer.argocd.argoproj.io'] },
  });
  await threat.tenant.remove('Application', 'mft-a', 'plat');
  await until(
    () => threat.view('plat'),
    (app) => app === undefined,
  );
  assert.equal(await here('ConfigMap', 'mft-plat', 'plat'), true);
  assert.ok(isSynced(await appView(stage, 'mft-argocd', 'plat')));
  assert.ok(isSynced(await appView(stage, 'mft-b', 'good')));
});

test("T-033 the platform's mark on the tenant's objects: neither adopted nor pruned nor shown", async () => {
  await threat.tenant.apply(
    configMap('bait', "namespace: mft-a, annotations: {argocd.argoproj.io/tracking-id: 'plat:/ConfigMap:mft-a/bait'}"),
  );
  await stage.patch('Application', 'mft-argocd', 'plat', { spec: { syncPolicy: { automated: { prune: true } } } });
  repository.commit({ 'stolen/more.yaml': configMap('more') });
  const app = await until(
    () => appView(stage, 'mft-argocd', 'plat'),
    (found) => isSynced(found) && found?.status?.resources?.some(({ name }) => name === 'more') === true,
  );
  assert.doesNotMatch(JSON.stringify(app), /bait/);
  assert.equal(await here('ConfigMap', 'mft-a', 'bait'), true);
  await threat.tenant.remove('ConfigMap', 'mft-a', 'bait');
});

test("T-034 another Application's mark in a manifest is written over", async () => {
  await threat.tenant.apply(mine('marked'));
  await threat.seen('marked', isSynced);
  const object = await stage.get('ConfigMap', 'mft-a', 'marked');
  assert.equal(
    object?.metadata.annotations?.['argocd.argoproj.io/tracking-id'],
    'mft-a_marked:/ConfigMap:mft-a/marked',
  );
  await threat.tenant.remove('Application', 'mft-a', 'marked');
});

test('T-035 an owner reference to a namespace of others deletes nothing there', async () => {
  await threat.tenant.apply(
    mine('owned', 'owned', { metadata: 'finalizers: [resources-finalizer.argocd.argoproj.io]' }),
  );
  await threat.seen('owned', isOver);
  await threat.tenant.remove('Application', 'mft-a', 'owned');
  await until(
    () => threat.view('owned'),
    (app) => app === undefined,
  );
  assert.equal(await here('Namespace', '', 'mft-b'), true);
  assert.equal((await stage.get('Namespace', '', 'mft-b'))?.metadata.deletionTimestamp, undefined);
});

test('T-036 an object that the neighbour manages is told as shared; where the options ask for it, the sync stops', async () => {
  await stage.patch('AppProject', 'mft-argocd', 'mft-b', {
    spec: {
      destinations: [
        { server: 'https://kubernetes.default.svc', namespace: 'mft-a' },
        { server: 'https://kubernetes.default.svc', namespace: 'mft-b' },
      ],
    },
  });
  await threat.seen('good', isSynced);
  await stage.apply(
    attempts.neighbour('shared', {
      namespace: 'mft-b',
      path: 'good',
      to: 'mft-a',
      options: '[FailOnSharedResource=true]',
    }),
  );
  const app = await until(
    () => appView(stage, 'mft-b', 'shared'),
    (found) => found !== undefined && isOver(found),
  );
  assert.match(
    app?.status?.operationState?.message ?? '',
    /^Shared resource found: ConfigMap\/one is part of applications /,
  );
  assert.match(conditionText(app), /SharedResourceWarning: /);
  assert.equal(
    (await stage.get('ConfigMap', 'mft-a', 'one'))?.metadata.annotations?.['argocd.argoproj.io/tracking-id'],
    'mft-a_good:/ConfigMap:mft-a/one',
  );
  await stage.remove('Application', 'mft-b', 'shared');
  await threat.tenant.remove('Application', 'mft-a', 'good');
});

test('T-066 a manifest that names an object of others shows nothing of it', async () => {
  await threat.tenant.apply(mine('spy', 'spy', { policy: 'syncOptions: []' }));
  const there = await threat.seen('spy', (app) => app.status?.sync?.status !== undefined);
  await stage.remove('ConfigMap', 'mft-b', 'canary');
  await threat.tenant.patch('Application', 'mft-a', 'spy', {
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
  await threat.tenant.remove('Application', 'mft-a', 'spy');
});

test('in all of this nothing was written beyond the rights of the tenant', async () => {
  assert.deepEqual(threat.trespasses(), []);
  assert.ok(isSynced(await appView(stage, 'mft-b', 'good')));
});
