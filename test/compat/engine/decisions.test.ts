import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'js-yaml';
import { assess } from '../../../src/core/health/index.ts';
import type { JsonObject } from '../../../src/core/json/index.ts';
import { type KubeObject, objectKey } from '../../../src/core/objects/index.ts';
import { permitsSync } from '../../../src/core/policy/index.ts';
import { itemsOf, syncOptionsOf } from '../../../src/core/sync/index.ts';
import { concernsRepository, concernsRevision, readWebhook } from '../../../src/git/index.ts';
import { parseConstraint, pickVersion } from '../../../src/git/semver.ts';
import { application, Given, local, project } from '../tenancy/given.ts';

// Rows of the acceptance scenarios that a single decision answers, from YAML and through what production calls.

const open = project(
  'open',
  "sourceRepos: ['https://git.example.com/**']\ndestinations: [{server: '*', namespace: '*'}]",
);
const app = (spec: string, namespace = 'argocd'): string => application('shop', namespace, spec);
const source = 'source: {repoURL: https://git.example.com/x, path: .}';
const to = `destination: {server: '${local}', namespace: shop}`;

const refused: [title: string, yaml: string, wanted: RegExp][] = [
  [
    '4: a destination with a name and a server is an InvalidSpecError',
    app(`project: open\n${source}\ndestination: {server: '${local}', name: in-cluster, namespace: shop}`),
    /^InvalidSpecError: .*name.*server/,
  ],
  [
    '5: a project that is not there is an InvalidSpecError that names it',
    app(`project: nowhere\n${source}\n${to}`),
    /^InvalidSpecError: .*nowhere which does not exist$/,
  ],
  [
    '7: a repository that is not permitted is an InvalidSpecError',
    app(`project: open\nsource: {repoURL: https://other.example.com/x, path: .}\n${to}`),
    /^InvalidSpecError: application repo https:\/\/other.example.com\/x is not permitted in project 'open'$/,
  ],
  [
    '8: a chart without a revision is an InvalidSpecError',
    app(`project: open\nsource: {repoURL: https://git.example.com/charts, chart: shop}\n${to}`),
    /^InvalidSpecError: .*targetRevision/,
  ],
];
for (const [title, yaml, wanted] of refused)
  test(title, () => assert.match(new Given(open + yaml).refusal('shop'), wanted));

test('6: a namespace that the project does not list is an UnknownError', () => {
  const given = new Given(open + app(`project: open\n${source}\n${to}`, 'team-a'), { appNamespaces: ['team-a'] });
  assert.equal(
    given.refusal('team-a/shop'),
    "UnknownError: application 'shop' in namespace 'team-a' is not permitted to use project 'open'",
  );
});

test('36, 37: a deny window stops what is automatic, and with manualSync lets a person through', () => {
  const windowed = (more: string): Given =>
    new Given(
      project(
        'p',
        `sourceRepos: ['*']\ndestinations: [{server: '*', namespace: '*'}]\nsyncWindows: [{kind: deny, schedule: '* * * * *', duration: 1h, applications: ['*']${more}}]`,
      ) + app(`project: p\n${source}\n${to}`),
    );
  const now = Date.parse('2026-01-01T00:30:00Z');
  const answer = (given: Given, manual: boolean): string =>
    permitsSync(given.project('p'), given.app('shop'), { now, manual }).answer;
  assert.deepEqual([answer(windowed(''), false), answer(windowed(''), true)], ['denied', 'denied']);
  const permissive = windowed(', manualSync: true');
  assert.deepEqual([answer(permissive, false), answer(permissive, true)], ['denied', 'allowed']);
});

test('55: a hook Pod whose image cannot be pulled, never to be restarted, is still progressing', () => {
  const pod = load(
    '{apiVersion: v1, kind: Pod, metadata: {name: pre, annotations: {argocd.argoproj.io/hook: PreSync}}, spec: {restartPolicy: Never}, status: {phase: Pending, containerStatuses: [{state: {waiting: {reason: ImagePullBackOff}}}]}}',
  ) as JsonObject;
  assert.equal(assess(pod)?.status, 'Progressing');
});

test('57: a generated hook name of several sources has no revision in it', () => {
  const object = load(
    '{apiVersion: batch/v1, kind: Job, metadata: {generateName: mig-, annotations: {argocd.argoproj.io/hook: PreSync}}}',
  ) as KubeObject;
  const [item] = itemsOf({
    objects: [],
    hooks: [{ key: objectKey(object), object, source: 0 }],
    liveOf: () => undefined,
    sync: {},
    options: syncOptionsOf([]),
    results: [],
    revision: '',
    startedAt: 1_700_000_000,
  });
  assert.equal(item?.key.name, 'mig--presync-1700000000');
});

test('110: a paused Deployment is Suspended', () => {
  const deployment = load(
    '{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {paused: true}}',
  ) as JsonObject;
  assert.equal(assess(deployment)?.status, 'Suspended');
});

const webhooks: [
  title: string,
  headers: Record<string, string>,
  payload: object,
  revisions: string[],
  others: string[],
][] = [
  [
    '122: a push to a branch concerns whoever follows the branch',
    { 'x-github-event': 'push' },
    {
      ref: 'refs/heads/main',
      repository: { html_url: 'https://github.com/team/app', default_branch: 'main' },
      commits: [{ added: [], modified: ['other/x.yaml'], removed: [] }],
    },
    ['main', 'HEAD', ''],
    ['release', '1.*'],
  ],
  [
    '124: a push of Azure, which lists no files, concerns whoever follows the branch',
    { 'x-vss-activityid': '1' },
    {
      eventType: 'git.push',
      resource: {
        refUpdates: [{ name: 'refs/heads/main' }],
        repository: { remoteUrl: 'https://github.com/team/app', defaultBranch: 'refs/heads/main' },
      },
    },
    ['main', 'HEAD'],
    ['release'],
  ],
  [
    '125: a push of the tag v1.4.2 concerns who follows 1.4.*',
    { 'x-github-event': 'push' },
    { ref: 'refs/tags/v1.4.2', repository: { html_url: 'https://github.com/team/app', default_branch: 'main' } },
    ['1.4.*', 'v1.4.2'],
    ['1.5.*', 'main'],
  ],
];
for (const [title, headers, payload, revisions, others] of webhooks)
  test(title, () => {
    const answer = readWebhook({ headers, body: Buffer.from(JSON.stringify(payload)) }, {});
    assert.ok(answer.ok && answer.event);
    const { event } = answer;
    assert.ok(concernsRepository(event, 'https://github.com/team/app.git'));
    for (const revision of revisions) assert.ok(concernsRevision(event, revision), revision);
    for (const revision of others) assert.ok(!concernsRevision(event, revision), revision);
  });

test('126: the constraint 1.* of 1.0.0, 1.2.0 and 2.0.0-rc1 is 1.2.0', () => {
  const constraint = parseConstraint('1.*');
  assert.ok(constraint);
  assert.equal(pickVersion(constraint, ['1.0.0', '1.2.0', '2.0.0-rc1']), '1.2.0');
});
