import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RealCluster, startRealCluster } from '../support/real-cluster.ts';

let cluster: RealCluster;
before(async () => {
  cluster = await startRealCluster({ controllers: false });
  const applied = await cluster.kubectl(['apply', '-f', 'deploy/crds']);
  assert.equal(applied.code, 0, applied.stderr);
  const names = ['applications', 'appprojects', 'applicationsets'].map((plural) => `crd/${plural}.argoproj.io`);
  const wait = () => cluster.kubectl(['wait', '--for=condition=Established', '--timeout=60s', ...names]);
  // On a definition without any condition yet kubectl gives up instead of waiting.
  let waited = await wait();
  for (let tries = 0; waited.code !== 0 && tries < 60; tries++) {
    await sleep(500);
    waited = await wait();
  }
  assert.equal(waited.code, 0, waited.stderr);
});
after(async () => {
  await cluster?.stop();
});

async function apply(object: object): Promise<string> {
  const { code, stdout, stderr } = await cluster.kubectl(['apply', '--validate=false', '-f', '-'], {
    input: JSON.stringify(object),
  });
  return code === 0 ? stdout : `refused: ${stderr}`;
}

async function read(kind: string, name: string): Promise<Record<string, Record<string, unknown>>> {
  const { stdout } = await cluster.kubectl(['get', kind, name, '-n', 'default', '-o', 'json']);
  return JSON.parse(stdout) as Record<string, Record<string, unknown>>;
}

const meta = (name: string) => ({ name, namespace: 'default' });
const application = (name: string, spec: object): object => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: meta(name),
  spec,
});
const project = (name: string, spec: object): object => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AppProject',
  metadata: meta(name),
  spec,
});
const plain = {
  project: 'p',
  destination: { server: 'https://x', namespace: 'n' },
  source: { repoURL: 'https://g/r' },
};

test('the CRDs are accepted by plain client-side apply, and again', async () => {
  const again = await cluster.kubectl(['apply', '-f', 'deploy/crds']);
  assert.equal(again.code, 0, again.stderr);
  assert.match(again.stdout, /applications\.argoproj\.io unchanged/);
});

test('the schemas are structural and nothing about them is wrong', async () => {
  const { stdout } = await cluster.kubectl(['get', 'crd', '-o', 'json']);
  const { items } = JSON.parse(stdout) as { items: { status: { conditions: { type: string; status: string }[] } }[] };
  for (const { status } of items) {
    assert.equal(status.conditions.find(({ type }) => type === 'NamesAccepted')?.status, 'True');
    assert.equal(
      status.conditions.find(({ type }) => type === 'NonStructuralSchema'),
      undefined,
    );
  }
});

test('a full Application is kept as written, an unknown field is pruned, Helm values may hold anything', async () => {
  const spec = {
    project: 'p',
    destination: { name: 'in-cluster', namespace: 'n' },
    sources: [
      { repoURL: 'https://g/r', path: 'a', helm: { valuesObject: { any: { thing: [1, 'two', { three: true }] } } } },
      {
        repoURL: 'https://g/r',
        ref: 'values',
        kustomize: {
          replicas: [
            { name: 'x', count: '3' },
            { name: 'y', count: 2 },
          ],
        },
      },
      { repoURL: 'https://g/p', plugin: { name: 'x', parameters: [{ name: 'empty', array: [] }] } },
    ],
    syncPolicy: {
      automated: { prune: true, enabled: false },
      retry: { limit: -1, backoff: { duration: '5s', factor: 2, maxDuration: '3m' }, refresh: true },
      managedNamespaceMetadata: { labels: { a: 'b' } },
    },
    ignoreDifferences: [{ group: 'apps', kind: 'Deployment', jsonPointers: ['/spec/replicas'] }],
    info: [{ name: 'a', value: 'b' }],
    revisionHistoryLimit: 3,
  };
  assert.match(await apply(application('full', { ...spec, allowedServiceAccounts: ['x'] })), /created/);
  assert.deepEqual((await read('app', 'full'))['spec'], spec);
});

test('what is no Application is refused with the field', async () => {
  const rows: readonly [object, RegExp][] = [
    [{ project: 'p' }, /spec\.destination: Required value/],
    [{ destination: {} }, /spec\.project: Required value/],
    [{ ...plain, source: { path: 'x' } }, /spec\.source\.repoURL: Required value/],
    [{ ...plain, syncPolicy: { automated: { prune: 'yes' } } }, /spec\.syncPolicy\.automated\.prune/],
    [{ ...plain, ignoreDifferences: [{}] }, /spec\.ignoreDifferences\[0\]\.kind: Required value/],
  ];
  for (const [spec, wanted] of rows) assert.match(await apply(application('bad', spec)), wanted);
});

test('status is an ordinary field: writing it moves the generation', async () => {
  await apply(application('status', plain));
  const before = await read('app', 'status');
  const patch = { status: { sync: { status: 'Synced', revision: 'abc' }, health: { status: 'Healthy' } } };
  const patched = await cluster.kubectl([
    'patch',
    'app',
    'status',
    '-n',
    'default',
    '--type=merge',
    '-p',
    JSON.stringify(patch),
  ]);
  assert.equal(patched.code, 0, patched.stderr);
  const now = await read('app', 'status');
  assert.deepEqual(now['status'], patch.status);
  assert.equal(now['metadata']?.['generation'], Number(before['metadata']?.['generation']) + 1);
});

test('kubectl shows the columns of Argo CD', async () => {
  const { stdout: short } = await cluster.kubectl(['get', 'apps', '-n', 'default']);
  assert.match(short, /^NAME +SYNC STATUS +HEALTH STATUS\n/);
  assert.match(short, /status +Synced +Healthy/);
  const { stdout: wide } = await cluster.kubectl(['get', 'apps', '-n', 'default', '-o', 'wide']);
  assert.match(wide, /^NAME +SYNC STATUS +HEALTH STATUS +REVISION +PROJECT\n/);
});

test('an absent whitelist and an empty one stay apart', async () => {
  assert.match(await apply(project('absent', { sourceRepos: ['*'] })), /created/);
  assert.match(await apply(project('empty', { sourceRepos: ['*'], namespaceResourceWhitelist: [] })), /created/);
  assert.equal((await read('appproj', 'absent'))['spec']?.['namespaceResourceWhitelist'], undefined);
  assert.deepEqual((await read('appproj', 'empty'))['spec']?.['namespaceResourceWhitelist'], []);
});

test('a full project with our quota and conditions is kept as written', async () => {
  const spec = {
    description: 'x'.repeat(255),
    sourceRepos: ['*'],
    destinations: [{ server: '*', namespace: '!kube-system' }],
    sourceNamespaces: ['team-*'],
    clusterResourceWhitelist: [{ group: '', kind: 'Namespace', name: 'shop-*' }],
    namespaceResourceBlacklist: [{ group: '', kind: 'ResourceQuota' }],
    orphanedResources: { warn: true, ignore: [{ group: 'apps' }] },
    roles: [{ name: 'r', policies: ['p, proj:x:r, applications, get, x/*, allow'], jwtTokens: [{ iat: 1 }] }],
    syncWindows: [{ kind: 'deny', schedule: '0 0 * * *', duration: '1h', applications: ['*'], syncOverrun: true }],
    signatureKeys: [{ keyID: 'ABCDEF' }],
    sourceIntegrity: { git: { policies: [{ repos: [{ url: '*' }], gpg: { mode: 'head', keys: ['A'] } }] } },
    permitOnlyProjectScopedClusters: true,
    destinationServiceAccounts: [{ server: '*', namespace: '*', defaultServiceAccount: 'default' }],
    quota: { applications: 10, clusters: 2 },
  };
  assert.match(await apply(project('whole', spec)), /created/);
  const status = {
    conditions: [{ type: 'DenyWarning', message: 'm', lastTransitionTime: '2026-01-02T03:04:05Z' }],
    jwtTokensByRole: { r: { items: [{ iat: 1, id: 'a' }] } },
  };
  await cluster.kubectl([
    'patch',
    'appproject',
    'whole',
    '-n',
    'default',
    '--type=merge',
    '-p',
    JSON.stringify({ status }),
  ]);
  const stored = await read('appproject', 'whole');
  assert.deepEqual(stored['spec'], spec);
  assert.deepEqual(stored['status'], status);
});

test('what is no project is refused with the field', async () => {
  const rows: readonly [object, RegExp][] = [
    [{ destinations: ['*'] }, /spec\.destinations\[0\]/],
    [{ description: 'x'.repeat(256) }, /spec\.description/],
    [{ quota: { applications: -1 } }, /spec\.quota\.applications/],
    [{ destinationServiceAccounts: [{ server: '*' }] }, /defaultServiceAccount: Required value/],
    [{ clusterResourceWhitelist: [{ kind: 'X' }] }, /clusterResourceWhitelist\[0\]\.group: Required value/],
  ];
  for (const [spec, wanted] of rows) assert.match(await apply(project('bad', spec)), wanted);
});

test('an ApplicationSet keeps whatever its generators hold, and has a status of its own', async () => {
  const spec = {
    goTemplate: true,
    generators: [{ matrix: { generators: [{ list: { elements: [{ a: 1, b: { c: [] } }] } }, { clusters: {} }] } }],
    template: { metadata: { name: '{{.a}}' }, spec: plain },
    strategy: { type: 'RollingSync', rollingSync: { steps: [{ maxUpdate: '25%' }, { maxUpdate: 1 }] } },
  };
  const object = { apiVersion: 'argoproj.io/v1alpha1', kind: 'ApplicationSet', metadata: meta('set'), spec };
  assert.match(await apply({ ...object, status: { resourcesCount: 1 } }), /created/);
  const stored = await read('appset', 'set');
  assert.deepEqual(stored['spec'], spec);
  assert.equal(stored['status'], undefined);
});
