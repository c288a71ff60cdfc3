import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, readKubeconfig } from '../../src/kube/index.ts';
import { startInstallation } from '../../src/main/controller.ts';
import { createMetrics, silentLogger } from '../../src/telemetry/index.ts';
import { createTestRepository, type TestRepository } from '../support/git-repository.ts';
import { type TestCluster, testCluster } from '../support/test-cluster.ts';

const deployer = 'system:serviceaccount:walk-shop:deployer';

let cluster: TestCluster;
const cacheDir = mkdtempSync(join(tmpdir(), 'argosy-walk-'));
let repository: TestRepository;
let stop: () => Promise<void>;

before(async () => {
  cluster = await testCluster();
  repository = createTestRepository({ 'shop/one.yaml': configMap('one'), 'shop/two.yaml': configMap('two') });
  await kubectl('apply', '-f', 'deploy/crds');
  await kubectl('wait', '--for=condition=Established', 'crd/applications.argoproj.io', 'crd/appprojects.argoproj.io');
  await apply(platform());
  const connection = connect(await readKubeconfig(cluster.kubeconfig));
  const controller = startInstallation({
    connection,
    installation: { controlPlane: 'walk-argocd', appNamespaces: ['walk-team'] },
    cacheDir,
    log: silentLogger,
    metrics: createMetrics(),
    pollMs: 500,
    version: 'test',
  });
  stop = async () => {
    await controller.stop();
    await connection.close();
  };
});

after(async () => {
  await stop?.();
  rmSync(cacheDir, { recursive: true, force: true });
  repository?.remove();
  await cluster?.stop();
});

test("a tenant's Application from Git is applied as the service account its project names", async () => {
  await apply(application(repository.url));
  const app = await until(
    () => getApp(),
    (found) => found?.status?.sync?.status === 'Synced',
  );
  assert.equal(app?.status?.operationState?.phase, 'Succeeded');
  assert.equal(app?.status?.sync?.revision, repository.git('rev-parse', 'HEAD'));
  assert.equal(app?.status?.health?.status, 'Healthy');
  const writes = cluster
    .audit()
    .filter(
      ({ verb, objectRef }) =>
        verb !== 'get' &&
        verb !== 'list' &&
        verb !== 'watch' &&
        objectRef?.resource === 'configmaps' &&
        objectRef.namespace === 'walk-shop' &&
        objectRef.name !== 'kube-root-ca.crt',
    );
  assert.ok(writes.length >= 2);
  for (const write of writes) assert.equal(write.impersonatedUser?.username, deployer);
});

test('a file removed from Git is pruned, as the same account', async () => {
  repository.commit({ 'shop/two.yaml': null });
  await until(
    () => kubectl('get', 'configmaps', '-n', 'walk-shop', '-o', 'name'),
    (text) => !text.includes('configmap/two'),
  );
  const names = await kubectl('get', 'configmaps', '-n', 'walk-shop', '-o', 'name');
  assert.match(names, /configmap\/one/);
  const deletes = cluster
    .audit()
    .filter(
      ({ verb, objectRef }) => verb === 'delete' && objectRef?.resource === 'configmaps' && objectRef.name === 'two',
    );
  assert.deepEqual(
    deletes.map(({ impersonatedUser }) => impersonatedUser?.username),
    [deployer],
  );
});

test('at rest the Application is not written', async () => {
  await until(
    () => getApp(),
    (app) => app?.status?.sync?.status === 'Synced' && app.status.resources?.length === 1,
  );
  const writes = (): number =>
    cluster
      .audit()
      .filter(
        ({ verb, objectRef }) =>
          ['patch', 'update'].includes(verb) &&
          objectRef?.resource === 'applications' &&
          objectRef.namespace === 'walk-team',
      ).length;
  const then = writes();
  await sleep(2000);
  assert.equal(writes(), then);
});

test('an object of a namespace the project does not permit is refused, and nothing of it is sent', async () => {
  repository.commit({ 'shop/far.yaml': configMap('far', 'kube-system') });
  const app = await until(
    () => getApp(),
    (found) => found?.status?.operationState?.phase === 'Failed',
  );
  assert.match(
    app?.status?.operationState?.message ?? '',
    /namespace kube-system is not permitted in project 'walk-team'/,
  );
  assert.deepEqual(
    cluster.audit().filter(({ objectRef }) => objectRef?.name === 'far'),
    [],
  );
  repository.commit({ 'shop/far.yaml': null });
});

test('deleting the Application removes its objects first, as the same account', async () => {
  await until(
    () => getApp(),
    (app) => app?.status?.sync?.status === 'Synced',
  );
  await kubectl('delete', 'application', 'shop', '-n', 'walk-team', '--timeout=30s');
  const names = await kubectl('get', 'configmaps', '-n', 'walk-shop', '-o', 'name');
  assert.doesNotMatch(names, /configmap\/one/);
  const deletes = cluster
    .audit()
    .filter(
      ({ verb, objectRef }) => verb === 'delete' && objectRef?.resource === 'configmaps' && objectRef.name === 'one',
    );
  assert.deepEqual(
    deletes.map(({ impersonatedUser }) => impersonatedUser?.username),
    [deployer],
  );
});

interface App {
  readonly status?: {
    readonly sync?: { readonly status?: string; readonly revision?: string };
    readonly health?: { readonly status?: string };
    readonly operationState?: { readonly phase?: string; readonly message?: string };
    readonly resources?: readonly unknown[];
  };
}

async function getApp(): Promise<App | undefined> {
  const { code, stdout } = await cluster.kubectl(['get', 'application', 'shop', '-n', 'walk-team', '-o', 'json']);
  return code === 0 ? (JSON.parse(stdout) as App) : undefined;
}

async function kubectl(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await cluster.kubectl(args);
  assert.equal(code, 0, stderr);
  return stdout;
}

async function apply(yaml: string): Promise<void> {
  const { code, stderr } = await cluster.kubectl(['apply', '-f', '-'], { input: yaml });
  assert.equal(code, 0, stderr);
}

async function until<T>(read: () => Promise<T>, good: (value: T) => boolean): Promise<T> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const value = await read();
    if (good(value)) return value;
    assert.ok(Date.now() < deadline, `still ${JSON.stringify(value).slice(0, 2000)}`);
    await sleep(100);
  }
}

function configMap(name: string, namespace?: string): string {
  const place = namespace === undefined ? '' : `, namespace: ${namespace}`;
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}${place}}\ndata: {greeting: hello}\n`;
}

function platform(): string {
  return `
apiVersion: v1
kind: Namespace
metadata: {name: walk-argocd}
---
apiVersion: v1
kind: Namespace
metadata: {name: walk-team}
---
apiVersion: v1
kind: Namespace
metadata: {name: walk-shop}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: deployer, namespace: walk-shop}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: deployer, namespace: walk-shop}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: edit}
subjects: [{kind: ServiceAccount, name: deployer, namespace: walk-shop}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm, namespace: walk-argocd, labels: {app.kubernetes.io/part-of: argocd}}
data: {application.sync.impersonation.enabled: "true", source.allowedHosts: "file:"}
---
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: walk-team, namespace: walk-argocd}
spec:
  sourceRepos: ['*']
  sourceNamespaces: [walk-team]
  destinations: [{server: https://kubernetes.default.svc, namespace: walk-shop}]
  destinationServiceAccounts:
  - {server: https://kubernetes.default.svc, namespace: walk-shop, defaultServiceAccount: deployer}
`;
}

function application(repoURL: string): string {
  return `
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: shop
  namespace: walk-team
  finalizers: [resources-finalizer.argocd.argoproj.io]
spec:
  project: walk-team
  source: {repoURL: '${repoURL}', path: shop, targetRevision: main}
  destination: {server: https://kubernetes.default.svc, namespace: walk-shop}
  syncPolicy: {automated: {prune: true, selfHeal: true}}
`;
}
