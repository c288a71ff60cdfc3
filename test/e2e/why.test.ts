import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { load } from 'js-yaml';
import { type CommandContext, commands, runProgram } from '../../src/cli/index.ts';
import type { KubeObject } from '../../src/core/objects/index.ts';
import { type Connection, connect } from '../../src/kube/index.ts';
import { type TestCluster, testCluster } from '../support/test-cluster.ts';

const [plane, team] = ['why-argocd', 'why-team-a'];
const plurals: Record<string, string> = {
  Namespace: 'namespaces',
  ConfigMap: 'configmaps',
  Secret: 'secrets',
  AppProject: 'appprojects',
  Application: 'applications',
  CustomResourceDefinition: 'customresourcedefinitions',
  ServiceAccount: 'serviceaccounts',
  ClusterRole: 'clusterroles',
  ClusterRoleBinding: 'clusterrolebindings',
};
const objects: readonly KubeObject[] = [
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'argocd-cmd-params-cm', namespace: plane },
    data: { 'application.namespaces': team },
  },
  {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name: 'team-a', namespace: plane },
    spec: {
      sourceNamespaces: [team],
      sourceRepos: ['*'],
      destinations: [{ server: 'https://blue.example.com', namespace: 'dev' }],
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'blue', namespace: team, labels: { 'argocd.argoproj.io/secret-type': 'cluster' } },
    stringData: { name: 'blue', server: 'https://blue.example.com', project: 'team-a', config: '{"bearerToken":"t"}' },
  },
  {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'shop', namespace: team },
    spec: {
      project: 'team-a',
      source: { repoURL: 'https://g/x', path: '.' },
      destination: { name: 'blue', namespace: 'dev' },
    },
  },
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'asker', namespace: team } },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'why-asker' },
    rules: [
      { apiGroups: ['argoproj.io'], resources: ['*'], verbs: ['get', 'list'] },
      { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] },
    ],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'why-asker' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'why-asker' },
    subjects: [{ kind: 'ServiceAccount', name: 'asker', namespace: team }],
  },
];

let cluster: TestCluster;
let connection: Connection;
let folder = '';

function resourceOf({ apiVersion, kind, metadata }: KubeObject) {
  const [group = '', version = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  return { group, version, kind, plural: plurals[kind] ?? '', namespaced: metadata.namespace !== undefined, verbs: [] };
}

async function apply(object: KubeObject): Promise<void> {
  await connection.apply(resourceOf(object), object, { fieldManager: 'user', force: true });
}

/** A custom kind is served a moment after its definition is stored. */
async function applySoon(object: KubeObject): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      return await apply(object);
    } catch (error) {
      if (tries > 400) throw error;
      await sleep(25);
    }
  }
}

before(async () => {
  cluster = await testCluster();
  folder = await mkdtemp(join(tmpdir(), 'argosy-why-live-'));
  const credential = { type: 'token', token: cluster.adminToken } as const;
  connection = connect({ server: cluster.url, caData: Buffer.from(cluster.ca), credential });
  for (const file of globSync('deploy/crds/*.yaml')) await apply(load(readFileSync(file, 'utf8')) as KubeObject);
  for (const name of [plane, team]) await apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  for (const object of objects) await applySoon(object);
});
after(async () => {
  await connection.close();
  await cluster.stop();
  await rm(folder, { recursive: true });
});

async function why(kubeconfig: string, ...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const out: string[] = [];
  const err: string[] = [];
  const context: CommandContext = {
    print: (text) => void out.push(text),
    warn: (text) => void err.push(text),
    signal: AbortSignal.timeout(60_000),
    env: {},
    cwd: folder,
    version: '0',
    exitCode: 0,
  };
  const code = await runProgram(['why', ...argv, '--kubeconfig', kubeconfig, '--namespace', plane], commands, context);
  return { code, out: out.join(''), err: err.join('\n') };
}

test('a running installation answers as files do', async () => {
  const { code, out, err } = await why(cluster.kubeconfig, 'cluster', `${team}/shop`);
  assert.equal(err, '');
  assert.equal(code, 0);
  assert.match(out, /https:\/\/blue\.example\.com \(Secret why-team-a\/blue\)/);
  assert.match(out, /AppProject why-argocd\/team-a spec\.sourceNamespaces\[0\] @\d+/);
});

test('whoever may not read the Secrets is told that the cluster is unknown', async () => {
  const accounts = {
    group: '',
    version: 'v1',
    kind: 'ServiceAccount',
    plural: 'serviceaccounts',
    namespaced: true,
    verbs: [],
  };
  const request = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: { name: 'asker', namespace: team },
    spec: {},
  };
  const answer = await connection.create(accounts, request, { subresource: 'token' });
  const { token } = answer['status'] as { token: string }; // a TokenRequest always answers with one
  const file = join(folder, 'asker');
  const config = {
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [
      {
        name: 'c',
        cluster: { server: cluster.url, 'certificate-authority-data': Buffer.from(cluster.ca).toString('base64') },
      },
    ],
    users: [{ name: 'u', user: { token } }],
  };
  await writeFile(file, JSON.stringify(config), { mode: 0o600 });
  const { code, out } = await why(file, 'allowed', `${team}/shop`);
  assert.equal(code, 3);
  assert.match(out, /the cluster Secrets of namespace 'why-team-a' could not be read/);
});

test('an Application that is not there is said so', async () => {
  const { code, err } = await why(cluster.kubeconfig, 'allowed', `${team}/nobody`);
  assert.notEqual(code, 0);
  assert.match(err, /nobody/);
});
