import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Controller } from '../../src/controller/index.ts';
import { createTestRepository, runGit, type TestRepository } from '../support/git-repository.ts';
import { type GitServer, startGitServer } from '../support/git-server.ts';
import { type AppView, appView, type Stage, until } from '../support/story.ts';
import { attack, conditionText, configMap, openThreat, openWatchedStage, type Threat } from '../support/threat.ts';

// What a tenant tries with what it owns of the way from Git to a status: addresses, revisions, paths, files, its own
// Application object, and the number of times it may ask.

let stage: Stage;
let threat: Threat;
let repository: TestRepository;
let server: GitServer;
let controller: Controller;
let root: string;

before(async () => {
  stage = await openWatchedStage();
  repository = createTestRepository({
    'good/one.yaml': configMap('one'),
    'jq/one.yaml': configMap('jq'),
    'chart/Chart.yaml': 'apiVersion: v2\nname: chart\nversion: 1.0.0\n',
    'chart/templates/map.yaml': configMap(
      'looked',
      '',
      'seen: {{ lookup "v1" "Secret" "src-b" "canary" | toJson | quote }}, all: {{ lookup "v1" "Secret" "" "" | toJson | quote }}',
    ),
    'bomb/bomb.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bomb}\na: &a [x, x, x, x, x, x, x, x, x]\n${[
      ...'bcdefghi',
    ]
      .map((key, i) => `${key}: &${key} [${Array.from({ length: 9 }, () => `*${'abcdefgh'[i]}`).join(', ')}]`)
      .join('\n')}\n`,
    'many/objects.yaml': Array.from({ length: 10_001 }, (_, n) => configMap(`m-${n}`)).join('---\n'),
    link: { link: 'good' },
  });
  root = mkdtempSync(join(tmpdir(), 'argosy-served-'));
  for (const name of ['platform', 'busy'])
    runGit(dirname(root), ['clone', '--bare', '--quiet', repository.directory, join(root, name)]);
  server = await startGitServer(root);
  threat = await openThreat(stage, 'src');
  await stage.apply(
    'apiVersion: v1\nkind: Secret\nmetadata: {name: canary, namespace: src-b}\nstringData: {key: c4n4ry}\n',
  );
  controller = await stage.start({ controlPlane: 'src-argocd', appNamespaces: ['src-a', 'src-b'] });
  await stage.apply(neighbour('good'));
  await until(() => appView(stage, 'src-b', 'good'), synced, 120_000);
});

after(async () => {
  await threat?.close();
  await stage?.stop();
  await server?.close();
  repository?.remove();
  if (root !== undefined) rmSync(root, { recursive: true, force: true });
});

const synced = (app: AppView | undefined): boolean => app?.status?.sync?.status === 'Synced';
const mine = (name: string, path: string, revision = 'main', url = repository.url): string =>
  attack(
    threat,
    name,
    `repoURL: ${JSON.stringify(url)}, path: ${JSON.stringify(path)}, targetRevision: ${JSON.stringify(revision)}`,
  );
const failed = (name: string): Promise<AppView> =>
  threat.seen(name, (app) => /ComparisonError|InvalidSpecError/.test(conditionText(app)));
/** The neighbour's next change arrives, whatever the tenant is at. */
async function neighbourIsServed(): Promise<void> {
  const revision = repository.commit({ 'good/one.yaml': configMap('one', '', `at: "${Date.now()}"`) });
  await until(
    () => appView(stage, 'src-b', 'good'),
    (app) => synced(app) && app?.status?.sync?.revision === revision,
  );
}

test("T-040 a repository that only the platform's credential opens is asked without it", async () => {
  const url = server.url('platform');
  server.authorization = `Basic ${Buffer.from('robot:p4ssword').toString('base64')}`;
  await stage.apply(`
apiVersion: v1
kind: Secret
metadata: {name: platform, namespace: src-argocd, labels: {argocd.argoproj.io/secret-type: repository}}
stringData: {type: git, url: '${url}', username: robot, password: p4ssword, project: src-plat}
`);
  await threat.tenant.apply(mine('thief', 'good', 'main', url));
  const app = await failed('thief');
  assert.doesNotMatch(JSON.stringify(app), /p4ssword|robot/);
  assert.ok(server.requests.length > 0);
  assert.deepEqual([...new Set(server.requests.map(({ authorization }) => authorization))], [undefined]);
  // The credential is good, and the platform's.
  await stage.apply(`
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: open, namespace: src-argocd}
spec:
  project: src-plat
  source: {repoURL: '${url}', path: good, targetRevision: main}
  destination: {server: https://kubernetes.default.svc, namespace: src-plat}
  syncPolicy: {automated: {}}
`);
  await until(() => appView(stage, 'src-argocd', 'open'), synced);
  assert.notEqual((await threat.view('thief'))?.status?.sync?.status, 'Synced');
  await threat.tenant.remove('Application', 'src-a', 'thief');
  await stage.remove('Application', 'src-argocd', 'open');
  server.authorization = undefined;
});

test('T-042 revisions that are options or ranges are refused, and no program sees them', async () => {
  const revisions = [
    '--upload-pack=touch /tmp/argosy-was-here',
    '-x',
    'main..other',
    'main@{1}',
    `${'1'.repeat(100_000)}.*`,
  ];
  for (const [n, revision] of revisions.entries()) await threat.tenant.apply(mine(`revision-${n}`, 'good', revision));
  for (const n of revisions.keys()) {
    const app = await failed(`revision-${n}`);
    assert.equal(app.status?.operationState, undefined);
    assert.ok(conditionText(app).length < 4096);
    await threat.tenant.remove('Application', 'src-a', `revision-${n}`);
  }
});

test('T-043 paths that leave the repository, or are links, are refused', async () => {
  const paths = ['/etc', '../good', 'good/../../good', 'good//one', 'link'];
  for (const [n, path] of paths.entries()) await threat.tenant.apply(mine(`path-${n}`, path));
  for (const n of paths.keys()) {
    const app = await failed(`path-${n}`);
    assert.equal(app.status?.operationState, undefined);
    await threat.tenant.remove('Application', 'src-a', `path-${n}`);
  }
});

test('T-046 refreshes asked for again and again are one look at a time, and delay nobody', async () => {
  const names = Array.from({ length: 10 }, (_, n) => `busy-${n}`);
  for (const name of names) await threat.tenant.apply(mine(name, 'jq', 'main', server.url('busy')));
  for (const name of names) await threat.seen(name, (app) => app.status?.sync?.status !== undefined);
  const before = server.requests.length;
  const rounds = 10;
  for (let round = 0; round < rounds; round++)
    await Promise.all(
      names.map((name) =>
        threat.tenant.patch('Application', 'src-a', name, {
          metadata: {
            annotations: { 'argocd.argoproj.io/refresh': round % 2 === 0 ? 'normal' : 'hard', round: String(round) },
          },
        }),
      ),
    );
  await neighbourIsServed();
  for (const name of names)
    await threat.seen(name, (app) => app.metadata.annotations?.['argocd.argoproj.io/refresh'] === undefined);
  const looks = server.requests.slice(before).filter(({ path }) => path.includes('info/refs')).length;
  assert.ok(looks > 0 && looks <= (names.length * rounds) / 2, `${looks} looks for ${names.length * rounds} wishes`);
  for (const name of names) await threat.tenant.remove('Application', 'src-a', name);
});

test('T-047 rules without end and texts without measure are errors of that Application alone', async () => {
  const rule = { kind: 'ConfigMap', group: '' };
  const cases: Record<string, object> = {
    endless: { ignoreDifferences: [{ ...rule, jqPathExpressions: ['.data | [range(0; 1000000000)]'] }] },
    recursive: { ignoreDifferences: [{ ...rule, jqPathExpressions: ['[repeat(.)]'] }] },
    huge: { ignoreDifferences: [{ ...rule, jqPathExpressions: [`.data${'[]'.repeat(250_000)}`] }] },
    nested: { ignoreDifferences: [{ ...rule, jqPathExpressions: [`${'('.repeat(20_000)}.${')'.repeat(20_000)}`] }] },
    many: { ignoreDifferences: Array.from({ length: 10_000 }, (_, n) => ({ ...rule, jsonPointers: [`/data/k${n}`] })) },
  };
  for (const [name, spec] of Object.entries(cases)) {
    await threat.tenant.apply(mine(name, 'jq'));
    await threat.tenant.patch('Application', 'src-a', name, { spec });
  }
  await threat.tenant.apply(mine('wordy', 'jq'));
  await threat.tenant.patch('Application', 'src-a', 'wordy', {
    metadata: { annotations: { long: 'x'.repeat(250_000) } },
  });
  await neighbourIsServed();
  for (const name of ['endless', 'recursive', 'huge', 'nested'])
    assert.match(conditionText(await failed(name)), /jq|expression/i);
  for (const name of ['many', 'wordy']) await threat.seen(name, (app) => app.status?.sync?.status !== undefined);
  for (const name of [...Object.keys(cases), 'wordy']) await threat.tenant.remove('Application', 'src-a', name);
});

test('T-048 a field of a wrong type is refused at once, or stands as a condition on that object alone', async () => {
  const good = {
    project: 'src-a',
    source: { repoURL: repository.url, path: 'good', targetRevision: 'main' },
    destination: { server: 'https://kubernetes.default.svc', namespace: 'src-a' },
  };
  const wrong: unknown[] = [7, true, 'text', [], [[]], {}, { a: [] }];
  const fields = [
    ...[
      'project',
      'source',
      'sources',
      'destination',
      'syncPolicy',
      'ignoreDifferences',
      'info',
      'revisionHistoryLimit',
    ].map((name) => [name]),
    ...['repoURL', 'path', 'targetRevision', 'helm', 'kustomize', 'directory', 'plugin'].map((name) => [
      'source',
      name,
    ]),
    ...['automated', 'syncOptions', 'retry', 'managedNamespaceMetadata'].map((name) => ['syncPolicy', name]),
  ];
  const accepted: string[] = [];
  let n = 0;
  for (const [outer = '', inner] of fields)
    for (const value of wrong) {
      const part = inner === undefined ? value : { ...(outer === 'source' ? good.source : {}), [inner]: value };
      const name = `odd-${n++}`;
      const metadata = { name, namespace: 'src-a' };
      const object = {
        apiVersion: 'argoproj.io/v1alpha1',
        kind: 'Application',
        metadata,
        spec: { ...good, [outer]: part },
      };
      await threat.tenant.apply(JSON.stringify(object)).then(
        () => accepted.push(name),
        (error: unknown) => assert.match(String(error), /invalid|failed to create typed patch|expected/i),
      );
    }
  assert.ok(n > 100 && accepted.length < n);
  await neighbourIsServed();
  for (const name of accepted) await threat.seen(name, (app) => app.status?.sync?.status !== undefined);
  for (const name of accepted) await threat.tenant.remove('Application', 'src-a', name);
});

test("T-053 a thousand hints about the neighbour's repository are few looks and nothing else", async () => {
  await stage.apply(neighbour('busy').replace(repository.url, server.url('busy')));
  await until(() => appView(stage, 'src-b', 'busy'), synced);
  const [looked, written] = [server.requests.length, stage.writes('applications', 'src-b').length];
  await Promise.all(Array.from({ length: 1000 }, () => controller.poll(server.url('busy'))));
  const looks = server.requests.slice(looked).filter(({ path }) => path.includes('info/refs')).length;
  assert.ok(looks <= 20, `${looks} looks`);
  assert.equal(stage.writes('applications', 'src-b').length, written);
  await stage.remove('Application', 'src-b', 'busy');
});

test('T-067 a chart that looks something up finds nothing, and nobody was asked', async () => {
  await threat.tenant.apply(mine('chart', 'chart'));
  await threat.seen('chart', synced);
  const data = (await stage.get('ConfigMap', 'src-a', 'looked'))?.['data'];
  assert.deepEqual(data, { seen: '{}', all: '{}' });
  const asked = stage.cluster
    .audit()
    .filter(
      ({ verb, objectRef, userAgent }) =>
        verb === 'get' &&
        objectRef?.resource === 'secrets' &&
        objectRef.namespace === 'src-b' &&
        userAgent !== 'argosy/0',
    );
  assert.deepEqual(asked, []);
  await threat.tenant.remove('Application', 'src-a', 'chart');
});

test('T-129 bombs and ten thousand objects end their own Application only', async () => {
  for (const name of ['bomb', 'many']) await threat.tenant.apply(mine(name, name));
  await neighbourIsServed();
  for (const name of ['bomb', 'many']) {
    const app = await failed(name);
    assert.equal(app.status?.operationState, undefined);
    await threat.tenant.remove('Application', 'src-a', name);
  }
});

test("T-133 a storm of the tenant's own writes to its status is answered with few of ours, and delays nobody", async () => {
  await threat.tenant.apply(mine('storm', 'jq'));
  await threat.seen('storm', synced);
  const before = ourWrites('storm');
  const storm = 100;
  for (let n = 0; n < storm; n++)
    await threat.tenant.patch('Application', 'src-a', 'storm', {
      status: { sync: { status: n % 2 === 0 ? 'OutOfSync' : 'Unknown' } },
    });
  await neighbourIsServed();
  await threat.seen('storm', synced);
  assert.ok(ourWrites('storm') - before <= storm + 1);
  await threat.tenant.remove('Application', 'src-a', 'storm');
});

test('in all of this nothing was written beyond the rights of the tenant', () => {
  assert.deepEqual(threat.trespasses(), []);
});

function ourWrites(name: string): number {
  return stage
    .writes('applications', 'src-a')
    .filter(({ objectRef, userAgent }) => objectRef?.name === name && userAgent === 'argosy/controller').length;
}

function neighbour(name: string): string {
  return `
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: ${name}, namespace: src-b}
spec:
  project: src-b
  source: {repoURL: '${repository.url}', path: ${name === 'busy' ? 'jq' : name}, targetRevision: main}
  destination: {server: https://kubernetes.default.svc, namespace: src-b}
  syncPolicy: {automated: {}}
`;
}
