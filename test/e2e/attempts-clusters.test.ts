import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Controller } from '../../src/controller/index.ts';
import { isArgosyError } from '../../src/core/errors/index.ts';
import { connect } from '../../src/kube/index.ts';
import { startInstallation } from '../../src/main/controller.ts';
import { createLogger, createMetrics, type Metrics } from '../../src/telemetry/index.ts';
import { createTestRepository, type TestRepository } from '../support/git-repository.ts';
import { type HostileCluster, startHostileCluster } from '../support/hostile-cluster.ts';
import { type AppView, appView, type Stage, until } from '../support/story.ts';
import {
  conditionText,
  configMap,
  isOver,
  openThreat,
  openWatchedStage,
  type Threat,
  tokenOf,
} from '../support/threat.ts';

// What a tenant tries with cluster Secrets: two teams have one each for the same address, and the attacker also runs
// servers that only call themselves clusters.

let stage: Stage;
let threat: Threat;
let repository: TestRepository;
let controller: Controller;
let metrics: Metrics;
let cacheDir: string;
const log: string[] = [];
const tokens: Record<string, string> = {};
const hostile: HostileCluster[] = [];
const canary = 'c4n4ry-t0k3n';

const account = (team: string): string => `---
apiVersion: v1
kind: Namespace
metadata: {name: clu-${team}-prod}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: remote, namespace: clu-${team}-prod}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: remote, namespace: clu-${team}-prod}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: edit}
subjects: [{kind: ServiceAccount, name: remote, namespace: clu-${team}-prod}]
---
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: clu-${team}-ext, namespace: clu-argocd}
spec:
  sourceNamespaces: [clu-${team}]
  sourceRepos: ['*']
  destinations: [{name: '*', namespace: 'clu-*-prod'}]
`;

before(async () => {
  cacheDir = mkdtempSync(join(tmpdir(), 'argosy-clusters-'));
  stage = await openWatchedStage();
  repository = createTestRepository({
    'shop/one.yaml': configMap('shop'),
    'waves/one.yaml': configMap('wave-1'),
    'waves/gate.yaml':
      'apiVersion: v1\nkind: Service\nmetadata: {name: gate, annotations: {argocd.argoproj.io/sync-wave: "1"}}\nspec: {type: LoadBalancer, ports: [{port: 80}]}\n',
    'waves/two.yaml': configMap('wave-2', 'annotations: {argocd.argoproj.io/sync-wave: "2"}'),
    'last/one.yaml': configMap('last'),
  });
  threat = await openThreat(stage, 'clu', ['a', 'b'].map(account).join(''));
  await stage.patch('ConfigMap', 'clu-argocd', 'argocd-cm', { data: { 'cluster.tenant.allowedHosts': '127.0.0.1:*' } });
  await stage.apply(
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: argocd-cmd-params-cm, namespace: clu-argocd}\ndata: {application.namespaces: "clu-a,clu-b"}\n',
  );
  for (const team of ['a', 'b']) tokens[team] = await tokenOf(stage.connection, `clu-${team}-prod`, 'remote');
  metrics = createMetrics();
  controller = startInstallation({
    connection: stage.connection,
    installation: { controlPlane: 'clu-argocd' },
    cacheDir,
    log: createLogger({ level: 'debug', write: (line) => void log.push(line) }),
    metrics,
    pollMs: 300,
    version: 'test',
  });
  await controller.ready;
  await stage.apply(secret('a', 'real', stage.cluster.url, tokens['a'] ?? ''));
  await stage.apply(secret('b', 'real', stage.cluster.url, tokens['b'] ?? ''));
  for (const team of ['a', 'b']) await stage.apply(application(team, 'shop', 'real'));
  for (const team of ['a', 'b']) await until(() => view(team, 'shop'), synced, 120_000);
});

after(async () => {
  await controller?.stop();
  for (const cluster of hostile) await cluster.close();
  await threat?.tenant.close();
  await stage?.stop();
  repository?.remove();
  if (cacheDir !== undefined) rmSync(cacheDir, { recursive: true, force: true });
});

const view = (team: string, name: string): Promise<AppView | undefined> => appView(stage, `clu-${team}`, name);
const synced = (app: AppView | undefined): boolean =>
  app?.status?.sync?.status === 'Synced' && app.operation === undefined;
/** The neighbour's next change arrives, whatever the attacker's clusters do. */
async function neighbourIsServed(): Promise<void> {
  const revision = repository.commit({ 'shop/one.yaml': configMap('shop', '', `at: "${Date.now()}"`) });
  await until(
    () => view('b', 'shop'),
    (app) => synced(app) && app?.status?.sync?.revision === revision,
    60_000,
  );
}
async function attackWith(
  name: string,
  answer: Parameters<typeof startHostileCluster>[0],
  token = `${canary}-${name}`,
): Promise<HostileCluster> {
  const cluster = await startHostileCluster(answer);
  hostile.push(cluster);
  await threat.tenant.apply(secret('a', name, cluster.url, token, cluster.ca));
  await threat.tenant.apply(application('a', name, name));
  return cluster;
}
async function withdraw(name: string): Promise<void> {
  await threat.tenant.remove('Application', 'clu-a', name);
  await threat.tenant.remove('Secret', 'clu-a', name);
}

test('T-064 headers of impersonation in a Secret are refused, with the key in the Event', async () => {
  for (const [n, key] of ['impersonate', 'Impersonate-User', 'headers'].entries()) {
    const name = `sly-${n}`;
    await threat.tenant.apply(
      secret('a', name, stage.cluster.url, tokens['a'] ?? '').replace(
        '"bearerToken"',
        `"${key}":{"user":"system:admin"},"bearerToken"`,
      ),
    );
    await threat.tenant.apply(application('a', name, name));
    const event = await until(
      async () =>
        (await stage.list('Event', 'clu-a')).find(
          (each) => (each['involvedObject'] as { name?: string }).name === name && each['type'] === 'Warning',
        ),
      (found) => found !== undefined,
    );
    assert.match(String(event?.['message']), new RegExp(key));
    assert.match(
      conditionText(await threat.seen(name, (app) => conditionText(app) !== '')),
      /there are no clusters with this name/,
    );
    await withdraw(name);
  }
});

test('T-084 an answer that points elsewhere is not followed, and carries no credential there', async () => {
  const elsewhere = await startHostileCluster((_request, response) => void response.end('{}'));
  hostile.push(elsewhere);
  const cluster = await attackWith('redirect', ({ url }, response) => {
    response.writeHead(307, { location: `${elsewhere.url}${url}` }).end();
  });
  await until(
    async () => cluster.spoken.size,
    (count) => count > 0,
  );
  await neighbourIsServed();
  assert.equal(elsewhere.spoken.size, 0);
  assert.notEqual((await threat.view('redirect'))?.status?.sync?.status, 'Synced');
  await withdraw('redirect');
});

test("T-096 the view of one address is each credential's own", async () => {
  // The project permits the neighbour's namespace by mistake; the credential does not.
  await threat.tenant.apply(
    application('a', 'curious', 'real').replace('namespace: clu-a-prod', 'namespace: clu-b-prod'),
  );
  const app = await threat.seen('curious', (found) => conditionText(found) !== '' || isOver(found));
  assert.notEqual(app.status?.sync?.status, 'Synced');
  assert.equal(
    (await stage.get('ConfigMap', 'clu-b-prod', 'shop'))?.metadata.annotations?.['argocd.argoproj.io/tracking-id'],
    'clu-b_shop:/ConfigMap:clu-b-prod/shop',
  );
  const writers = stage
    .writes('configmaps', 'clu-b-prod')
    .filter(({ userAgent, responseStatus }) => userAgent === 'argosy/test' && (responseStatus?.code ?? 0) < 400);
  assert.deepEqual([...new Set(writers.map(({ user }) => user.username))], ['system:serviceaccount:clu-b-prod:remote']);
  await threat.tenant.remove('Application', 'clu-a', 'curious');
});

test("T-097 a credential that is revoked is not replaced by the neighbour's", async () => {
  await stage.remove('ServiceAccount', 'clu-a-prod', 'remote');
  await until(
    () => isAccepted(tokens['a'] ?? ''),
    (accepted) => !accepted,
    60_000,
  );
  await neighbourIsServed();
  const before = (await view('a', 'shop'))?.status?.sync?.revision;
  const revision = repository.commit({ 'shop/one.yaml': configMap('shop', '', 'at: revoked') });
  await until(
    () => view('b', 'shop'),
    (app) => synced(app) && app?.status?.sync?.revision === revision,
    60_000,
  );
  assert.notDeepEqual((await stage.get('ConfigMap', 'clu-a-prod', 'shop'))?.['data'], { at: 'revoked' });
  assert.ok(!synced(await view('a', 'shop')) || before !== revision);
  await stage.apply(account('a'));
  tokens['a'] = await tokenOf(stage.connection, 'clu-a-prod', 'remote');
  await threat.tenant.apply(secret('a', 'real', stage.cluster.url, tokens['a'] ?? ''));
  await until(
    () => view('a', 'shop'),
    (app) => synced(app) && app?.status?.sync?.revision === revision,
    90_000,
  );
});

test('T-101, T-106 a Secret changed again and again leaves few connections, none with two credentials', async () => {
  const cluster = await attackWith('restless', (_request, response) => void response.writeHead(503).end('busy'));
  await until(
    async () => cluster.spoken.size,
    (count) => count > 0,
  );
  const changes = 50;
  for (let n = 0; n < changes; n++)
    await threat.tenant.apply(secret('a', 'restless', cluster.url, `${canary}-${n}`, cluster.ca));
  await neighbourIsServed();
  for (const said of cluster.spoken.values()) assert.equal(said.size, 1);
  await until(
    async () => cluster.open.size,
    (count) => count <= 20,
  );
  assert.ok(cluster.spoken.size <= changes * 4, `${cluster.spoken.size} connections`);
  await withdraw('restless');
  await until(
    async () => cluster.open.size,
    (count) => count === 0,
  );
});

test('T-102 clusters that never answer, or never stop, cost their tenant alone', async () => {
  const list = (response: ServerResponse, head: string, piece: string, everyMs: number): void => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(head);
    const timer = setInterval(() => void response.write(piece), everyMs);
    response.on('close', () => clearInterval(timer));
  };
  const kinds = Array.from({ length: 100_000 }, (_, n) => ({
    name: `k${n}`,
    singularName: '',
    namespaced: true,
    kind: `K${n}`,
    verbs: ['list', 'watch'],
  }));
  const bodies: Record<string, Parameters<typeof startHostileCluster>[0]> = {
    silent: () => undefined,
    slow: (_request, response) => list(response, '{', ' ', 1000),
    endless: (_request, response) => list(response, '{"groups":[', '{"name":"x","versions":[]},'.repeat(2000), 5),
    kinds: ({ url }, response) =>
      void response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(
          url?.startsWith('/api/v1') === true
            ? JSON.stringify({ kind: 'APIResourceList', groupVersion: 'v1', resources: kinds })
            : '{"kind":"APIVersions","versions":["v1"],"groups":[]}',
        ),
  };
  for (const [name, answer] of Object.entries(bodies)) await attackWith(name, answer);
  await neighbourIsServed();
  await neighbourIsServed();
  for (const name of Object.keys(bodies)) {
    const app = await threat.view(name);
    assert.notEqual(app?.status?.sync?.status, 'Synced');
    await withdraw(name);
  }
});

test("T-104 marks of the neighbour on objects of the attacker's cluster tell the neighbour nothing", async () => {
  const person = secretless('a');
  await stage.apply(person);
  await neighbourIsServed();
  assert.doesNotMatch(JSON.stringify(await view('b', 'shop')), /bait/);
  assert.notEqual(await stage.get('ConfigMap', 'clu-a-prod', 'bait'), undefined);
  await stage.remove('ConfigMap', 'clu-a-prod', 'bait');
});

test('T-105 what a cluster of a tenant says in errors is told in our words, short, and without the token', async () => {
  const shout = `\u001b[31m<script>alert(1)</script>\r\n${'A'.repeat(1_000_000)}`;
  for (const [name, status] of [
    ['shout', 500],
    ['echo', 403],
  ] as const) {
    const cluster = await attackWith(name, (request, response) => {
      const message = `${shout} ${request.headers.authorization}`;
      response.writeHead(status, { 'content-type': 'application/json' }).end(
        JSON.stringify({
          kind: 'Status',
          apiVersion: 'v1',
          status: 'Failure',
          message,
          reason: 'Forbidden',
          code: status,
        }),
      );
    });
    await until(
      async () => cluster.spoken.size,
      (count) => count > 0,
    );
    const app = await threat.seen(name, (found) => conditionText(found) !== '');
    const text = JSON.stringify(app);
    assert.ok(text.length < 20_000);
    assert.equal(/\\u001b|<script>|c4n4ry/.test(text), false, conditionText(app).slice(0, 500));
    await withdraw(name);
  }
});

test('T-110 a Secret deleted during a sync stops it; no other cluster of that address takes its place', async () => {
  await threat.tenant.apply(application('a', 'waves', 'real'));
  await threat.seen('waves', (app) => app.status?.operationState?.message?.includes('gate') === true);
  await threat.tenant.remove('Secret', 'clu-a', 'real');
  const app = await threat.seen('waves', isOver);
  assert.match(
    app.status?.operationState?.message ?? '',
    /there are no clusters with this name|no longer there|other rules/,
  );
  assert.equal(await stage.get('ConfigMap', 'clu-a-prod', 'wave-2'), undefined);
  await stage.remove('Service', 'clu-a-prod', 'gate');
  await threat.tenant.remove('Application', 'clu-a', 'waves');
  await threat.tenant.apply(secret('a', 'real', stage.cluster.url, tokens['a'] ?? ''));
});

test('T-111, 120: without its cluster a deletion waits and says so; without the finalizer the Application goes', async () => {
  await threat.tenant.apply(
    application('a', 'last', 'real').replace(
      'metadata: {',
      'metadata: {finalizers: [resources-finalizer.argocd.argoproj.io], ',
    ),
  );
  await until(() => view('a', 'last'), synced, 60_000);
  await threat.tenant.remove('Secret', 'clu-a', 'real');
  await threat.seen('last', (app) => conditionText(app) !== '');
  await threat.tenant.remove('Application', 'clu-a', 'last');
  const app = await threat.seen(
    'last',
    (found) => found.metadata.deletionTimestamp !== undefined && conditionText(found).includes('cluster'),
  );
  assert.match(conditionText(app), /there are no clusters with this name/);
  await threat.tenant.patch('Application', 'clu-a', 'last', { metadata: { finalizers: null } });
  await until(
    () => view('a', 'last'),
    (found) => found === undefined,
  );
  assert.notEqual(await stage.get('ConfigMap', 'clu-a-prod', 'last'), undefined);
});

test('T-112 a namespace taken off the list loses its connections', async () => {
  const cluster = await attackWith('listed', (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{');
  });
  await until(
    async () => cluster.open.size,
    (count) => count > 0,
  );
  await stage.patch('ConfigMap', 'clu-argocd', 'argocd-cmd-params-cm', { data: { 'application.namespaces': 'clu-b' } });
  await until(
    async () => cluster.open.size,
    (count) => count === 0,
  );
  await neighbourIsServed();
});

test('T-107 no token stands in the log, a metric, an Event or a status', async () => {
  const events = await Promise.all(['clu-a', 'clu-b', 'clu-argocd'].map((namespace) => stage.list('Event', namespace)));
  const apps = await Promise.all(['clu-a', 'clu-b'].map((namespace) => stage.list('Application', namespace)));
  const all = [log.join(''), [...metrics.print()].join(''), JSON.stringify(events), JSON.stringify(apps)].join('\n');
  assert.ok(all.length > 1000);
  for (const token of [canary, ...Object.values(tokens)]) assert.equal(all.includes(token), false);
});

test('in all of this nothing was written beyond the rights of the tenant', () => {
  assert.deepEqual(threat.trespasses(), []);
});

/** Whether the API server still takes a token: it may remember one for some seconds. */
async function isAccepted(token: string): Promise<boolean> {
  const { url, ca } = stage.cluster;
  const connection = connect({ server: url, caData: Buffer.from(ca), credential: { type: 'token', token } });
  const answer = await connection.discover({ fresh: true }).then(
    () => true,
    (error: unknown) => !(isArgosyError(error) && error.code === 'kube-unauthorized'),
  );
  await connection.close();
  return answer;
}

function secret(team: string, name: string, server: string, token: string, ca = stage.cluster.ca): string {
  const config = JSON.stringify({
    bearerToken: token,
    tlsClientConfig: { caData: Buffer.from(ca).toString('base64') },
  });
  return `
apiVersion: v1
kind: Secret
metadata: {name: ${name}, namespace: clu-${team}, labels: {argocd.argoproj.io/secret-type: cluster}}
stringData: {name: ${name}, server: '${server}', project: clu-${team}-ext, namespaces: clu-${team}-prod, config: '${config}'}
`;
}

function application(team: string, name: string, cluster: string): string {
  const path = ['waves', 'last'].includes(name) ? name : 'shop';
  return `
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: ${name}, namespace: clu-${team}}
spec:
  project: clu-${team}-ext
  source: {repoURL: '${repository.url}', path: ${path}, targetRevision: main}
  destination: {name: ${cluster}, namespace: clu-${team}-prod}
  syncPolicy: {automated: {}, retry: {limit: 0}}
`;
}

function secretless(team: string): string {
  return configMap(
    'bait',
    `namespace: clu-${team}-prod, annotations: {argocd.argoproj.io/tracking-id: 'clu-b_shop:/ConfigMap:clu-${team}-prod/bait'}`,
  );
}
