import assert from 'node:assert/strict';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { createTestRepository, type TestRepository } from '../support/git-repository.ts';
import { appView, openStage, type Stage, until } from '../support/story.ts';
import { clusterSecret, configMap, namespaces, settings } from '../support/tenant.ts';

/** One tenant's share of bad Applications. */
const many = 100;
const some = 30;
/** Nobody who answers is as slow as this under the same load; who hangs holds on for longer than ten of it. */
const undisturbedMs = 500;
/** How long a story may take on a machine that has much else to do. */
const patienceMs = 150_000;
const tenants = ['quiet', 'loops', 'hole', 'gone', 'hung'];

let stage: Stage;
let repository: TestRepository;
let hole: Silent;
let gone: string;
let made = 0;

before(async () => {
  stage = await openStage();
  hole = await startSilent();
  const once = await startSilent();
  gone = once.address;
  await once.close();
  repository = createTestRepository({
    'quiet/map.yaml': configMap('first'),
    // A name that no API server takes: the sync fails and is tried again without end.
    'loops/map.yaml': configMap('NOT_A_NAME'),
  });
  const hosts = { 'source.allowedHosts': `file:,${hole.address}`, 'cluster.tenant.allowedHosts': '127.0.0.1:*' };
  await stage.apply(namespaces('fair-argocd', ...tenants.flatMap((name) => [`fair-${name}`, `fair-${name}-shop`])));
  await stage.apply(settings('fair-argocd', hosts));
  await stage.apply(tenants.map(project).join(''));
  await stage.start({ controlPlane: 'fair-argocd', appNamespaces: ['fair-*'] });
});

after(async () => {
  await hole?.close();
  await stage?.stop();
  repository?.remove();
});

test('a hundred looping Applications of one tenant do not keep another’s waiting', async () => {
  await each(many, (at) => applyApp('loops', `loop-${at}`, { path: 'loops', loops: true }));
  await until(
    () => stage.list('Application', 'fair-loops'),
    (apps) => apps.length === many && apps.every((app) => tries(app) > 0),
    patienceMs,
  );
  const index = stage.cluster.audit().length;
  await timeToSync();
  // In a common line all loops would have their turn before somebody who comes later has his.
  const loops = new Set<string>();
  for (const { verb, objectRef, requestURI } of stage.cluster.audit().slice(index)) {
    // The story's own writes are applies under its own name.
    if (verb !== 'patch' || objectRef?.resource !== 'applications' || requestURI.includes('=story')) continue;
    if (objectRef.namespace === 'fair-quiet' && objectRef.name?.startsWith('new-') === true) break;
    if (objectRef.namespace === 'fair-loops') loops.add(objectRef.name ?? '');
  }
  assert.ok(loops.size < many / 2, `${loops.size} of ${many} loops had their turn before the quiet tenant`);
});

test('clusters that are silent or gone and a repository that hangs keep no other tenant waiting', async () => {
  const alone = await timeToSync();
  await stage.apply(clusterSecret('fair-hole/cluster', way(hole.address), { project: 'fair-hole' }));
  await stage.apply(clusterSecret('fair-gone/cluster', way(gone), { project: 'fair-gone' }));
  await each(some, async (at) => {
    await applyApp('hole', `app-${at}`, { path: 'quiet', server: `https://${hole.address}` });
    await applyApp('gone', `app-${at}`, { path: 'quiet', server: `https://${gone}` });
    await applyApp('hung', `app-${at}`, { path: 'quiet', repoURL: `http://${hole.address}/repository.git` });
  });
  // Both the cluster and the repository were asked, and nobody got an answer.
  await until(
    async () => hole.connections(),
    (count) => count >= 2,
  );
  const beside = await timeToSync();
  const most = 10 * Math.max(alone, undisturbedMs);
  assert.ok(beside < most, `${beside} ms beside hanging tenants, ${alone} ms alone`);
  assert.ok(hole.connections() >= 2, 'they hang no more');
});

/** Milliseconds until the first of three new Applications of the quiet tenant is synced: one alone may be unlucky. */
async function timeToSync(): Promise<number> {
  const names = Array.from({ length: 3 }, () => `new-${made++}`);
  const from = performance.now();
  await Promise.all(names.map((name) => applyApp('quiet', name, { path: 'quiet' })));
  return Promise.race(names.map((name) => untilSynced(name).then(() => performance.now() - from)));
}

async function untilSynced(name: string): Promise<void> {
  await until(
    () => appView(stage, 'fair-quiet', name),
    (app) => app?.status?.sync?.status === 'Synced',
    patienceMs,
  );
}

async function each(count: number, make: (at: number) => Promise<void>): Promise<void> {
  for (let at = 0; at < count; at += 10)
    await Promise.all(Array.from({ length: Math.min(10, count - at) }, (_, next) => make(at + next)));
}

interface Wish {
  readonly path: string;
  readonly loops?: boolean;
  readonly server?: string;
  readonly repoURL?: string;
}

function applyApp(tenant: string, name: string, { path, loops, server, repoURL }: Wish): Promise<void> {
  const retry = loops === true ? ', retry: {limit: -1, backoff: {duration: 10ms, factor: 1, maxDuration: 10ms}}' : '';
  return stage.apply(`
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: ${name}, namespace: fair-${tenant}}
spec:
  project: fair-${tenant}
  source: {repoURL: '${repoURL ?? repository.url}', path: ${path}, targetRevision: main}
  destination: {server: '${server ?? 'https://kubernetes.default.svc'}', namespace: fair-${tenant}-shop}
  syncPolicy: {automated: {selfHeal: true}${retry}}
`);
}

function project(name: string): string {
  return `---
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: fair-${name}, namespace: fair-argocd}
spec:
  sourceRepos: ['*']
  sourceNamespaces: [fair-${name}]
  destinations: [{server: '*', namespace: fair-${name}-shop}]
`;
}

const way = (address: string): { url: string; ca: string; token: string } => ({
  url: `https://${address}`,
  ca: stage.cluster.ca,
  token: 'nobody-asks-for-it',
});

function tries(app: object): number {
  const { status } = app as { status?: { operationState?: { retryCount?: number } } }; // an Application
  return status?.operationState?.retryCount ?? 0;
}

/** Takes connections and never says a word. */
interface Silent {
  readonly address: string;
  connections(): number;
  close(): Promise<void>;
}

async function startSilent(): Promise<Silent> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    address: `127.0.0.1:${port}`,
    connections: () => sockets.size,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
