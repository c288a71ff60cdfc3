import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Snapshot } from '../core/api/index.ts';
import { printProblems } from '../core/api/index.ts';
import type { KubeObject } from '../core/objects/index.ts';
import { type Change, type SettingsOptions, type SettingsReport, type SettingsWatch, watchSettings } from './index.ts';
import { MemoryReader } from './testdata/memory-reader.ts';

/** Everything the settings said, one line each. */
class Diary implements SettingsReport {
  readonly lines: string[] = [];
  readonly counts = new Map<string, number>();
  invalid: SettingsReport['invalid'] = (about, problems, kept) => {
    if (problems.length > 0)
      this.lines.push(`${about.kind} ${about.name}: ${printProblems(problems)}${kept ? ' (kept)' : ''}`);
  };
  rejected: SettingsReport['rejected'] = (about, reason) => {
    this.lines.push(`rejected ${about.namespace}/${about.name}: ${reason}`);
  };
  unreadable: SettingsReport['unreadable'] = (what, error) => {
    this.lines.push(`unreadable ${what}: ${error.message}`);
  };
  counted: SettingsReport['counted'] = (namespace, rejected) => {
    this.counts.set(namespace, rejected);
  };
}

interface Stage {
  readonly reader: MemoryReader;
  readonly diary: Diary;
  readonly settings: SettingsWatch;
  readonly changes: Change[];
  /** Waits until a snapshot holds what is asked. */
  readonly until: (holds: (snapshot: Snapshot) => boolean, what: string) => Promise<Snapshot>;
}

let open: SettingsWatch | undefined;
afterEach(async () => {
  await open?.stop();
  open = undefined;
});

async function stage(objects: readonly KubeObject[], more: Partial<SettingsOptions> = {}): Promise<Stage> {
  const reader = new MemoryReader();
  for (const object of objects) reader.put(object);
  const diary = new Diary();
  const changes: Change[] = [];
  const installation = { controlPlane: 'argocd' };
  const settings = watchSettings({ reader, installation, report: diary, debounceMs: 1, ...more });
  open = settings;
  await settings.ready;
  settings.onChange((change) => changes.push(change));
  const until = async (holds: (snapshot: Snapshot) => boolean, what: string): Promise<Snapshot> => {
    for (let tries = 0; tries < 2000; tries++) {
      if (holds(settings.current())) return settings.current();
      await sleep(1);
    }
    throw new Error(`never: ${what}`);
  };
  return { reader, diary, settings, changes, until };
}

const configMap = (name: string, data: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'argocd' },
  data,
});
const namespaces = (list: string): KubeObject => configMap('argocd-cmd-params-cm', { 'application.namespaces': list });
const project = (
  name: string,
  spec: object,
  labels: Record<string, string> = {},
  namespace = 'argocd',
): KubeObject => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AppProject',
  metadata: { name, namespace, labels },
  spec,
});
const secret = (namespace: string, name: string, type: string, data: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name,
    namespace,
    labels: { 'argocd.argoproj.io/secret-type': type },
    creationTimestamp: '2026-01-02T03:04:05Z',
  },
  data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, btoa(value)])),
});
const tenantCluster = (namespace: string, name: string, more: Record<string, string> = {}): KubeObject =>
  secret(namespace, name, 'cluster', {
    name,
    server: `https://${name}.example.com`,
    project: 'sample',
    config: JSON.stringify({ bearerToken: 't0k3n' }),
    ...more,
  });
const sample = project('sample', {
  sourceNamespaces: ['tenant-a', 'tenant-b'],
  destinations: [{ server: '*', namespace: '*' }],
});

const accepted = ({ clusters }: Snapshot): readonly string[] =>
  clusters.filter(({ acceptance }) => acceptance.accepted).map(({ namespace, secret: name }) => `${namespace}/${name}`);

test('an empty control plane is a whole snapshot with every default', async () => {
  const { settings } = await stage([]);
  const snapshot = settings.current();
  assert.equal(snapshot.revision, 1);
  assert.equal(snapshot.settings.respectRBAC, 'off');
  assert.deepEqual(snapshot.appNamespaces, []);
  assert.equal(snapshot.projects.size, 0);
});

test('before anything was read there is no snapshot to act on', async () => {
  const reader = new MemoryReader();
  open = watchSettings({ reader, installation: { controlPlane: 'argocd' }, report: new Diary() });
  assert.throws(() => open?.current(), /have not been read yet/);
  await open.stop();
  await assert.rejects(open.ready, /stopped before/);
});

test('everything of the control plane is in the first snapshot', async () => {
  const { settings } = await stage([
    configMap('argocd-cm', { 'resource.respectRBAC': 'normal' }),
    configMap('argocd-rbac-cm', { 'policy.default': 'role:readonly' }),
    configMap('argocd-tls-certs-cm', { 'git.example.com': 'PEM' }),
    configMap('argocd-ssh-known-hosts-cm', { ssh_known_hosts: 'host key' }),
    sample,
    secret('argocd', 'blue', 'cluster', { name: 'blue', server: 'https://blue' }),
    secret('argocd', 'repo', 'repository', { url: 'https://g/r' }),
    secret('argocd', 'creds', 'repo-creds', { url: 'https://g' }),
  ]);
  const snapshot = settings.current();
  assert.equal(snapshot.settings.respectRBAC, 'normal');
  assert.equal(snapshot.rbac.defaultRole, 'role:readonly');
  assert.equal(snapshot.tlsCertificates.get('git.example.com'), 'PEM');
  assert.equal(snapshot.knownHosts, 'host key');
  assert.deepEqual([...snapshot.projects.keys()], ['sample']);
  assert.deepEqual(accepted(snapshot), ['argocd/blue']);
  assert.deepEqual(
    snapshot.repositories.map(({ secret: name, template }) => [name, template]),
    [
      ['creds', true],
      ['repo', false],
    ],
  );
});

test("A15 and T-039: what looks like settings in a tenant's namespace is never read", async () => {
  const { settings, reader } = await stage([
    namespaces('tenant-a'),
    project('sample', {}, {}, 'tenant-a'),
    {
      ...configMap('argocd-cm', { 'resource.respectRBAC': 'normal' }),
      metadata: { name: 'argocd-cm', namespace: 'tenant-a' },
    },
    secret('tenant-a', 'repo', 'repository', { url: 'https://g/r' }),
    secret('tenant-a', 'creds', 'repo-creds', { url: 'https://g' }),
  ]);
  const snapshot = settings.current();
  assert.equal(snapshot.projects.size, 0);
  assert.equal(snapshot.settings.respectRBAC, 'off');
  assert.deepEqual(snapshot.repositories, []);
  assert.deepEqual(
    reader.begun.filter((each) => !each.endsWith(' argocd')),
    ['secrets tenant-a'],
  );
});

test('one watch per literal namespace; one over everything only where a pattern demands it', async () => {
  const literal = await stage([namespaces('tenant-b,tenant-a,argocd')]);
  assert.deepEqual(literal.reader.begun.filter((each) => each.startsWith('secrets')).sort(), [
    'secrets argocd',
    'secrets tenant-a',
    'secrets tenant-b',
  ]);
  await literal.settings.stop();
  const pattern = await stage([namespaces('tenant-*,other')]);
  assert.deepEqual(pattern.reader.begun.filter((each) => each.startsWith('secrets')).sort(), [
    'secrets *',
    'secrets argocd',
  ]);
});

test('J5, J6 and J7: Secrets count only where the list says, and only if the feature is on', async () => {
  const objects = [sample, tenantCluster('tenant-a', 'blue'), tenantCluster('elsewhere', 'red')];
  const none = await stage(objects);
  assert.deepEqual(none.settings.current().clusters, []);
  assert.deepEqual(
    none.reader.begun.filter((each) => each.startsWith('secrets')),
    ['secrets argocd'],
  );
  await none.settings.stop();
  const off = await stage([...objects, namespaces('tenant-a')], {
    installation: { controlPlane: 'argocd', tenantClusters: false },
  });
  assert.deepEqual(off.settings.current().clusters, []);
  await off.settings.stop();
  const pattern = await stage([...objects, namespaces('tenant-*')]);
  assert.deepEqual(accepted(pattern.settings.current()), ['tenant-a/blue']);
  assert.deepEqual(pattern.diary.lines, [], 'nothing is said about a Secret that is never read');
});

test('the list of namespaces takes effect live, in both directions', async () => {
  const { reader, until, changes } = await stage([
    sample,
    namespaces('tenant-a'),
    tenantCluster('tenant-a', 'blue'),
    tenantCluster('tenant-b', 'red'),
  ]);
  reader.put(namespaces('tenant-a,tenant-b'));
  await until((snapshot) => accepted(snapshot).length === 2, 'both namespaces');
  assert.ok(changes.some((change) => change.namespaces));
  assert.ok(changes.some((change) => change.clusters.has('tenant-b/red')));
  reader.put(namespaces('tenant-b'));
  const snapshot = await until((each) => accepted(each).length === 1, 'the brake');
  assert.deepEqual(accepted(snapshot), ['tenant-b/red']);
  assert.ok(changes.at(-1)?.clusters.has('tenant-a/blue'));
  reader.put(namespaces('/^tenant-[ab]$/'));
  await until((each) => accepted(each).length === 2, 'a pattern');
  reader.put(namespaces('/^tenant-a$/'));
  assert.deepEqual(accepted(await until((each) => accepted(each).length === 1, 'a narrower pattern')), [
    'tenant-a/blue',
  ]);
});

test('a flag wins over the ConfigMap', async () => {
  const { settings, reader, until } = await stage([namespaces('tenant-b'), sample, tenantCluster('tenant-a', 'blue')], {
    installation: { controlPlane: 'argocd', appNamespaces: ['tenant-a'], impersonation: true },
  });
  assert.deepEqual(settings.current().appNamespaces, ['tenant-a']);
  assert.equal(settings.current().settings.impersonation.enabled, true);
  reader.put(configMap('argocd-cm', { 'application.sync.impersonation.enabled': 'false', installationID: 'x' }));
  const snapshot = await until((each) => each.settings.installationID === 'x', 'the new settings');
  assert.equal(snapshot.settings.impersonation.enabled, true, 'a ConfigMap cannot take back what a flag switched on');
});

test('J2, J3, J4: a refused Secret gets one sentence, and a second chance when its project appears', async () => {
  const { reader, diary, settings, until } = await stage([
    namespaces('tenant-a'),
    tenantCluster('tenant-a', 'blue'),
    tenantCluster('tenant-a', 'red', { project: '' }),
  ]);
  await settings.told();
  assert.deepEqual(diary.lines, [
    `rejected tenant-a/blue: project 'sample' does not exist or does not permit namespace 'tenant-a'`,
    'rejected tenant-a/red: project is required: a cluster Secret outside the control-plane namespace must be scoped to a project',
  ]);
  assert.equal(diary.counts.get('tenant-a'), 2);
  reader.relist();
  reader.put(project('other', {}));
  await until(({ projects }) => projects.has('other'), 'another project');
  await settings.told();
  assert.equal(diary.lines.length, 2, 'nothing is said twice');
  reader.put(sample);
  await until((snapshot) => accepted(snapshot).includes('tenant-a/blue'), 'acceptance');
  await settings.told();
  assert.equal(diary.counts.get('tenant-a'), 1);
});

test('J20 and J21: what was accepted is refused at once when it or its project changes', async () => {
  const { reader, settings, until, changes, diary } = await stage([
    namespaces('tenant-a'),
    sample,
    tenantCluster('tenant-a', 'blue'),
  ]);
  assert.deepEqual(accepted(settings.current()), ['tenant-a/blue']);
  reader.put(tenantCluster('tenant-a', 'blue', { project: 'foreign' }));
  await until((snapshot) => accepted(snapshot).length === 0, 'refusal of a foreign project');
  assert.deepEqual([...(changes.at(-1)?.clusters ?? [])], ['tenant-a/blue']);
  reader.put(tenantCluster('tenant-a', 'blue'));
  await until((snapshot) => accepted(snapshot).length === 1, 'acceptance');
  reader.put(project('sample', { sourceNamespaces: ['tenant-b'] }));
  await until((snapshot) => accepted(snapshot).length === 0, 'refusal by the project');
  assert.ok(changes.at(-1)?.clusters.has('tenant-a/blue'));
  assert.ok(changes.at(-1)?.projects.has('sample'));
  reader.put(tenantCluster('tenant-a', 'blue', { config: '{' }));
  await settings.told();
  await until(({ clusters }) => clusters.length === 0, 'an unreadable Secret keeps nothing of what it was');
  await settings.told();
  assert.match(diary.lines.at(-1) ?? '', /rejected tenant-a\/blue: data.config: is not a JSON object/);
});

test('a project that turns invalid stays as it was, and it is said', async () => {
  const { reader, settings, until, diary } = await stage([sample]);
  reader.put(project('sample', { destinations: ['*'] }));
  reader.put(project('other', {}));
  await until(({ projects }) => projects.has('other'), 'the other project');
  assert.deepEqual(settings.current().projects.get('sample')?.spec.destinations, [{ server: '*', namespace: '*' }]);
  assert.deepEqual(diary.lines, ['AppProject sample: spec.destinations[0]: must be an object, not a string (kept)']);
});

test('a project that never was readable permits nothing, but is known to be there', async () => {
  const { settings, diary } = await stage([project('odd', { sourceRepos: 'x' })]);
  assert.equal(settings.current().projects.size, 0);
  assert.match(settings.current().brokenProjects.get('odd') ?? '', /spec.sourceRepos: must be a list/);
  assert.equal(diary.lines.length, 1);
});

test('a project made anew under its name inherits nothing from the one before', async () => {
  const { reader, until } = await stage([sample]);
  reader.delete('AppProject', 'argocd', 'sample');
  reader.put({
    ...project('sample', { destinations: 'x' }),
    metadata: { name: 'sample', namespace: 'argocd', uid: 'new' },
  });
  await until(({ brokenProjects, projects }) => brokenProjects.has('sample') && !projects.has('sample'), 'broken');
});

test('an invalid setting keeps its last good value; a deleted argocd-cm keeps them all', async () => {
  const { reader, settings, until, diary } = await stage([
    configMap('argocd-cm', { 'resource.respectRBAC': 'strict', 'application.sync.impersonation.enabled': 'true' }),
  ]);
  reader.put(
    configMap('argocd-cm', {
      'resource.respectRBAC': 'true',
      'application.sync.impersonation.enabled': 'true',
      installationID: 'x',
    }),
  );
  const snapshot = await until((each) => each.settings.installationID === 'x', 'the new settings');
  assert.equal(snapshot.settings.respectRBAC, 'strict');
  assert.deepEqual(diary.lines, [
    'ConfigMap argocd-cm: resource.respectRBAC: invalid value for resource.respectRBAC: true (kept)',
  ]);
  reader.delete('ConfigMap', 'argocd', 'argocd-cm');
  reader.put(project('p', {}));
  await until(({ projects }) => projects.has('p'), 'a later change');
  assert.equal(settings.current().settings.impersonation.enabled, true, 'nobody loosens by deleting');
  assert.match(diary.lines.at(-1) ?? '', /ConfigMap argocd-cm: was deleted.*\(kept\)/);
});

test('I14: a malformed cluster Secret of the control plane keeps its last good value; others are unaffected', async () => {
  const { reader, settings, until, diary } = await stage([
    secret('argocd', 'blue', 'cluster', { name: 'blue', server: 'https://blue' }),
  ]);
  reader.put(secret('argocd', 'blue', 'cluster', { name: 'blue', server: 'https://other', config: '{' }));
  reader.put(secret('argocd', 'red', 'cluster', { name: 'red', server: 'https://red' }));
  reader.put(secret('argocd', 'bad', 'cluster', { config: 'x' }));
  await until((snapshot) => accepted(snapshot).includes('argocd/red'), 'the other one');
  assert.deepEqual(
    settings.current().clusters.map(({ server }) => server),
    ['https://blue', 'https://red'],
  );
  assert.equal(diary.lines.length, 2);
  assert.equal(
    diary.lines.some((line) => line.includes('https://')),
    false,
  );
});

test('a change names what it touched and nothing else', async () => {
  const { reader, until, changes } = await stage([
    configMap('argocd-cm', { globalProjects: '- projectName: global\n  labelSelector: {matchLabels: {tier: gold}}' }),
    project('global', {}),
    project('gold', {}, { tier: 'gold' }),
    project('plain', {}),
    secret('argocd', 'repo', 'repository', { url: 'https://G/r.git', project: 'plain' }),
    secret('argocd', 'creds', 'repo-creds', { url: 'https://g' }),
  ]);
  const last = async (revision: number): Promise<Record<string, unknown>> => {
    await until((snapshot) => snapshot.revision > revision, 'the next snapshot');
    const {
      projects,
      clusters,
      repositories,
      templates,
      settings,
      namespaces: list,
      initial,
    } = changes.at(-1) as Change;
    const named = { projects, clusters, repositories, templates, settings };
    const shown = Object.entries(named)
      .filter(([, set]) => set.size > 0)
      .map(([key, set]) => [key, [...set].sort()]);
    return { ...Object.fromEntries(shown), ...(list ? { namespaces: true } : {}), ...(initial ? { initial } : {}) };
  };
  const rows: readonly [() => void, Record<string, unknown>][] = [
    [() => reader.put(project('plain', { sourceRepos: ['*'] })), { projects: ['plain'] }],
    [() => reader.put(project('global', { sourceRepos: ['*'] })), { projects: ['global', 'gold'] }],
    [() => reader.put(project('plain', { sourceRepos: ['*'] }, { tier: 'gold' })), { projects: ['plain'] }],
    [
      () => reader.put(secret('argocd', 'repo', 'repository', { url: 'https://g/s' })),
      { projects: ['plain'], repositories: ['https://g/r', 'https://g/s'] },
    ],
    [
      () => reader.put(secret('argocd', 'creds', 'repo-creds', { url: 'https://h' })),
      { templates: ['https://g', 'https://h'] },
    ],
    [
      () => reader.put(secret('argocd', 'c', 'cluster', { server: 'https://c', project: 'gold' })),
      { clusters: ['argocd/c'], projects: ['gold'] },
    ],
    [() => reader.put(configMap('argocd-rbac-cm', { 'policy.csv': 'p' })), { settings: ['argocd-rbac-cm/policy.csv'] }],
    [
      () => reader.put(namespaces('x')),
      { settings: ['argocd-cmd-params-cm/application.namespaces'], namespaces: true },
    ],
    [
      () => reader.put(configMap('argocd-cm', {})),
      { settings: ['argocd-cm/globalProjects'], projects: ['gold', 'plain'] },
    ],
    [() => reader.delete('AppProject', 'argocd', 'gold'), { projects: ['gold'] }],
  ];
  for (const [act, wanted] of rows) {
    const revision = changes.at(-1)?.revision ?? 1;
    act();
    assert.deepEqual(await last(revision), wanted);
  }
});

test('a new status on a project, or a new version of nothing, touches nobody', async () => {
  const { reader, changes, until } = await stage([sample, configMap('argocd-cm', { installationID: 'x' })]);
  reader.put({ ...sample, status: { conditions: [{ type: 'W', message: 'm' }] } });
  await until(({ projects }) => projects.get('sample')?.status?.conditions?.length === 1, 'the new status');
  reader.put(configMap('argocd-cm', { installationID: 'x' }));
  reader.relist();
  await sleep(20);
  assert.deepEqual(changes, []);
});

test('a burst of changes makes one snapshot', async () => {
  const { reader, settings, until } = await stage([sample], { debounceMs: 20 });
  for (let i = 0; i < 100; i++) reader.put(secret('argocd', 'blue', 'cluster', { server: `https://blue-${i}` }));
  await until(({ clusters }) => clusters[0]?.server === 'https://blue-99', 'the last one');
  assert.ok(settings.current().revision <= 3, `${settings.current().revision} snapshots`);
});

test('a namespace that cannot be read holds up nobody, is known as unread, and comes in when it can', async () => {
  const reader = new MemoryReader();
  reader.forbid('tenant-a');
  for (const each of [
    sample,
    namespaces('tenant-a,tenant-b'),
    tenantCluster('tenant-a', 'blue'),
    tenantCluster('tenant-b', 'red'),
  ])
    reader.put(each);
  const diary = new Diary();
  open = watchSettings({ reader, installation: { controlPlane: 'argocd' }, report: diary, debounceMs: 1 });
  const first = await open.ready;
  assert.deepEqual([...(first.unread ?? [])], [['tenant-a', 'secrets is forbidden']]);
  assert.deepEqual(diary.lines, ['unreadable cluster Secrets of tenant-a: secrets is forbidden']);
  reader.allow('tenant-a');
  for (let tries = 0; tries < 1000 && accepted(open.current()).length < 2; tries++) await sleep(1);
  assert.deepEqual(accepted(open.current()), ['tenant-a/blue', 'tenant-b/red']);
  assert.deepEqual([...(open.current().unread ?? [])], []);
});

test('a namespace that never answers delays the first snapshot only so long', async () => {
  const reader = new MemoryReader();
  reader.silence('tenant-a');
  for (const each of [sample, namespaces('tenant-a,tenant-b'), tenantCluster('tenant-b', 'red')]) reader.put(each);
  const installation = { controlPlane: 'argocd' };
  open = watchSettings({ reader, installation, report: new Diary(), debounceMs: 1, tenantWaitMs: 30 });
  const first = await open.ready;
  assert.deepEqual(accepted(first), ['tenant-b/red']);
  assert.deepEqual([...(first.unread ?? [])], [['tenant-a', 'not read yet']]);
});

test('while a list is read again, what was known stands', async () => {
  const { reader, settings } = await stage([sample, secret('argocd', 'blue', 'cluster', { server: 'https://blue' })]);
  for (const { sink } of reader.followers) sink.restart();
  await sleep(10);
  assert.equal(settings.current().clusters.length, 1);
  for (const { sink, resource } of reader.followers) if (resource.kind === 'Secret') sink.complete('9');
  for (let tries = 0; tries < 1000 && settings.current().clusters.length > 0; tries++) await sleep(1);
  assert.equal(settings.current().clusters.length, 0, 'what the list did not name is gone');
});

test('a Secret that finds no room is refused, and read when another goes', async () => {
  const names = ['a', 'b', 'c'];
  const { reader, settings, diary, until } = await stage(
    [
      sample,
      namespaces('tenant-a,tenant-b'),
      ...names.map((name) => tenantCluster('tenant-a', name)),
      tenantCluster('tenant-b', 'x'),
    ],
    { limits: { secretsPerNamespace: 2 } },
  );
  assert.deepEqual(accepted(settings.current()), ['tenant-a/a', 'tenant-a/b', 'tenant-b/x']);
  await settings.told();
  assert.deepEqual(diary.lines, [
    'rejected tenant-a/c: the namespace holds more cluster Secrets than are looked at (2)',
  ]);
  reader.delete('Secret', 'tenant-a', 'a');
  const snapshot = await until((each) => accepted(each).includes('tenant-a/c'), 'room for the third');
  assert.deepEqual(accepted(snapshot), ['tenant-a/b', 'tenant-a/c', 'tenant-b/x']);
});

test('room is given back when a namespace leaves the list, so that it has all of it when it returns', async () => {
  const objects = [sample, ...['a', 'b'].map((name) => tenantCluster('tenant-a', name))];
  const { reader, until } = await stage([...objects, namespaces('tenant-*')], { limits: { secretsPerNamespace: 2 } });
  for (let round = 0; round < 5; round++) {
    reader.put(namespaces('tenant-b*'));
    await until((snapshot) => accepted(snapshot).length === 0, 'gone');
    reader.put(namespaces(round % 2 === 0 ? 'tenant-a' : 'tenant-*'));
    await until((snapshot) => accepted(snapshot).length === 2, 'back');
  }
  reader.put(tenantCluster('tenant-a', 'c'));
  reader.put(project('late', {}));
  const snapshot = await until(({ projects }) => projects.has('late'), 'a later change');
  assert.deepEqual(accepted(snapshot), ['tenant-a/a', 'tenant-a/b'], 'and never more than its room');
});

test("J39: a project's quota accepts the oldest and refuses the rest", async () => {
  const limited = project('sample', { sourceNamespaces: ['tenant-a'], quota: { clusters: 20 } });
  const many = Array.from({ length: 50 }, (_, i) => {
    const object = tenantCluster('tenant-a', `c${i}`);
    return {
      ...object,
      metadata: { ...object.metadata, creationTimestamp: `2026-01-02T03:04:${String(59 - i).padStart(2, '0')}Z` },
    };
  });
  const { settings, diary } = await stage([limited, namespaces('tenant-a'), ...many]);
  assert.equal(accepted(settings.current()).length, 20);
  assert.ok(accepted(settings.current()).includes('tenant-a/c49'), 'the oldest');
  await settings.told();
  assert.equal(diary.lines.length, 30);
  assert.equal(diary.counts.get('tenant-a'), 30);
});

test('refusals are told namespace by namespace in turn', async () => {
  const bad = (namespace: string, name: string) => tenantCluster(namespace, name, { project: '' });
  const many = Array.from({ length: 30 }, (_, i) => bad('tenant-a', `a${i}`));
  const { settings, diary } = await stage([sample, namespaces('tenant-a,tenant-b'), ...many, bad('tenant-b', 'only')]);
  await settings.told();
  const position = diary.lines.findIndex((line) => line.includes('tenant-b/only'));
  assert.ok(position >= 0 && position <= 2, `told as number ${position}`);
});

test('after a stop nothing is watched and nothing is said', async () => {
  const { reader, settings, changes } = await stage([sample, namespaces('tenant-a,tenant-*')]);
  await settings.stop();
  assert.equal(reader.followers.size, 0);
  reader.put(project('late', {}));
  await sleep(10);
  assert.deepEqual(changes, []);
});
