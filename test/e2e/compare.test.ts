import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Controller } from '../../src/controller/index.ts';
import { createTestRepository, type TestRepository } from '../support/git-repository.ts';
import type { AuditEvent } from '../support/real-audit.ts';
import { type AppView, appView, openStage, type Stage, tokenOf, until as untilThen } from '../support/story.ts';
import { clusterSecret, tenantPlatform } from '../support/tenant.ts';

let stage: Stage;
let repository: TestRepository;
let controller: Controller;

const installation = { controlPlane: 'cmp-argocd', appNamespaces: ['cmp-team'] };
const deployer = 'system:serviceaccount:cmp-shop:deployer';

before(async () => {
  stage = await openStage();
  repository = createTestRepository({
    'scaled/web.yaml': deployment('scaled', 1),
    'strict/web.yaml': deployment('strict', 1),
    'tried/one.yaml': configMap('tried', 'a: "1"'),
    'tried/web.yaml': deployment('tried', 1),
    'older/autoscaler.yaml': autoscaler('targetCPUUtilizationPercentage: 50'),
    'older/widget.yaml':
      'apiVersion: compare.example.com/v1beta1\nkind: Gadget\nmetadata: {name: g}\nspec: {size: 1}\n',
    'blind/one.yaml': configMap('blind', 'a: "1"'),
    'unseen/one.yaml': configMap('unseen', 'a: "1"'),
    'windowed/one.yaml': configMap('windowed', 'a: "1"'),
    'checked/gadget.yaml':
      'apiVersion: compare.example.com/v1\nkind: Gadget\nmetadata: {name: checked}\nspec: {size: 1}\n',
    'wrong/autoscaler.yaml': autoscaler('').replace('autoscaling/v1', 'autoscaling/v2beta9').replace('older', 'wrong'),
  });
  await stage.apply(tenantPlatform('cmp', { 'resource.respectRBAC': 'normal' }));
  await stage.apply(gadgets);
  // Open for the first hour of the year.
  const window = {
    kind: 'allow',
    schedule: '0 0 1 1 *',
    duration: '1h',
    applications: ['windowed'],
    syncOverrun: true,
  };
  const everywhere = { server: '*', namespace: 'cmp-shop' };
  await stage.patch('AppProject', 'cmp-argocd', 'cmp-team', {
    spec: {
      syncWindows: [window],
      destinations: [everywhere],
      destinationServiceAccounts: [{ ...everywhere, defaultServiceAccount: 'deployer' }],
    },
  });
  await stage.apply(blind);
  const way = { url: stage.cluster.url, ca: stage.cluster.ca, token: await tokenOf(stage, 'cmp-argocd', 'blind') };
  await stage.apply(clusterSecret('cmp-argocd/blind', way, {}));
  controller = await stage.start(installation);
});

after(async () => {
  await stage?.stop();
  repository?.remove();
});

/** A loaded machine is slow. */
const until = <T>(read: () => Promise<T>, good: (value: T) => boolean): Promise<T> => untilThen(read, good, 60_000);
const view = (name: string): Promise<AppView | undefined> => appView(stage, 'cmp-team', name);
const isSync =
  (status: string) =>
  (app: AppView | undefined): boolean =>
    app?.status?.sync?.status === status && app.operation === undefined;
/** Calls of the Application's account about one object. */
const calls = (verb: string, name: string): AuditEvent[] =>
  stage.cluster
    .audit()
    .filter(
      ({ verb: done, objectRef, impersonatedUser }) =>
        done === verb && objectRef?.name === name && impersonatedUser?.username === deployer,
    );
const tries = (name: string, plural = ''): AuditEvent[] =>
  calls('patch', name).filter(
    ({ requestURI, objectRef }) => requestURI.includes('dryRun=All') && [objectRef?.resource, ''].includes(plural),
  );

/** Writes as somebody else than the controller. */
async function scale(name: string, replicas: number, fieldManager: string): Promise<void> {
  const { resources } = await stage.connection.discover();
  const deployments = resources.find(({ plural, group }) => plural === 'deployments' && group === 'apps');
  assert.ok(deployments);
  await stage.connection.patch(deployments, 'cmp-shop', name, 'merge', { spec: { replicas } }, { fieldManager });
}

test('106: what a named manager owns does not count, and is read only when something differs', async () => {
  const rule = '\n  ignoreDifferences: [{group: apps, kind: Deployment, managedFieldsManagers: [scaler]}]';
  await stage.apply(application('scaled', rule) + application('strict'));
  await until(() => view('scaled'), isSync('Synced'));
  await until(() => view('strict'), isSync('Synced'));
  assert.equal(calls('get', 'scaled').length, 0);
  await scale('scaled', 3, 'scaler');
  await scale('strict', 3, 'scaler');
  await until(() => view('strict'), isSync('OutOfSync'));
  await until(
    () => Promise.resolve(calls('get', 'scaled').length),
    (count) => count > 0,
  );
  await until(() => view('scaled'), isSync('Synced'));
  await stage.patch('Application', 'cmp-team', 'scaled', { metadata: { annotations: refresh } });
  await until(
    () => view('scaled'),
    (app) => app?.metadata.annotations?.['argocd.argoproj.io/refresh'] === undefined,
  );
  const live = await stage.get('Deployment', 'cmp-shop', 'scaled');
  assert.equal((live?.['spec'] as { replicas?: number } | undefined)?.replicas, 3);
  await scale('scaled', 4, 'somebody');
  await until(() => view('scaled'), isSync('OutOfSync'));
});

test('107: the API server is asked as the account what it would change, once for each change', async () => {
  await stage.apply(application('tried', '', 'argocd.argoproj.io/compare-options: ServerSideDiff=true'));
  await until(() => view('tried'), isSync('Synced'));
  await until(
    () => Promise.resolve(tries('tried').length),
    (count) => count >= 2,
  );
  await until(() => view('tried'), isSync('Synced'));
  await stage.patch('ConfigMap', 'cmp-shop', 'tried', { data: { a: '2' } });
  await until(() => view('tried'), isSync('OutOfSync'));
  await stage.patch('ConfigMap', 'cmp-shop', 'tried', { data: { a: '1', b: 'theirs' } });
  await until(() => view('tried'), isSync('Synced'));
  // A Deployment changes by itself.
  const count = await settled(() => tries('tried', 'configmaps').length);
  await stage.patch('Application', 'cmp-team', 'tried', { metadata: { annotations: refresh } });
  await until(
    () => view('tried'),
    (app) => app?.metadata.annotations?.['argocd.argoproj.io/refresh'] === undefined,
  );
  assert.equal(tries('tried', 'configmaps').length, count);
});

test('108: a change the API server would refuse leaves the state unknown, and says why', async () => {
  await stage.patch('ConfigMap', 'cmp-shop', 'tried', { immutable: true });
  repository.commit({ 'tried/one.yaml': configMap('tried', 'a: "3"') });
  const app = await until(() => view('tried'), isSync('Unknown'));
  const error = app?.status?.conditions?.find(({ type }) => type === 'ComparisonError')?.message ?? '';
  assert.match(error, /^Failed to compare desired state to live state: .*immutable/);
  repository.commit({ 'tried/one.yaml': configMap('tried', 'a: "1"') });
  await until(() => view('tried'), isSync('Synced'));
});

test('an object is written and compared in the version of its manifest, also after a restart', async () => {
  await stage.apply(application('older'));
  await until(() => view('older'), isSync('Synced'));
  await controller.stop();
  const writes = calls('patch', 'older').length;
  const older = (): number => calls('get', 'older').filter(({ objectRef }) => objectRef?.apiVersion === 'v1').length;
  const reads = older();
  controller = await stage.start(installation);
  await until(
    () => Promise.resolve(older()),
    (count) => count > reads,
  );
  await sleep(500);
  await until(() => view('older'), isSync('Synced'));
  assert.equal(calls('patch', 'older').length, writes);
  repository.commit({ 'older/autoscaler.yaml': autoscaler('') });
  await until(
    () => stage.get('HorizontalPodAutoscaler', 'cmp-shop', 'older'),
    (object) => !JSON.stringify(object?.['spec']).includes('50'),
  );
  await stage.patch('Gadget', 'cmp-shop', 'g', { spec: { size: 2 } });
  await until(() => view('older'), isSync('OutOfSync'));
});

test('a version the cluster does not serve is told, with the one it does', async () => {
  await stage.apply(application('wrong'));
  const app = await until(
    () => view('wrong'),
    (found) => found?.status?.operationState?.message?.includes('v2') === true,
  );
  assert.match(
    app?.status?.operationState?.message ?? '',
    /the cluster serves autoscaling\/HorizontalPodAutoscaler as v2/,
  );
});

const checks = 'resource.customizations.health.compare.example.com_Gadget';

test('a health check that fails blocks syncs until it is mended', async () => {
  await stage.apply(application('checked'));
  await until(() => view('checked'), isSync('Synced'));
  await stage.patch('ConfigMap', 'cmp-argocd', 'argocd-cm', { data: { [checks]: 'return obj.nothing.there' } });
  const failing = (app: AppView | undefined): boolean =>
    app?.status?.conditions?.some(
      ({ type, message }) => type === 'ComparisonError' && message.includes('cannot be told'),
    ) === true;
  await until(() => view('checked'), failing);
  repository.commit({ 'checked/more.yaml': configMap('checked-more', 'a: "1"') });
  await until(() => view('checked'), isSync('OutOfSync'));
  await stage.patch('Application', 'cmp-team', 'checked', { operation: { sync: {} } });
  const app = await until(
    () => view('checked'),
    (found) => found?.operation === undefined && found?.status?.operationState?.phase === 'Error',
  );
  assert.match(app?.status?.operationState?.message ?? '', /^ComparisonError: the health of .*Gadget.* cannot be told/);
  assert.equal(await stage.get('ConfigMap', 'cmp-shop', 'checked-more'), undefined);
  await stage.patch('ConfigMap', 'cmp-argocd', 'argocd-cm', { data: { [checks]: null } });
  await until(
    () => view('checked'),
    (found) => !failing(found),
  );
  await stage.patch('Application', 'cmp-team', 'checked', { operation: { sync: {} } });
  await until(() => view('checked'), isSync('Synced'));
});

test('an operation that claims to have begun in an open window does not overrun it', async () => {
  await stage.apply(application('windowed'));
  await until(() => view('windowed'), isSync('OutOfSync'));
  const startedAt = `${new Date().getUTCFullYear()}-01-01T00:30:00Z`;
  const operation = { sync: {} };
  await stage.patch('Application', 'cmp-team', 'windowed', {
    operation,
    status: { operationState: { operation, phase: 'Running', startedAt, syncResult: { resources: [] } } },
  });
  const blocked = await until(
    () => view('windowed'),
    (found) => found?.status?.operationState?.message?.includes('blocked by sync window') === true,
  );
  assert.equal(blocked?.status?.operationState?.phase, 'Running');
  assert.equal(await stage.get('ConfigMap', 'cmp-shop', 'windowed'), undefined);
  await stage.patch('Application', 'cmp-team', 'windowed', { status: { operationState: { phase: 'Terminating' } } });
  const ended = await until(
    () => view('windowed'),
    (found) => found?.operation === undefined,
  );
  assert.equal(ended?.status?.operationState?.message, 'Operation terminated');
});

const finalizer = 'finalizers: [resources-finalizer.argocd.argoproj.io]';
const gone = (name: string): Promise<unknown> =>
  until(
    () => view(name),
    (app) => app === undefined,
  );

test('what stands in the status of a kind that may not be listed is deleted by name, as the account', async () => {
  await stage.apply(
    application('blind').replace('metadata: {', `metadata: {${finalizer}, `).replace(own, 'name: blind'),
  );
  await until(() => view('blind'), isSync('Synced'));
  // Somebody else's object in a written status stays, as it does not bear the mark.
  await stage.apply(configMap('bystander', 'a: "1"').replace('metadata: {', 'metadata: {namespace: cmp-shop, '));
  const rows = (await view('blind'))?.status?.resources ?? [];
  const forged = { version: 'v1', kind: 'ConfigMap', namespace: 'cmp-shop', name: 'bystander', status: 'Synced' };
  await stage.patch('Application', 'cmp-team', 'blind', { status: { resources: [...rows, forged] } });
  await stage.remove('Application', 'cmp-team', 'blind');
  await gone('blind');
  assert.equal(await stage.get('ConfigMap', 'cmp-shop', 'blind'), undefined);
  assert.notEqual(await stage.get('ConfigMap', 'cmp-shop', 'bystander'), undefined);
  assert.deepEqual(
    stage
      .writes('configmaps', 'cmp-shop')
      .flatMap(({ verb, objectRef, impersonatedUser }) =>
        verb === 'delete' ? [`${objectRef?.name} as ${impersonatedUser?.username}`] : [],
      ),
    [`blind as ${deployer}`],
  );
});

test('what can be neither listed nor read keeps its Application, which says what to grant', async () => {
  await stage.apply(
    application('unseen').replace('metadata: {', `metadata: {${finalizer}, `).replace(own, 'name: blind'),
  );
  await until(() => view('unseen'), isSync('Synced'));
  const rights = (verbs: string): Promise<void> =>
    stage.apply(`apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: unseen, namespace: cmp-shop}
rules: [{apiGroups: [''], resources: [configmaps], verbs: [${verbs}]}]
`);
  await rights('create');
  await stage.remove('RoleBinding', 'cmp-shop', 'deployer');
  await stage.apply(binding('unseen'));
  await stage.remove('Application', 'cmp-team', 'unseen');
  const waiting = await until(
    () => view('unseen'),
    (app) => app?.status?.conditions?.some(({ type }) => type === 'DeletionError') === true,
  );
  assert.match(
    waiting?.status?.conditions?.find(({ type }) => type === 'DeletionError')?.message ?? '',
    /; grant get and delete on it to system:serviceaccount:cmp-shop:deployer, or list and watch on ConfigMap to the cluster's credential$/,
  );
  assert.notEqual(await stage.get('ConfigMap', 'cmp-shop', 'unseen'), undefined);
  await rights('get, delete');
  await gone('unseen');
  assert.equal(await stage.get('ConfigMap', 'cmp-shop', 'unseen'), undefined);
  await stage.apply(binding('edit', 'ClusterRole'));
});

const own = 'server: https://kubernetes.default.svc';
const refresh = { 'argocd.argoproj.io/refresh': 'normal' };

/** A count once it has stayed the same for a while. */
async function settled(read: () => number): Promise<number> {
  for (let before = read(); ; ) {
    await sleep(700);
    const now = read();
    if (now === before) return now;
    before = now;
  }
}

function configMap(name: string, data: string): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {${data}}\n`;
}

function deployment(name: string, replicas: number): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec: {containers: [{name: c, image: 'registry.example.com/c:1', resources: {requests: {cpu: 1000m}}}]}
`;
}

function autoscaler(more: string): string {
  const target = '{apiVersion: apps/v1, kind: Deployment, name: d}';
  return `apiVersion: autoscaling/v1\nkind: HorizontalPodAutoscaler\nmetadata: {name: older}\nspec:\n  maxReplicas: 3\n  scaleTargetRef: ${target}\n  ${more}\n`;
}

function application(name: string, more = '', annotation = ''): string {
  return `---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: ${name}, namespace: cmp-team, annotations: {${annotation}}}
spec:
  project: cmp-team
  source: {repoURL: '${repository.url}', path: ${name}, targetRevision: main}
  destination: {server: https://kubernetes.default.svc, namespace: cmp-shop}
  syncPolicy: {automated: {}}${more}
`;
}

const schema =
  '{openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}';
const gadgets = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.compare.example.com}
spec:
  group: compare.example.com
  scope: Namespaced
  names: {plural: gadgets, singular: gadget, kind: Gadget}
  versions:
  - {name: v1, served: true, storage: true, schema: ${schema}}
  - {name: v1beta1, served: true, storage: false, schema: ${schema}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: gadgets, namespace: cmp-shop}
rules: [{apiGroups: [compare.example.com], resources: [gadgets], verbs: ['*']}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: gadgets, namespace: cmp-shop}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: gadgets}
subjects: [{kind: ServiceAccount, name: deployer, namespace: cmp-shop}]
`;

function binding(role: string, kind = 'Role'): string {
  return `apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: deployer-${role}, namespace: cmp-shop}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ${kind}, name: ${role}}
subjects: [{kind: ServiceAccount, name: deployer, namespace: cmp-shop}]
`;
}

/** An account that may act for others, and list next to nothing itself. */
const blind = `
apiVersion: v1
kind: ServiceAccount
metadata: {name: blind, namespace: cmp-argocd}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: cmp-blind}
rules:
- {apiGroups: [''], resources: [serviceaccounts], verbs: [impersonate]}
- {apiGroups: [''], resources: [nodes], verbs: [get, list, watch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: cmp-blind}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cmp-blind}
subjects: [{kind: ServiceAccount, name: blind, namespace: cmp-argocd}]
`;
