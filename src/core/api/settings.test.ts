import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  configMapData,
  parseDuration,
  readParams,
  readRbac,
  readSettings,
  type Settings,
  shippedExclusions,
} from './index.ts';

const settings = (data: Record<string, string>, last?: Settings) => readSettings(new Map(Object.entries(data)), last);
const good = (data: Record<string, string>): Settings => {
  const { value, problems } = settings(data);
  assert.deepEqual(problems, []);
  return value;
};

test('without a single key every setting has its default', () => {
  const value = good({});
  assert.deepEqual(value.impersonation, { enabled: false, enforced: undefined });
  assert.equal(value.respectRBAC, 'off');
  assert.equal(value.trackingMethod, 'annotation');
  assert.equal(value.instanceLabelKey, 'app.kubernetes.io/instance');
  assert.equal(value.inClusterEnabled, true);
  assert.equal(value.resourceExclusions, shippedExclusions);
  assert.deepEqual(value.resourceInclusions, []);
  assert.equal(value.reconciliationTimeout, 120_000);
  assert.equal(value.reconciliationJitter, 60_000);
  assert.deepEqual(value.tools.helmValuesFileSchemes, ['https', 'http']);
  assert.deepEqual(value.outbound, { tenantClusterHosts: [], tenantClusterInsecure: false, sourceHosts: [] });
  assert.deepEqual(value.compareOptions, {
    ignoreAggregatedRoles: false,
    ignoreResourceStatusField: 'all',
    ignoreDifferencesOnResourceUpdates: true,
  });
});

test('impersonation is switched on by either key and only by the exact word', () => {
  assert.equal(good({ 'application.sync.impersonation.enabled': 'true' }).impersonation.enabled, true);
  assert.equal(good({ 'applicationcontroller.enable.impersonation': 'true' }).impersonation.enabled, true);
  for (const word of ['True', '1', 'yes', ' true']) {
    assert.equal(good({ 'application.sync.impersonation.enabled': word }).impersonation.enabled, false, word);
  }
});

test('enforced: unsaid stays unsaid, only the exact word loosens', () => {
  const enforced = (written: string) =>
    good({ 'application.sync.impersonation.enforced': written }).impersonation.enforced;
  assert.equal(enforced(''), undefined);
  assert.equal(enforced('true'), true);
  assert.equal(enforced('false'), false);
  assert.equal(enforced('False'), true);
  assert.equal(enforced('no'), true);
});

test('H7 and H8: respectRBAC takes two words; others keep the last good value and say so', () => {
  assert.equal(good({ 'resource.respectRBAC': '' }).respectRBAC, 'off');
  assert.equal(good({ 'resource.respectRBAC': 'normal' }).respectRBAC, 'normal');
  const strict = good({ 'resource.respectRBAC': 'strict' });
  const wrong = settings({ 'resource.respectRBAC': 'true' });
  assert.equal(wrong.value.respectRBAC, 'off');
  assert.deepEqual(wrong.problems, [
    { path: 'resource.respectRBAC', message: 'invalid value for resource.respectRBAC: true' },
  ]);
  assert.equal(settings({ 'resource.respectRBAC': 'true' }, strict).value.respectRBAC, 'strict');
});

test('an unknown tracking method behaves as annotation, as in Argo CD', () => {
  const label = good({ 'application.resourceTrackingMethod': 'label' });
  assert.equal(label.trackingMethod, 'label');
  const { value, problems } = settings({ 'application.resourceTrackingMethod': 'x' }, label);
  assert.equal(value.trackingMethod, 'annotation');
  assert.equal(problems.length, 1);
});

test('global projects and resource filters are read from YAML', () => {
  const value = good({
    globalProjects:
      '- projectName: g\n  labelSelector:\n    matchExpressions:\n    - {key: opt, operator: In, values: [a]}\n',
    'resource.exclusions': '- apiGroups: ["*"]\n  kinds: [Event]\n  clusters: ["https://*"]\n',
    'resource.inclusions': '[]',
    'resource.compareoptions': 'ignoreAggregatedRoles: true\n',
  });
  assert.deepEqual(value.globalProjects, [
    { projectName: 'g', labelSelector: { matchExpressions: [{ key: 'opt', operator: 'In', values: ['a'] }] } },
  ]);
  assert.deepEqual(value.resourceExclusions, [{ apiGroups: ['*'], kinds: ['Event'], clusters: ['https://*'] }]);
  assert.equal(value.compareOptions.ignoreAggregatedRoles, true);
  assert.equal(value.compareOptions.ignoreResourceStatusField, 'all');
});

test('a key that cannot be read keeps its last good value, others go on', () => {
  const before = good({
    globalProjects: '- projectName: g',
    'resource.exclusions': '- kinds: [A]',
    'timeout.reconciliation': '5m',
  });
  const { value, problems } = settings(
    { globalProjects: '{', 'resource.exclusions': '- kinds: A', 'timeout.reconciliation': 'soon', installationID: 'x' },
    before,
  );
  assert.deepEqual(value.globalProjects, before.globalProjects);
  assert.deepEqual(value.resourceExclusions, [{ kinds: ['A'] }]);
  assert.equal(value.reconciliationTimeout, 300_000);
  assert.equal(value.installationID, 'x');
  assert.deepEqual(problems.map(({ path }) => path).sort(), [
    'globalProjects',
    'resource.exclusions[0].kinds',
    'timeout.reconciliation',
  ]);
});

test('the status field may be written as a word or as a boolean', () => {
  const field = (written: string): string =>
    good({ 'resource.compareoptions': `ignoreResourceStatusField: ${written}` }).compareOptions
      .ignoreResourceStatusField;
  assert.equal(field('crd'), 'crd');
  assert.equal(field('false'), 'false');
  assert.equal(field('off'), 'off');
});

test('a key that holds nothing but a comment is absent', () => {
  const value = good({ globalProjects: '# none yet\n', 'resource.exclusions': ' ', 'resource.inclusions': 'null' });
  assert.deepEqual(value.globalProjects, []);
  assert.equal(value.resourceExclusions, shippedExclusions);
});

test('YAML made to grow does not', () => {
  const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 9 }, (_, i) => {
    const [from, to] = [String.fromCharCode(97 + i), String.fromCharCode(98 + i)];
    return `${to}: &${to} [${Array.from({ length: 9 }, () => `*${from}`).join(',')}]`;
  }).join('\n')}`;
  for (const text of [bomb, `${'['.repeat(5000)}`, 'x'.repeat(600_000)]) {
    const { problems } = settings({ globalProjects: text });
    assert.equal(problems.length, 1);
    assert.ok((problems[0]?.message.length ?? 0) < 200);
  }
  const proto = good({ 'resource.customizations': '__proto__: {health.lua: stolen}' });
  assert.equal(({} as { health?: string }).health, undefined);
  assert.deepEqual(proto.resourceOverrides.get('__proto__'), { health: 'stolen' });
});

test('overrides are read in both spellings, the newer one wins', () => {
  const value = good({
    'resource.customizations':
      'apps/Deployment:\n  health.lua: old\n  ignoreDifferences: |\n    jsonPointers: [/spec/replicas]\n"*.example.io/*":\n  actions: a\n',
    'resource.customizations.health.apps_Deployment': 'new',
    'resource.customizations.useOpenLibs.apps_Deployment': 'true',
    'resource.customizations.ignoreDifferences.all': 'managedFieldsManagers: [hpa]',
    'resource.customizations.knownTypeFields.example.io_Widget': '- {field: spec, type: core/v1/PodSpec}',
    'resource.customizations.health.Service': 'core',
  });
  assert.deepEqual(value.resourceOverrides.get('apps/Deployment'), {
    health: 'new',
    ignoreDifferences: { jsonPointers: ['/spec/replicas'] },
    useOpenLibs: true,
  });
  assert.deepEqual(value.resourceOverrides.get('*/*'), { ignoreDifferences: { managedFieldsManagers: ['hpa'] } });
  assert.deepEqual(value.resourceOverrides.get('*.example.io/*'), { actions: 'a' });
  assert.deepEqual(value.resourceOverrides.get('example.io/Widget'), {
    knownTypeFields: [{ field: 'spec', type: 'core/v1/PodSpec' }],
  });
  assert.deepEqual(value.resourceOverrides.get('Service'), { health: 'core' });
});

test('an override that cannot be read keeps its last good value; an unknown type is named', () => {
  const before = good({ 'resource.customizations.ignoreDifferences.apps_X': 'jsonPointers: [/a]' });
  const { value, problems } = settings(
    {
      'resource.customizations.ignoreDifferences.apps_X': 'jsonPointers: /a',
      'resource.customizations.shape.apps_X': 'x',
    },
    before,
  );
  assert.deepEqual(value.resourceOverrides.get('apps/X'), { ignoreDifferences: { jsonPointers: ['/a'] } });
  assert.deepEqual(
    problems.map(({ path }) => path),
    ['resource.customizations.ignoreDifferences.apps_X.jsonPointers', 'resource.customizations.shape.apps_X'],
  );
});

test('tools: versions of kustomize with paths and options', () => {
  const { tools } = good({
    'kustomize.path.v4': '/bin/k4',
    'kustomize.buildOptions.v4': '--x',
    'kustomize.buildOptions': '--y',
    'helm.enable': 'false',
    'helm.valuesFileSchemes': 's3, https',
  });
  assert.deepEqual(tools.kustomizeVersions.get('v4'), { path: '/bin/k4', buildOptions: '--x' });
  assert.equal(tools.kustomizeBuildOptions, '--y');
  assert.equal(tools.helmEnabled, false);
  assert.deepEqual(tools.helmValuesFileSchemes, ['s3', 'https']);
});

test('parameters: namespaces are split on commas, seconds are milliseconds, bad numbers keep the last', () => {
  const { value } = readParams(new Map([['application.namespaces', ' team-*, ,b ,/^c$/']]));
  assert.deepEqual(value.applicationNamespaces, ['team-*', 'b', '/^c$/']);
  assert.equal(value.repoErrorGracePeriod, 180_000);
  const before = readParams(new Map([['controller.sync.timeout.seconds', '30']])).value;
  assert.equal(before.syncTimeout, 30_000);
  const after = readParams(new Map([['controller.sync.timeout.seconds', '-1']]), before);
  assert.equal(after.value.syncTimeout, 30_000);
  assert.deepEqual(after.problems, [{ path: 'controller.sync.timeout.seconds', message: 'must be a whole number' }]);
});

test('access: overlays follow the main policy in order of their keys', () => {
  const { value } = readRbac(
    new Map([
      ['policy.b.csv', 'B'],
      ['policy.csv', 'main'],
      ['policy.a.csv', 'A'],
      ['policy.default', 'role:readonly'],
      ['scopes', '[groups, email]'],
      ['policy.matchMode', 'regex'],
    ]),
  );
  assert.equal(value.policy, 'main\nA\nB');
  assert.equal(value.defaultRole, 'role:readonly');
  assert.deepEqual(value.scopes, ['groups', 'email']);
  assert.equal(value.matchMode, 'regex');
  assert.equal(readRbac(new Map([['policy.matchMode', 'what']])).value.matchMode, 'glob');
});

test('a bad list of scopes keeps the last good one', () => {
  const before = readRbac(new Map([['scopes', '[email]']])).value;
  const { value, problems } = readRbac(new Map([['scopes', 'groups: x']]), before);
  assert.deepEqual(value.scopes, ['email']);
  assert.equal(problems.length, 1);
});

test('durations are read as Go writes them', () => {
  const rows: readonly [string, number | undefined][] = [
    ['1h30m', 5_400_000],
    ['500ms', 500],
    ['1.5s', 1500],
    ['.5s', 500],
    ['0', 0],
    ['-1m', -60_000],
    ['1µs', 0.001],
    ['', undefined],
    ['5', undefined],
    ['1d', undefined],
    ['1h 30m', undefined],
    ['s', undefined],
    ['1e3s', undefined],
    [`${'9'.repeat(30)}h`, undefined],
  ];
  for (const [written, wanted] of rows) assert.equal(parseDuration(written), wanted, written);
});

test('the data of a ConfigMap is what is text in it', () => {
  assert.deepEqual([...configMapData({ data: { a: 'x', b: 1, c: null } })], [['a', 'x']]);
  assert.deepEqual([...configMapData({ data: 'x' })], []);
  assert.deepEqual([...configMapData(null)], []);
});

test('no text in any key makes the readers throw', () => {
  const keys = fc.constantFrom(
    'globalProjects',
    'resource.exclusions',
    'resource.customizations',
    'resource.customizations.ignoreDifferences.apps_X',
    'resource.compareoptions',
    'timeout.reconciliation',
    'scopes',
    'application.namespaces',
    'controller.status.processors',
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(keys, fc.string())), (entries) => {
      const data = new Map(entries);
      readSettings(data);
      readParams(data);
      readRbac(data);
    }),
  );
});
