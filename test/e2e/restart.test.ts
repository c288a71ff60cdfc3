import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startInstallation } from '../../src/main/controller.ts';
import { createMetrics, silentLogger } from '../../src/telemetry/index.ts';
import { createTestRepository, type TestRepository } from '../support/git-repository.ts';
import { isSynced, openStage, type Stage, until, untilApp } from '../support/story.ts';

const controlPlane = 'restart-argocd';
const cacheDir = mkdtempSync(join(tmpdir(), 'argosy-restart-'));

let stage: Stage;
let repository: TestRepository;
let controller: Awaited<ReturnType<typeof startCounting>>;

before(async () => {
  stage = await openStage();
  repository = createTestRepository({
    'plain/one.yaml': configMap('one'),
    'first/two.yaml': configMap('two'),
    'second/three.yaml': configMap('three'),
    'touched/four.yaml': configMap('four'),
    'absent/five.yaml': configMap('five'),
    'no-commit/six.yaml': configMap('six'),
  });
  await stage.apply(platform());
  for (const [name, folders] of Object.entries(apps)) await stage.apply(application(name, folders));
  controller = await startCounting();
  for (const name of Object.keys(apps)) await untilApp(stage, controlPlane, name, isSynced);
});

after(async () => {
  await controller?.stop();
  await stage?.stop();
  repository?.remove();
  rmSync(cacheDir, { recursive: true, force: true });
});

/** Each with the folders it reads. */
const apps: Record<string, readonly string[]> = {
  plain: ['plain'],
  several: ['first', 'second'],
  touched: ['touched'],
  absent: ['absent'],
  'no-commit': ['no-commit'],
};

/** A controller that asks for news only when told to, and counts what it renders. */
async function startCounting() {
  let renders = 0;
  const started = startInstallation({
    connection: stage.connection,
    installation: { controlPlane },
    cacheDir,
    log: silentLogger,
    metrics: createMetrics(),
    pollMs: 3_600_000,
    version: 'test',
    onRender: () => {
      renders++;
    },
  });
  await started.ready;
  return { renders: () => renders, poll: () => started.poll(repository.url), stop: () => started.stop() };
}

interface Told {
  readonly status?: { readonly sync?: { readonly revision?: string; readonly revisions?: readonly string[] } };
}

async function told(name: string): Promise<readonly (string | undefined)[]> {
  const { revision, revisions } = ((await stage.get('Application', controlPlane, name)) as Told).status?.sync ?? {};
  return revisions ?? [revision];
}

const writes = (name: string): number =>
  stage.writes('applications', controlPlane).filter(({ objectRef }) => objectRef?.name === name).length;
const counts = (): Record<string, number> => Object.fromEntries(Object.keys(apps).map((name) => [name, writes(name)]));
const tellWrongly = (name: string, revision: string): Promise<void> =>
  stage.patch('Application', controlPlane, name, { status: { sync: { revision } } });

test('after a restart an Application is told of its commit as before, and of the newest only where that is another', async () => {
  const before = repository.git('rev-parse', 'HEAD');
  await controller.stop();
  repository.commit({ 'docs/readme.md': 'more words\n' });
  repository.commit({ 'touched/four.yaml': configMap('four', 'again') });
  const newest = repository.commit({ 'docs/readme.md': 'even more words\n' });
  // Whoever may write an Application may write this; neither is a commit that anybody has.
  await tellWrongly('absent', 'f'.repeat(40));
  await tellWrongly('no-commit', repository.git('rev-parse', `${before}^{tree}`));
  const written = counts();
  controller = await startCounting();
  await until(
    async () => controller.renders(),
    (renders) => renders >= Object.values(apps).flat().length,
    60_000,
  );
  for (const name of ['touched', 'absent', 'no-commit'])
    await until(
      () => told(name),
      ([revision]) => revision === newest,
      60_000,
    );
  // The next commit is told once to all: whoever was written to in between was written to twice.
  const folders = ['plain', 'first', 'second', 'touched', 'absent', 'no-commit'];
  const change = Object.fromEntries(folders.map((folder) => [`${folder}/next.yaml`, configMap(`next-${folder}`)]));
  assert.deepEqual([await told('plain'), await told('several')], [[before], [before, before]]);
  const next = repository.commit(change);
  await controller.poll();
  for (const name of Object.keys(apps))
    await until(
      () => told(name),
      (revisions) => revisions.every((revision) => revision === next),
      60_000,
    );
  const since = Object.entries(counts()).map(([name, count]) => [name, count - (written[name] ?? 0)]);
  assert.deepEqual(Object.fromEntries(since), { plain: 1, several: 1, touched: 2, absent: 2, 'no-commit': 2 });
  assert.equal(controller.renders(), 2 * folders.length);
});

function configMap(name: string, greeting = 'hello'): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {greeting: ${greeting}}\n`;
}

function application(name: string, folders: readonly string[]): string {
  const sources = folders.map((path) => ({ repoURL: repository.url, targetRevision: 'main', path }));
  return JSON.stringify({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: controlPlane },
    spec: {
      project: 'default',
      ...(sources.length > 1 ? { sources } : { source: sources[0] }),
      destination: { server: 'https://kubernetes.default.svc', namespace: 'restart-shop' },
      syncPolicy: { automated: { prune: true, selfHeal: true } },
    },
  });
}

function platform(): string {
  return `
apiVersion: v1
kind: Namespace
metadata: {name: ${controlPlane}}
---
apiVersion: v1
kind: Namespace
metadata: {name: restart-shop}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm, namespace: ${controlPlane}, labels: {app.kubernetes.io/part-of: argocd}}
data: {source.allowedHosts: "file:"}
---
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: default, namespace: ${controlPlane}}
spec:
  sourceRepos: ['*']
  destinations: [{server: '*', namespace: restart-shop}]
`;
}
