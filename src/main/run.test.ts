import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { load } from 'js-yaml';
import { runProgram } from '../cli/index.ts';
import type { KubeObject } from '../core/objects/index.ts';
import { type Connection, connect, readKubeconfig, serviceAccounts } from '../kube/index.ts';
import { type EmbeddedCluster, startCluster } from '../kubeserver/index.ts';
import { serverCommands } from './servers.ts';

let cluster: EmbeddedCluster;
let connection: Connection;
let directory: string;
let kubeconfig: string;

before(async () => {
  cluster = await startCluster({ actors: false });
  directory = mkdtempSync(join(tmpdir(), 'argosy-run-'));
  kubeconfig = join(directory, 'kubeconfig');
  writeFileSync(kubeconfig, cluster.adminKubeconfig(), { mode: 0o600 });
  connection = connect(await readKubeconfig(kubeconfig));
  await apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argocd' } });
});

after(async () => {
  await connection?.close();
  await cluster?.stop();
  rmSync(directory, { recursive: true, force: true });
});

async function apply(object: KubeObject): Promise<void> {
  const { resources } = await connection.discover({ fresh: true });
  const resource = resources.find(({ kind }) => kind === object.kind);
  assert.ok(resource, object.kind);
  await connection.apply(resource, object, { fieldManager: 'test', force: true });
}

/** Runs `argosy run` in this process; what it warns of, and how it ends. */
function argosy(t: TestContext, ...flags: string[]): { end: Promise<number>; warned: string[]; stop: () => void } {
  const stopper = new AbortController();
  t.after(() => stopper.abort());
  const warned: string[] = [];
  const args = ['run', '--namespace', 'argocd', '--repo-cache-dir', directory, '--loglevel', 'error', ...flags];
  const end = runProgram(args.includes('--kubeconfig') ? args : [...args, '--kubeconfig', kubeconfig], serverCommands, {
    print: () => undefined,
    warn: (text) => void warned.push(text),
    signal: stopper.signal,
    env: {},
    cwd: directory,
    version: 'test',
    exitCode: 0,
  });
  return { end, warned, stop: () => stopper.abort() };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function untilAnswer(url: string, good: (status: number, text: string) => boolean): Promise<string> {
  const deadline = Date.now() + 30_000;
  for (let last = ''; ; await sleep(50)) {
    const answer = await fetch(url).catch(() => undefined);
    last = (await answer?.text()) ?? last;
    if (answer !== undefined && good(answer.status, last)) return last;
    assert.ok(Date.now() < deadline, `still: ${last}`);
  }
}

test('without our kinds it says what to apply and exits 1', async (t) => {
  const { end, warned } = argosy(t, '--port', '0', '--startup-timeout-seconds', '1');
  assert.equal(await end, 1);
  assert.match(warned.join('\n'), /not ready after 1 s: .*Application and AppProject.*kubectl apply -f deploy\/crds/);
});

test('kinds that come while it waits make it ready, and the end of it is a good one', async (t) => {
  const port = await freePort();
  const { end, stop, warned } = argosy(t, '--port', String(port));
  const url = `http://127.0.0.1:${port}/readyz`;
  await untilAnswer(url, (status, text) => status === 503 && text.includes('kubectl apply -f deploy/crds'));
  for (const file of readdirSync('deploy/crds'))
    await apply(load(readFileSync(join('deploy/crds', file), 'utf8')) as KubeObject); // our own files
  await untilAnswer(url, (status) => status === 200);
  stop();
  assert.equal(await end, 0);
  assert.deepEqual(warned, []);
});

test('an account of one namespace refuses the namespaces of others, and says what to grant', async (t) => {
  const own = await accountOf('argocd');
  for (const [given, text] of [
    ['team-*', /pattern 'team-\*': grant its account .*deploy\/base\/cluster-wide/],
    ['team-a', /'team-a'.*deploy\/applications-here/],
  ] as const) {
    const { end, warned } = argosy(t, '--kubeconfig', own, '--port', '0', '--application-namespaces', given);
    assert.equal(await end, 1);
    assert.match(warned.join('\n'), text);
  }
});

test('a port that is taken is a mistake of usage, and leaves nothing running', async (t) => {
  const server = createServer().listen(0);
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  const { end, warned } = argosy(t, '--port', String(address.port));
  assert.equal(await end, 2);
  assert.match(warned.join('\n'), /is in use/);
  await new Promise((resolve) => server.close(resolve));
});

test('a cluster that is not there is told in one sentence', async (t) => {
  const port = await freePort();
  const file = join(directory, 'nowhere');
  writeFileSync(file, cluster.adminKubeconfig().replace(cluster.url, `https://127.0.0.1:${port}`));
  const { end, warned } = argosy(t, '--kubeconfig', file, '--port', '0', '--startup-timeout-seconds', '1');
  assert.equal(await end, 1);
  assert.doesNotMatch(warned.join('\n'), /defect|\n\s+at /);
});

/** A kubeconfig for an account that has the rights of a namespaced installation. */
async function accountOf(namespace: string): Promise<string> {
  const metadata = { name: 'argosy', namespace };
  const rbac = 'rbac.authorization.k8s.io';
  await apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata });
  const rules = [{ apiGroups: ['', 'argoproj.io'], resources: ['*'], verbs: ['*'] }];
  await apply({ apiVersion: `${rbac}/v1`, kind: 'Role', metadata, rules } as KubeObject); // a Role has rules
  const binding = {
    roleRef: { apiGroup: rbac, kind: 'Role', name: 'argosy' },
    subjects: [{ kind: 'ServiceAccount', name: 'argosy', namespace }],
  };
  await apply({ apiVersion: `${rbac}/v1`, kind: 'RoleBinding', metadata, ...binding } as KubeObject); // and a binding these
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata, spec: {} };
  const answer = await connection.create(serviceAccounts, request as KubeObject, { subresource: 'token' });
  const { token } = (answer as unknown as { status: { token: string } }).status; // a TokenRequest answers with one
  const file = join(directory, 'account');
  writeFileSync(file, cluster.adminKubeconfig().replace(cluster.adminToken, token), { mode: 0o600 });
  return file;
}
