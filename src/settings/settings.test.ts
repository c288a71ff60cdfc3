import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Snapshot } from '../core/api/index.ts';
import type { Change } from './index.ts';
import { MemoryReader } from './testdata/memory-reader.ts';
import {
  accepted,
  closeSettings,
  configMap,
  Diary,
  namespaces,
  openSettings,
  project,
  sample,
  secret,
  stage,
  tenantCluster,
} from './testdata/stage.ts';

afterEach(closeSettings);

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
  const open = openSettings({ reader, installation: { controlPlane: 'argocd' }, report: new Diary() });
  assert.throws(() => open.current(), /have not been read yet/);
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
  // A namespace that was just listed is first unread, then read: both snapshots belong to the one change of the list.
  const last = async (revision: number): Promise<Record<string, unknown>> => {
    const settled = ({ revision: now, unread }: Snapshot): boolean => now > revision && (unread?.size ?? 0) === 0;
    await until(settled, 'the next snapshot');
    const fresh = changes.filter((change) => change.revision > revision);
    const union = (pick: (change: Change) => ReadonlySet<string>): readonly string[] =>
      [...new Set(fresh.flatMap((change) => [...pick(change)]))].sort();
    const named = {
      projects: union((change) => change.projects),
      clusters: union((change) => change.clusters),
      repositories: union((change) => change.repositories),
      templates: union((change) => change.templates),
      settings: union((change) => change.settings),
    };
    const list = fresh.some((change) => change.namespaces);
    const initial = fresh.some((change) => change.initial);
    const shown = Object.entries(named).filter(([, names]) => names.length > 0);
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
