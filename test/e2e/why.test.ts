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
import { kubeconfigOf } from '../support/real-files.ts';
import { tokenOf } from '../support/story.ts';
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
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'stranger', namespace: team } },
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

interface Answer {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const why = (kubeconfig: string, ...argv: string[]): Promise<Answer> => ask({}, ...argv, '--kubeconfig', kubeconfig);

async function ask(env: CommandContext['env'], ...argv: string[]): Promise<Answer> {
  const out: string[] = [];
  const err: string[] = [];
  const context: CommandContext = {
    print: (text) => void out.push(text),
    warn: (text) => void err.push(text),
    signal: AbortSignal.timeout(60_000),
    env,
    cwd: folder,
    version: '0',
    exitCode: 0,
  };
  const code = await runProgram(['why', ...argv, '--namespace', plane], commands, context);
  return { code, out: out.join(''), err: err.join('\n') };
}

test('a running installation answers as files do', async () => {
  const { code, out, err } = await why(cluster.kubeconfig, 'cluster', `${team}/shop`);
  assert.equal(err, '');
  assert.equal(code, 0);
  assert.match(out, /https:\/\/blue\.example\.com \(Secret why-team-a\/blue\)/);
  assert.match(out, /AppProject why-argocd\/team-a spec\.sourceNamespaces\[0\] @\d+/);
});

test('KUBECONFIG names the installation where nothing else does', async () => {
  const env = { KUBECONFIG: `${join(folder, 'missing')}:${cluster.kubeconfig}` };
  assert.equal((await ask(env, 'allowed', `${team}/shop`)).code, 0);
});

test('a cluster Secret of a running installation is explained', async () => {
  const { code, out, err } = await why(cluster.kubeconfig, 'secret', `${team}/blue`);
  assert.equal(err, '');
  assert.equal(code, 0);
  assert.match(out, /why-team-a\/blue: allowed/);
  const gone = await why(cluster.kubeconfig, 'secret', `${team}/green`);
  assert.equal(gone.code, 2);
  assert.match(gone.err, /there is no cluster Secret why-team-a\/green/);
});

test('whoever may not read the Secrets is told that the cluster is unknown', async () => {
  const file = await kubeconfigFor('asker');
  const { code, out } = await why(file, 'allowed', `${team}/shop`);
  assert.equal(code, 3);
  assert.match(out, /the cluster Secrets of namespace 'why-team-a' could not be read/);
  const secret = await why(file, 'secret', `${team}/blue`);
  assert.equal(secret.code, 3);
  assert.match(secret.err, /secrets is forbidden/);
});

test('whoever may not read the project gets no verdict, and hears what is missing', async () => {
  const { code, out, err } = await why(await kubeconfigFor('stranger'), 'allowed', `${team}/shop`);
  assert.equal(code, 3);
  assert.equal(out, '');
  assert.match(err, /is forbidden.*\n {2}to explain it you must be able to read the projects/);
});

/** A kubeconfig with the token of an account in the tenant's namespace. */
async function kubeconfigFor(name: string): Promise<string> {
  const file = join(folder, name);
  const token = await tokenOf({ connection }, team, name);
  await writeFile(file, kubeconfigOf(cluster.url, cluster.ca, token), { mode: 0o600 });
  return file;
}

test('an Application that is not there is said so', async () => {
  const { code, err } = await why(cluster.kubeconfig, 'allowed', `${team}/nobody`);
  assert.notEqual(code, 0);
  assert.match(err, /nobody/);
});
