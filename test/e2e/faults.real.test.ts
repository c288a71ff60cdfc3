import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, readKubeconfig } from '../../src/kube/index.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { createTestRepository, type TestRepository } from '../support/git-repository.ts';
import { type RealCluster, startRealCluster } from '../support/real-cluster.ts';
import { type AppView, appView, openStage, type Stage, until } from '../support/story.ts';
import { tenantPlatform } from '../support/tenant.ts';

let cluster: RealCluster;
let proxy: FaultProxy;
let stage: Stage;
let repository: TestRepository;

before(async () => {
  cluster = await startRealCluster({ own: true });
  proxy = await startFaultProxy(cluster.url);
  const config = await readKubeconfig(cluster.kubeconfig);
  // A PING every half a second: what a silent connection costs is short enough to wait for.
  const through = connect({ ...config, server: proxy.url }, { version: 'test', pingMs: 500 });
  stage = await openStage({ cluster: { flavour: 'real', ...cluster }, through });
  repository = createTestRepository({
    ...waves('burst'),
    ...waves('restart'),
    'silent/one.yaml': configMap('silent-one'),
    'rights/pre.yaml': hookPod('rights-pre'),
    'rights/one.yaml': configMap('rights-one'),
    'widget/one.yaml': 'apiVersion: faults.example.com/v1\nkind: Widget\nmetadata: {name: one}\nspec: {size: 3}\n',
    'widget/beside.yaml': configMap('beside'),
  });
  await stage.apply(tenantPlatform('fault'));
  await stage.apply(widgetRights);
  await stage.start({ controlPlane: 'fault-argocd', appNamespaces: ['fault-team'] });
});

after(async () => {
  await stage?.stop();
  await proxy?.close();
  repository?.remove();
});

const view = (name: string): Promise<AppView | undefined> => appView(stage, 'fault-team', name);
const synced = (app: AppView | undefined): boolean =>
  app?.status?.sync?.status === 'Synced' && app.operation === undefined;
const data = async (name: string): Promise<unknown> => (await stage.get('ConfigMap', 'fault-shop', name))?.['data'];
const deletes = (plural: string): (string | undefined)[] =>
  stage
    .writes(plural, 'fault-shop')
    .filter(({ verb, userAgent }) => verb.startsWith('delete') && userAgent?.startsWith('argosy/test') === true)
    .map(({ objectRef }) => objectRef?.name);

test('a burst of resets in the middle of a sync costs no object and doubles no hook', async () => {
  await stage.apply(application('burst'));
  for (let round = 0; round < 6; round++) {
    proxy.reset();
    await sleep(30);
  }
  await until(() => view('burst'), synced, 60_000);
  proveWaves('burst');
});

test('silent connections are found dead, and drift that happened meanwhile is put right', async () => {
  await stage.apply(application('silent'));
  await until(() => view('silent'), synced);
  proxy.silence();
  await stage.patch('ConfigMap', 'fault-shop', 'silent-one', { data: { text: 'drifted' } });
  await until(
    () => data('silent-one'),
    (found) => JSON.stringify(found) === '{"text":"silent-one"}',
    60_000,
  );
  await until(() => view('silent'), synced);
  assert.deepEqual(deletes('configmaps'), []);
});

test('rights revoked in the middle of a sync end it as forbidden; a retry after they are back succeeds', async () => {
  await stage.apply(application('rights', 'retry: {limit: 8, backoff: {duration: 3s, factor: 1}}'));
  await until(
    () => view('rights'),
    (app) => app?.status?.operationState?.message === 'waiting for completion of hook /Pod/rights-pre',
  );
  await stage.remove('RoleBinding', 'fault-shop', 'deployer');
  const mayWrite = (): Promise<boolean> =>
    stage.connection
      .as({
        user: 'system:serviceaccount:fault-shop:deployer',
        groups: ['system:serviceaccounts', 'system:authenticated'],
      })
      .mayI({ group: '', resource: 'configmaps', verb: 'patch', namespace: 'fault-shop' });
  await until(mayWrite, (may) => !may);
  await stage.connection.patch(
    podKind,
    'fault-shop',
    'rights-pre',
    'merge',
    { status: { phase: 'Succeeded' } },
    {
      subresource: 'status',
    },
  );
  const refused = await until(
    () => view('rights'),
    (app) => /forbidden/.test(app?.status?.operationState?.message ?? ''),
  );
  assert.notEqual(refused?.status?.operationState?.phase, 'Succeeded');
  assert.equal(await stage.get('ConfigMap', 'fault-shop', 'rights-one'), undefined);
  await stage.apply(tenantPlatform('fault'));
  // A retry is a new attempt: its hook runs again, as in any sync.
  const finishHook = async (): Promise<AppView | undefined> => {
    const pod = await stage.get('Pod', 'fault-shop', 'rights-pre');
    if (pod !== undefined && (pod['status'] as { phase?: string }).phase === 'Pending')
      await stage.connection
        .patch(
          podKind,
          'fault-shop',
          'rights-pre',
          'merge',
          { status: { phase: 'Succeeded' } },
          { subresource: 'status' },
        )
        .catch(() => undefined);
    return view('rights');
  };
  await until(finishHook, synced, 60_000);
  assert.deepEqual(await data('rights-one'), { text: 'rights-one' });
});

test('a CRD that is deleted and comes back leaves the rest alone, and its objects are made again', async () => {
  await stage.apply(widgetCrd);
  await stage.apply(application('widget', 'retry: {limit: -1, backoff: {duration: 500ms, factor: 1}}'));
  await until(() => view('widget'), synced, 60_000);
  await stage.remove('CustomResourceDefinition', '', 'widgets.faults.example.com');
  await until(
    () => stage.get('CustomResourceDefinition', '', 'widgets.faults.example.com'),
    (crd) => crd === undefined,
  );
  await until(
    () => view('widget'),
    (app) => !synced(app),
  );
  await stage.apply(widgetCrd);
  await until(
    async () => (await stage.get('Widget', 'fault-shop', 'one'))?.['spec'],
    (spec) => JSON.stringify(spec) === '{"size":3}',
    60_000,
  );
  await until(() => view('widget'), synced, 60_000);
  assert.deepEqual([deletes('configmaps'), deletes('widgets')], [[], []]);
});

test('a restart of the API server in the middle of a sync is survived; so is the commit made meanwhile', async () => {
  await stage.apply(application('restart'));
  const back = cluster.restartApiServer();
  repository.commit({ 'silent/one.yaml': configMap('silent-one', 'newer') });
  await back;
  await until(() => view('restart'), synced, 60_000);
  await until(
    () => data('silent-one'),
    (found) => JSON.stringify(found) === '{"text":"newer"}',
    60_000,
  );
  proveWaves('restart');
  assert.deepEqual(deletes('configmaps'), []);
});

/** Each of the objects stands as Git has it, and its hooks ran once. */
function proveWaves(name: string): void {
  const made = stage
    .writes('configmaps', 'fault-shop')
    .filter(({ objectRef, responseStatus }) => objectRef?.name?.startsWith(`${name}-`) && responseStatus?.code === 201)
    .map(({ objectRef }) => objectRef?.name);
  assert.deepEqual(made, [`${name}-pre`, `${name}-one`, `${name}-two`, `${name}-post`]);
}

const podKind = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true, verbs: [] };

function waves(name: string): Record<string, string> {
  return {
    [`${name}/pre.yaml`]: configMap(`${name}-pre`, `${name}-pre`, 'argocd.argoproj.io/hook: PreSync'),
    [`${name}/one.yaml`]: configMap(`${name}-one`),
    [`${name}/two.yaml`]: configMap(`${name}-two`, `${name}-two`, 'argocd.argoproj.io/sync-wave: "1"'),
    [`${name}/post.yaml`]: configMap(`${name}-post`, `${name}-post`, 'argocd.argoproj.io/hook: PostSync'),
  };
}

function configMap(name: string, text = name, annotations = ''): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, annotations: {${annotations}}}\ndata: {text: ${text}}\n`;
}

function hookPod(name: string): string {
  return `apiVersion: v1
kind: Pod
metadata: {name: ${name}, annotations: {argocd.argoproj.io/hook: PreSync}}
spec: {restartPolicy: Never, containers: [{name: c, image: registry.example.com/hook:1}]}
`;
}

function application(name: string, more = ''): string {
  return `
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: ${name}, namespace: fault-team}
spec:
  project: fault-team
  source: {repoURL: '${repository.url}', path: ${name}, targetRevision: main}
  destination: {server: https://kubernetes.default.svc, namespace: fault-shop}
  syncPolicy:
    automated: {prune: true, selfHeal: true}
    ${more}
`;
}

const widgetCrd = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.faults.example.com}
spec:
  group: faults.example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties: {spec: {type: object, properties: {size: {type: integer}}}}
`;

const widgetRights = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: widgets, namespace: fault-shop}
rules: [{apiGroups: [faults.example.com], resources: [widgets], verbs: ['*']}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: widgets, namespace: fault-shop}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: widgets}
subjects: [{kind: ServiceAccount, name: deployer, namespace: fault-shop}]
`;
