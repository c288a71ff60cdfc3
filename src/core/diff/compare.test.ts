import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSettings, type Settings } from '../api/index.ts';
import type { JsonObject } from '../json/index.ts';
import { type KubeObject, printKey } from '../objects/index.ts';
import {
  type CompareOptions,
  type Comparison,
  compare,
  isOurs,
  markOf,
  relevanceOf,
  serverSideDiffOf,
  targetsOf,
} from './index.ts';
import { live, object, owned, target } from './testdata/objects.ts';

const options: CompareOptions = { instance: 'shop' };
const configMap = (name: string, data = 'a: "1"'): string =>
  `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}, namespace: prod}, data: {${data}}}`;
const settings = (data: Record<string, string>): Settings => readSettings(new Map(Object.entries(data))).value;

/** A live object as an apply of its target left it, changed by `and`. */
const applied = (yaml: string, and: Partial<KubeObject> = {}, instance = 'shop'): KubeObject => ({
  ...target(yaml, instance).object,
  ...and,
});

const withMeta = (base: KubeObject, metadata: Partial<KubeObject['metadata']>): KubeObject => ({
  ...base,
  metadata: { ...base.metadata, ...metadata },
});

const said = ({ status, objects }: Comparison): unknown[] => [
  status,
  ...objects.map((each) => [each.key.name, each.status, each.requiresPruning]),
];

test('a target that is not there, one that differs and one that does not', () => {
  const targets = [target(configMap('one')), target(configMap('two')), target(configMap('three'))];
  const result = compare(targets, live(applied(configMap('two', 'a: "2"')), applied(configMap('three'))), options);
  assert.deepEqual(said(result), [
    'OutOfSync',
    ['one', 'OutOfSync', false],
    ['two', 'OutOfSync', false],
    ['three', 'Synced', false],
  ]);
  assert.deepEqual(result.objects[1]?.difference, ['f:data', 'f:a']);
});

test('70: an extra object with IgnoreExtraneous is OutOfSync and does not count', () => {
  const extra = withMeta(applied(configMap('old')), {});
  const told = withMeta(extra, {
    annotations: { ...extra.metadata.annotations, 'argocd.argoproj.io/compare-options': 'IgnoreExtraneous' },
  });
  assert.deepEqual(said(compare([], live(extra), options)), ['OutOfSync', ['old', 'OutOfSync', true]]);
  assert.deepEqual(said(compare([], live(told), options)), ['Synced', ['old', 'OutOfSync', true]]);
});

test('75: an extra object with an owner is never pruned', () => {
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' }];
  assert.deepEqual(said(compare([], live(withMeta(applied(configMap('old')), { ownerReferences })), options)), [
    'Synced',
  ]);
});

test('76: a mark copied onto another object is shown, without a status, and not pruned', () => {
  const copy = withMeta(applied(configMap('one')), { name: 'copy' });
  assert.deepEqual(said(compare([], live(copy), options)), ['Synced', ['copy', undefined, false]]);
});

test("77: an object with another Application's mark is compared, and the two are named", () => {
  const result = compare([target(configMap('one'))], live(applied(configMap('one'), {}, 'team-b_other')), options);
  assert.deepEqual(said(result), ['OutOfSync', ['one', 'OutOfSync', false]]);
  assert.deepEqual(result.warnings, [
    { type: 'SharedResourceWarning', message: 'ConfigMap/one is part of applications shop and team-b/other' },
  ]);
  assert.equal(result.objects[0]?.sharedWith, 'team-b_other');
});

test('79: of the same object twice the last counts, with a warning', () => {
  const targets = [target(configMap('one', 'a: "0"')), target(configMap('one'))];
  const result = compare(targets, live(applied(configMap('one'))), options);
  assert.deepEqual(said(result), ['Synced', ['one', 'Synced', false]]);
  assert.deepEqual(result.warnings, [
    {
      type: 'RepeatedResourceWarning',
      message: 'Resource ConfigMap:prod/one appeared 2 times among application resources.',
    },
  ]);
});

test('80: a target of an excluded kind is dropped with a warning, and its live object is not pruned', () => {
  const excluded = { ...options, excluded: ({ kind }: { kind: string }) => kind === 'ConfigMap' };
  const result = compare([target(configMap('one'))], live(applied(configMap('one'))), excluded);
  assert.deepEqual(said(result), ['Synced']);
  assert.deepEqual(result.warnings, [
    { type: 'ExcludedResourceWarning', message: 'Resource /ConfigMap one is excluded in the settings' },
  ]);
});

test('66: hooks and skipped objects have no status', () => {
  const hook = (word: string): string =>
    `{apiVersion: v1, kind: ConfigMap, metadata: {name: h, annotations: {argocd.argoproj.io/hook: ${word}}}}`;
  for (const word of ['PreSync', 'Skip', 'Presync']) {
    assert.deepEqual(said(compare([target(hook(word))], live(), options)), ['Synced', ['h', undefined, false]]);
  }
});

test('what could not be read is unknown, and so is the Application', () => {
  const unknown = { objects: new Map(), unknown: new Map([['ConfigMap', 'configmaps may not be listed']]) };
  const result = compare([target(configMap('one'))], unknown, options);
  assert.deepEqual(said(result), ['Unknown', ['one', 'Unknown', false]]);
  assert.deepEqual(result.errors, ['configmaps may not be listed']);
});

test('a kind that could not be read makes the Application unknown though no target is of that kind any more', () => {
  const live = { objects: new Map(), unknown: new Map([['x.io/Gear', 'gears cannot be converted']]) };
  const { status, errors, unread } = compare([], live, options);
  assert.deepEqual([status, errors], ['Unknown', ['gears cannot be converted']]);
  assert.deepEqual([...(unread ?? [])], [['x.io/Gear', 'gears cannot be converted']]);
});

test('a hook that could not be read is not taken for one that is gone', () => {
  const hook = configMap('hook').replace('{name', '{annotations: {argocd.argoproj.io/hook: PreSync}, name');
  const unknown = new Map([['ConfigMap:prod/hook', 'no answer']]);
  assert.deepEqual(compare([target(hook)], { objects: new Map(), unknown }, options).errors, ['no answer']);
});

test('a kind that may not be listed, and a namespace that may not be read, make nothing unknown', () => {
  const unknown = new Map([
    ['Secret:*', 'secrets may not be listed'],
    ['Namespace:/ns', 'namespaces may not be read'],
  ]);
  assert.equal(compare([], { objects: new Map(), unknown }, options).status, 'Synced');
});

test('T-033, T-066: an object the project does not permit is unknown by itself, not shown, and a live one is nobody to prune', () => {
  const permits = { ...options, permits: () => false };
  const result = compare(
    [target(configMap('one'))],
    live(applied(configMap('one')), applied(configMap('old'))),
    permits,
  );
  assert.deepEqual(said(result), ['OutOfSync', ['one', 'Unknown', false]]);
  assert.equal(result.objects[0]?.live, undefined);
  assert.deepEqual(result.errors, []);
});

test('141: a cluster-scoped target loses its namespace', () => {
  const made = target('{apiVersion: v1, kind: Namespace, metadata: {name: n, namespace: x}}', 'shop', false);
  assert.equal(made.key.namespace, '');
  assert.equal(made.object.metadata.annotations?.['argocd.argoproj.io/tracking-id'], 'shop:/Namespace:prod/n');
});

test('142: a namespaced target without a namespace, and no destination namespace, is told', () => {
  const rendered = [{ object: object('{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}'), source: 0 }];
  const targets = targetsOf(rendered, { instance: 'shop', destinationNamespace: '', namespaced: () => true });
  const result = compare(targets, live(), { ...options, namespaced: () => true });
  assert.deepEqual(result.invalid, ['Namespace for c v1, Kind=ConfigMap is missing.']);
});

test('105: a jq expression that is none is an error, and nothing is judged by it', () => {
  const ignoreDifferences = [{ kind: 'Deployment', group: 'apps', jqPathExpressions: ['.spec['] }];
  const result = compare([target(configMap('one'))], live(applied(configMap('one'))), {
    ...options,
    ignoreDifferences,
  });
  assert.equal(result.status, 'Unknown');
  assert.match(result.errors.join(), /jqPathExpression "\.spec\[" cannot be used: ends/);
});

const scaled = 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: prod}\nspec:\n  replicas: ';
const pod = '\n  template: {spec: {containers: [{name: web, image: "nginx:1"}]}}';

test('what rules of the Application and of the settings name is ignored', () => {
  const drifted = applied(`${scaled}5${pod}`);
  const run = (more: Partial<CompareOptions>): string =>
    compare([target(`${scaled}2${pod}`)], live(drifted), { ...options, ...more }).status;
  const rule = (parts: object): Partial<CompareOptions> => ({
    ignoreDifferences: [{ group: 'apps', kind: 'Deployment', ...parts }],
  });
  assert.equal(run({}), 'OutOfSync');
  assert.equal(run(rule({ jsonPointers: ['/spec/replicas'] })), 'Synced');
  assert.equal(run(rule({ jqPathExpressions: ['.spec | select(.replicas > 1) | .replicas'] })), 'Synced');
  assert.equal(run(rule({ name: 'web', namespace: 'prod', jsonPointers: ['/spec/replicas'] })), 'Synced');
  assert.equal(run(rule({ name: 'other', jsonPointers: ['/spec/replicas'] })), 'OutOfSync');
  assert.equal(run(rule({ namespace: 'other', jsonPointers: ['/spec/replicas'] })), 'OutOfSync');
  assert.equal(run(rule({ kind: 'Dep*', group: '*', jsonPointers: ['/spec/replicas'] })), 'Synced');
  assert.equal(run(rule({ group: '', jsonPointers: ['/spec/replicas'] })), 'OutOfSync');
  const key = 'resource.customizations.ignoreDifferences.';
  const written = 'jsonPointers: [/spec/replicas]';
  assert.equal(run({ settings: settings({ [`${key}apps_Deployment`]: written }) }), 'Synced');
  assert.equal(run({ settings: settings({ [`${key}all`]: written }) }), 'Synced');
  assert.equal(run({ settings: settings({ [`${key}apps_StatefulSet`]: written }) }), 'OutOfSync');
});

test('106: what a listed manager changed is ignored, what it did not change is not', () => {
  const drifted = owned(applied(`${scaled}5${pod}`), {
    'kube-controller-manager': { 'f:spec': { 'f:replicas': {} } },
    'argocd-controller': { 'f:spec': {}, 'f:metadata': { 'f:annotations': {} } },
  });
  const run = (managers: string[], yaml = `${scaled}2${pod}`): string =>
    compare([target(yaml)], live(drifted), {
      ...options,
      ignoreDifferences: [{ group: 'apps', kind: 'Deployment', managedFieldsManagers: managers }],
    }).status;
  assert.equal(run(['kube-controller-manager']), 'Synced');
  assert.equal(run(['somebody']), 'OutOfSync');
  assert.equal(run(['kube-controller-manager'], `${scaled}2${pod.replace('nginx:1', 'nginx:2')}`), 'OutOfSync');
});

test('95: with RespectIgnoreDifferences the live value is what a sync applies', () => {
  const wanted = target(`${scaled}2${pod.replace('nginx:1', 'nginx:2')}`);
  const run = (rule: object): unknown => {
    const result = compare([wanted], live(applied(`${scaled}5${pod}`)), {
      ...options,
      syncOptions: ['RespectIgnoreDifferences=true'],
      ignoreDifferences: [{ group: 'apps', kind: 'Deployment', ...rule }],
    });
    const [compared] = result.objects;
    assert.equal(compared?.status, 'OutOfSync');
    const applying = compared?.target?.object;
    assert.deepEqual(applying?.metadata, wanted.object.metadata);
    return applying?.['spec'];
  };
  const expected = object(`${scaled}5${pod.replace('nginx:1', 'nginx:2')}`)['spec'];
  assert.deepEqual(run({ jsonPointers: ['/spec/replicas'] }), expected);
  assert.deepEqual(run({ jqPathExpressions: ['.spec.replicas'] }), expected);
  assert.deepEqual(run({ jsonPointers: ['/spec/replicas', '/metadata/annotations'] }), expected);
  const image = '.spec.template.spec.containers[] | select(.name == "web") | .image';
  assert.deepEqual(run({ jqPathExpressions: [image] }), object(`${scaled}2${pod}`)['spec']);
});

test('96: as 95, where there is no live object the manifest is applied as it is', () => {
  const wanted = target(`${scaled}2${pod}`);
  const result = compare([wanted], live(), {
    ...options,
    syncOptions: ['RespectIgnoreDifferences=true'],
    ignoreDifferences: [{ group: 'apps', kind: 'Deployment', jsonPointers: ['/spec/replicas'] }],
  });
  assert.equal(result.objects[0]?.target, wanted);
});

const labelled = settings({ 'application.resourceTrackingMethod': 'label' });
const both = settings({ 'application.resourceTrackingMethod': 'annotation+label' });

function marked(tracking: Settings, instance = 'shop'): KubeObject {
  const rendered = [{ object: object(configMap('one')), source: 0 }];
  const [made] = targetsOf(rendered, { instance, destinationNamespace: 'prod', namespaced: () => true, tracking });
  assert.ok(made !== undefined);
  return made.object;
}

test('each method of tracking marks objects and finds them again', () => {
  const long = `${'a'.repeat(62)}-x`;
  assert.deepEqual(marked(labelled).metadata.labels, { 'app.kubernetes.io/instance': 'shop' });
  assert.equal(marked(labelled).metadata.annotations, undefined);
  assert.deepEqual(marked(both, long).metadata.labels, { 'app.kubernetes.io/instance': 'a'.repeat(62) });
  for (const tracking of [labelled, both, settings({})]) {
    const made = marked(tracking);
    const [found] = live(made).objects.values();
    assert.ok(found !== undefined);
    assert.equal(isOurs(found, 'shop', tracking), true);
    assert.equal(isOurs(found, 'other', tracking), false);
    assert.equal(compare([], live(made), { ...options, settings: tracking }).objects[0]?.requiresPruning, true);
  }
});

test('143: tracking switched from label to annotation: Synced until something else changes', () => {
  const before = marked(labelled);
  const after = { ...options, settings: settings({}) };
  assert.equal(compare([target(configMap('one'))], live(before), after).status, 'Synced');
  assert.equal(compare([target(configMap('one', 'a: "2"'))], live(before), after).status, 'OutOfSync');
  const foreign = marked(labelled, 'other');
  assert.equal(compare([target(configMap('one'))], live(foreign), after).status, 'OutOfSync');
});

test("144: with an installationID, objects that lack it are nobody's, and targets are still paired", () => {
  const installed = settings({ installationID: 'blue' });
  const [found] = live(marked(settings({}))).objects.values();
  assert.ok(found !== undefined);
  assert.equal(markOf(found, installed), undefined);
  assert.deepEqual(said(compare([], live(found.object), { ...options, settings: installed })), ['Synced']);
  const rendered = [{ object: object(configMap('one')), source: 0 }];
  const wanted = targetsOf(rendered, {
    instance: 'shop',
    destinationNamespace: 'prod',
    namespaced: () => true,
    tracking: installed,
  });
  assert.deepEqual(said(compare(wanted, live(found.object), { ...options, settings: installed })), [
    'OutOfSync',
    ['one', 'OutOfSync', false],
  ]);
  assert.equal(wanted[0]?.object.metadata.annotations?.['argocd.argoproj.io/installation-id'], 'blue');
});

test('CRDs bear no mark', () => {
  const crd = target(
    '{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: a.b}}',
    'shop',
    false,
  );
  assert.equal(crd.object.metadata.annotations, undefined);
});

test('quantities of kinds that the settings tell the type of', () => {
  const yaml = (cpu: string): string =>
    `{apiVersion: x.io/v1, kind: X, metadata: {name: x, namespace: prod}, spec: {size: "${cpu}", wait: 60s}}`;
  const known = settings({
    'resource.customizations.knownTypeFields.x.io_X': '[{field: spec.size, type: core/Quantity}]',
  });
  const run = (more: Partial<CompareOptions>): string =>
    compare([target(yaml('0.5'))], live(applied(yaml('500m'))), { ...options, ...more }).status;
  assert.equal(run({}), 'OutOfSync');
  assert.equal(run({ settings: known }), 'Synced');
  const rollout = (cpu: string): string =>
    `{apiVersion: argoproj.io/v1alpha1, kind: Rollout, metadata: {name: x, namespace: prod}, spec: {template: {spec: {containers: [{name: a, resources: {limits: {cpu: ${cpu}}}}]}}}}`;
  assert.equal(compare([target(rollout('"1"'))], live(applied(rollout('1000m'))), options).status, 'Synced');
});

test('107: a sidecar that a webhook injects is no difference of a dry run, unless mutations count', () => {
  const now = owned(applied(`${scaled}2${pod}`), { 'argocd-controller': webOwned });
  const containers = [
    { name: 'web', image: 'nginx:1' },
    { name: 'injected', image: 'proxy' },
  ];
  const next = { ...now, spec: { replicas: 2, template: { spec: { containers } } } };
  const wanted = target(`${scaled}2${pod}`);
  const predicted = new Map([[printKey(wanted.key), { object: next }]]);
  const run = (more: Partial<CompareOptions>): string =>
    compare([wanted], live(now), { ...options, predicted, ...more }).status;
  assert.equal(run({}), 'Synced');
  assert.equal(run({ includeMutations: true }), 'OutOfSync');
  const other = { ...next, spec: { ...next.spec, replicas: 3 } };
  const changed = new Map([[printKey(wanted.key), { object: other }]]);
  assert.equal(run({ predicted: changed }), 'OutOfSync');
  assert.equal(
    run({
      predicted: changed,
      ignoreDifferences: [{ group: 'apps', kind: 'Deployment', jsonPointers: ['/spec/replicas'] }],
    }),
    'Synced',
  );
});

const webOwned: JsonObject = {
  'f:metadata': { 'f:annotations': { 'f:argocd.argoproj.io/tracking-id': {} } },
  'f:spec': {
    'f:replicas': {},
    'f:template': {
      'f:spec': { 'f:containers': { 'k:{"name":"web"}': { '.': {}, 'f:image': {}, 'f:name': {} } } },
    },
  },
};

test('108: a dry run that the API server refuses leaves the Application unknown', () => {
  const wanted = target(`${scaled}2${pod}`);
  const predicted = new Map([[printKey(wanted.key), { error: 'denied the request' }]]);
  const result = compare([wanted], live(applied(`${scaled}2${pod}`)), { ...options, predicted });
  assert.deepEqual([result.status, result.errors], ['Unknown', ['denied the request']]);
});

test('ignoreResourceUpdates leaves out what it names, so that its changes wake nobody', () => {
  const told = settings({ 'resource.customizations.ignoreResourceUpdates.ConfigMap': 'jsonPointers: [/data/a]' });
  const part = (data: string, version: string): unknown => {
    const [found] = live(withMeta(object(configMap('one', data)), { resourceVersion: version })).objects.values();
    assert.ok(found !== undefined);
    return relevanceOf(told)(found.object);
  };
  assert.deepEqual(part('a: "1"', '1'), part('a: "2"', '2'));
  assert.notDeepEqual(part('b: "1"', '1'), part('b: "2"', '2'));
});

test('whether the API server is asked: the Application says so, else the installation', () => {
  const app = (words: string): KubeObject =>
    object(`{apiVersion: v1, kind: A, metadata: {annotations: {argocd.argoproj.io/compare-options: "${words}"}}}`);
  assert.deepEqual(serverSideDiffOf(app('')), { enabled: false, includeMutations: false });
  assert.deepEqual(serverSideDiffOf(app('ServerSideDiff=true, IncludeMutationWebhook=true')), {
    enabled: true,
    includeMutations: true,
  });
  assert.equal(serverSideDiffOf(app('ServerSideDiff=false'), true).enabled, false);
  assert.equal(serverSideDiffOf(app(''), true).enabled, true);
});
