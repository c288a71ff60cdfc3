import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, test } from 'node:test';
import type { KubeObject } from '../../src/core/objects/index.ts';
import { ClusterAttempts, canary } from '../support/cluster-attempts.ts';
import { isOver, isSynced, type Stage, until } from '../support/story.ts';
import { conditionText, configMap, type Threat } from '../support/threat.ts';

// What a tenant tries with cluster Secrets: two teams have one each for the same address, and the attacker also runs
// servers that only call themselves clusters.

let attempts: ClusterAttempts;
let stage: Stage;
let threat: Threat;

before(async () => {
  attempts = await ClusterAttempts.open();
  ({ stage, threat } = attempts);
});

after(() => attempts?.close());

test('T-064 headers of impersonation in a Secret are refused, with the key in the Event', async () => {
  for (const [n, key] of ['impersonate', 'Impersonate-User', 'headers'].entries()) {
    const name = `sly-${n}`;
    await threat.tenant.apply(
      attempts.secret('a', name).replace('"bearerToken"', `"${key}":{"user":"system:admin"},"bearerToken"`),
    );
    await threat.tenant.apply(attempts.application('a', name, name));
    // The Application of the same name has its own to tell.
    const told = await until(
      async () => (await stage.list('Event', 'clu-a')).filter((each) => isAbout(each, 'Secret', name)),
      (found) => found.length > 0,
    );
    assert.match(String(told[0]?.['message']), new RegExp(key));
    assert.match(
      conditionText(await threat.seen(name, (app) => conditionText(app) !== '')),
      /there are no clusters with this name/,
    );
    await attempts.withdraw(name);
  }
});

test('T-084 an answer that points elsewhere is not followed, and carries no credential there', async () => {
  const elsewhere = await attempts.bait((_request, response) => void response.end('{}'));
  const cluster = await attempts.attackWith('redirect', ({ url }, response) => {
    response.writeHead(307, { location: `${elsewhere.url}${url}` }).end();
  });
  await until(
    async () => cluster.spoken.size,
    (count) => count > 0,
  );
  await attempts.neighbourIsServed();
  assert.equal(elsewhere.spoken.size, 0);
  assert.notEqual((await threat.view('redirect'))?.status?.sync?.status, 'Synced');
  await attempts.withdraw('redirect');
});

test("T-096 the view of one address is each credential's own", async () => {
  // The project permits the neighbour's namespace by mistake; the credential does not.
  await threat.tenant.apply(
    attempts.application('a', 'curious', 'real').replace('namespace: clu-a-prod', 'namespace: clu-b-prod'),
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
    () => attempts.isAccepted('a'),
    (accepted) => !accepted,
    60_000,
  );
  await attempts.neighbourIsServed();
  const before = (await attempts.view('a', 'shop'))?.status?.sync?.revision;
  const revision = await attempts.neighbourIsServed('at: revoked');
  assert.notDeepEqual((await stage.get('ConfigMap', 'clu-a-prod', 'shop'))?.['data'], { at: 'revoked' });
  assert.ok(!isSynced(await attempts.view('a', 'shop')) || before !== revision);
  await attempts.renewAccount('a');
  await threat.tenant.apply(attempts.secret('a', 'real'));
  await until(
    () => attempts.view('a', 'shop'),
    (app) => isSynced(app) && app?.status?.sync?.revision === revision,
    90_000,
  );
});

test('T-101, T-106 a Secret changed again and again leaves few connections, none with two credentials', async () => {
  const cluster = await attempts.attackWith(
    'restless',
    (_request, response) => void response.writeHead(503).end('busy'),
  );
  await until(
    async () => cluster.spoken.size,
    (count) => count > 0,
  );
  const changes = 50;
  for (let n = 0; n < changes; n++)
    await threat.tenant.apply(attempts.secret('a', 'restless', { server: cluster, token: `${canary}-${n}` }));
  await attempts.neighbourIsServed();
  for (const said of cluster.spoken.values()) assert.equal(said.size, 1);
  await until(
    async () => cluster.open.size,
    (count) => count <= 20,
  );
  assert.ok(cluster.spoken.size <= changes * 4, `${cluster.spoken.size} connections`);
  await attempts.withdraw('restless');
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
  const bodies: Record<string, Parameters<ClusterAttempts['bait']>[0]> = {
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
  for (const [name, answer] of Object.entries(bodies)) await attempts.attackWith(name, answer);
  await attempts.neighbourIsServed();
  await attempts.neighbourIsServed();
  for (const name of Object.keys(bodies)) {
    const app = await threat.view(name);
    assert.notEqual(app?.status?.sync?.status, 'Synced');
    await attempts.withdraw(name);
  }
});

test("T-104 marks of the neighbour on objects of the attacker's cluster tell the neighbour nothing", async () => {
  const person = secretless('a');
  await stage.apply(person);
  await attempts.neighbourIsServed();
  assert.doesNotMatch(JSON.stringify(await attempts.view('b', 'shop')), /bait/);
  assert.notEqual(await stage.get('ConfigMap', 'clu-a-prod', 'bait'), undefined);
  await stage.remove('ConfigMap', 'clu-a-prod', 'bait');
});

test('T-105 what a cluster of a tenant says in errors is told in our words, short, and without the token', async () => {
  const shout = `\u001b[31m<script>alert(1)</script>\r\n${'A'.repeat(1_000_000)}`;
  for (const [name, status] of [
    ['shout', 500],
    ['echo', 403],
  ] as const) {
    const cluster = await attempts.attackWith(name, (request, response) => {
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
    await attempts.withdraw(name);
  }
});

test('T-110 a Secret deleted during a sync stops it; no other cluster of that address takes its place', async () => {
  await threat.tenant.apply(attempts.application('a', 'waves', 'real'));
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
  await threat.tenant.apply(attempts.secret('a', 'real'));
});

test('T-111, 120: without its cluster a deletion waits and says so; without the finalizer the Application goes', async () => {
  await threat.tenant.apply(
    attempts
      .application('a', 'last', 'real')
      .replace('metadata: {', 'metadata: {finalizers: [resources-finalizer.argocd.argoproj.io], '),
  );
  await until(() => attempts.view('a', 'last'), isSynced, 60_000);
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
    () => attempts.view('a', 'last'),
    (found) => found === undefined,
  );
  assert.notEqual(await stage.get('ConfigMap', 'clu-a-prod', 'last'), undefined);
});

test('T-112 a namespace taken off the list loses its connections', async () => {
  const cluster = await attempts.attackWith('listed', (_request, response) => {
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
  await attempts.neighbourIsServed();
});

test('T-107 no token stands in the log, a metric, an Event or a status', async () => {
  const events = await Promise.all(['clu-a', 'clu-b', 'clu-argocd'].map((namespace) => stage.list('Event', namespace)));
  const apps = await Promise.all(['clu-a', 'clu-b'].map((namespace) => stage.list('Application', namespace)));
  const all = [
    attempts.log.join(''),
    [...attempts.metrics.print()].join(''),
    JSON.stringify(events),
    JSON.stringify(apps),
  ].join('\n');
  assert.ok(all.length > 1000);
  for (const token of [canary, ...Object.values(attempts.tokens)]) assert.equal(all.includes(token), false);
});

test('in all of this nothing was written beyond the rights of the tenant', () => {
  assert.deepEqual(threat.trespasses(), []);
});
function secretless(team: string): string {
  return configMap(
    'bait',
    `namespace: clu-${team}-prod, annotations: {argocd.argoproj.io/tracking-id: 'clu-b_shop:/ConfigMap:clu-${team}-prod/bait'}`,
  );
}

function isAbout(event: KubeObject, kind: string, name: string): boolean {
  const about = event['involvedObject'] as { kind?: string; name?: string }; // every Event has one
  return about.kind === kind && about.name === name;
}
