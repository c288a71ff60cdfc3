import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { equal, type Json, type JsonObject } from '../json/index.ts';
import {
  type Application,
  instanceName,
  isMultiSource,
  parseApplication,
  printApplication,
  printProblems,
  projectOf,
  qualifiedName,
  sourcesOf,
} from './index.ts';

const full: JsonObject = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'shop', namespace: 'team-a', labels: { a: 'b' }, somethingNew: { x: 1 } },
  spec: {
    project: 'team-a',
    source: {
      repoURL: 'https://g/r',
      path: 'deploy',
      targetRevision: 'main',
      tagPrefix: 'app-',
      helm: {
        valueFiles: ['v.yaml'],
        parameters: [{ name: 'a', value: 'b', forceString: true }],
        fileParameters: [{ name: 'a', path: 'b' }],
        valuesObject: { deep: { er: [1, null, { a: 'b' }] } },
        skipCrds: true,
        apiVersions: ['v1'],
        novelty: 1,
      },
      kustomize: {
        images: ['a=b:c'],
        replicas: [
          { name: 'x', count: 3 },
          { name: 'y', count: '4' },
        ],
        patches: [{ target: { kind: 'Deployment' }, patch: '[]', options: { allowNameChange: true } }],
        commonLabels: { a: 'b' },
      },
      directory: { recurse: true, jsonnet: { extVars: [{ name: 'a', value: 'b', code: true }], libs: ['x'] } },
      plugin: { name: 'p', env: [{ name: 'A', value: 'B' }], parameters: [{ name: 'x', array: [], map: {} }] },
    },
    destination: { server: 'https://x', namespace: 'n' },
    syncPolicy: {
      automated: { prune: true, selfHeal: false, allowEmpty: false, enabled: true },
      syncOptions: ['CreateNamespace=true'],
      retry: { limit: 5, backoff: { duration: '5s', factor: 2, maxDuration: '3m' }, refresh: true },
      managedNamespaceMetadata: { labels: { a: 'b' }, annotations: {} },
    },
    ignoreDifferences: [{ group: 'apps', kind: 'Deployment', jsonPointers: ['/spec/replicas'] }],
    info: [{ name: 'a', value: 'b' }],
    revisionHistoryLimit: 3,
    futureField: { kept: true },
  },
  operation: { sync: { revision: 'abc', syncStrategy: { hook: { force: true } } }, initiatedBy: { username: 'u' } },
  status: {
    sync: { status: 'Synced', revision: 'abc', comparedTo: { source: { repoURL: '' }, destination: {} } },
    health: { status: 'Healthy', lastTransitionTime: '2026-01-02T03:04:05Z' },
    history: [{ id: 0, revision: 'abc', deployedAt: '2026-01-02T03:04:05Z' }],
    conditions: [{ type: 'SyncError', message: 'm' }],
    resources: [{ kind: 'Pod', name: 'x', health: { status: 'Healthy' }, syncWave: -1 }],
    operationState: {
      operation: {},
      phase: 'Running',
      startedAt: '2026-01-02T03:04:05Z',
      syncResult: { revision: 'a' },
    },
    summary: { images: ['a'], externalURLs: [], isAppOfApps: false },
    reconciledAt: '2026-01-02T03:04:05Z',
    sourceType: 'Helm',
  },
};

const withSpec = (spec: Json): JsonObject => ({ ...full, spec, status: {} });

function parsed(json: Json): Application {
  const result = parseApplication(json);
  assert.ok(result.ok, result.ok ? '' : printProblems(result.problems));
  return result.value;
}

test('a whole Application is read without a copy: the parts are the JSON itself', () => {
  const app = parsed(full);
  assert.equal(app.spec, full['spec']);
  assert.equal(app.status, full['status']);
  assert.equal(app.operation, full['operation']);
  assert.equal(printApplication(app), full);
});

test('null counts as absent, an empty list stays an empty list', () => {
  const app = parsed(withSpec({ destination: {}, source: null, sources: [], syncPolicy: null, info: null }));
  assert.equal(app.spec.source, undefined);
  assert.deepEqual(app.spec.sources, []);
  assert.equal(Object.hasOwn(app.spec, 'syncPolicy'), false);
  assert.deepEqual(Object.keys(app.spec), ['destination', 'sources']);
});

test('an Application without a destination is read; what is missing is for the policy to say', () => {
  assert.deepEqual(parsed(withSpec({ project: 'p' })).spec.destination, {});
});

test('a field of the wrong type in the spec refuses the Application and names the place', () => {
  const rows: readonly [Json, string][] = [
    [{ project: 1 }, 'spec.project: must be a string, not a number'],
    [{ destination: 'x' }, 'spec.destination: must be an object, not a string'],
    [{ sources: {} }, 'spec.sources: must be a list, not an object'],
    [{ sources: [{ repoURL: 'a' }, 'b'] }, 'spec.sources[1]: must be an object, not a string'],
    [{ source: { helm: { values: [] } } }, 'spec.source.helm.values: must be a string, not a list'],
    [{ source: { repoURL: null, path: 7 } }, 'spec.source.path: must be a string, not a number'],
    [
      { syncPolicy: { automated: { prune: 'true' } } },
      'spec.syncPolicy.automated.prune: must be true or false, not a string',
    ],
    [{ revisionHistoryLimit: 1.5 }, 'spec.revisionHistoryLimit: must be an integer, not a number'],
    [
      { source: { kustomize: { commonLabels: { a: 1 } } } },
      'spec.source.kustomize.commonLabels.a: must be a string, not a number',
    ],
  ];
  for (const [spec, message] of rows) {
    const result = parseApplication(withSpec(spec));
    assert.ok(!result.ok, message);
    assert.equal(printProblems(result.problems), message);
  }
});

test('what is no Application is refused', () => {
  const rows: readonly [Json, RegExp][] = [
    [null, /must be an object of kind Application/],
    [[], /must be an object of kind Application/],
    [{ kind: 'AppProject' }, /kind: must be Application/],
    [{ kind: 'Application', apiVersion: 'v1' }, /apiVersion: must be argoproj.io/],
    [{ kind: 'Application', apiVersion: 'argoproj.io/v1alpha1' }, /metadata: must be an object/],
    [{ ...full, metadata: {} }, /metadata.name: is required/],
    [{ ...full, spec: null }, /spec: must be an object/],
  ];
  for (const [json, wanted] of rows) {
    const result = parseApplication(json);
    assert.ok(!result.ok);
    assert.match(printProblems(result.problems), wanted);
  }
});

test('forged status is left out part by part, with a warning, and still printed', () => {
  const status = { sync: { status: 3, revision: 'a' }, history: ['x', { id: 1 }], conditions: 'no', unknown: true };
  const result = parseApplication({ ...full, status });
  assert.ok(result.ok);
  assert.deepEqual(result.value.status, { sync: { revision: 'a' }, history: [{ id: 1 }], unknown: true });
  assert.deepEqual(
    result.warnings?.map(({ path }) => path),
    ['status.sync.status', 'status.history[0]', 'status.conditions'],
  );
  assert.deepEqual(printApplication(result.value)['status'], status);
});

test('an operation that cannot be read whole is none: half of one could prune what was not asked for', () => {
  const result = parseApplication({ ...full, operation: { sync: { prune: 'yes', revision: 'a' } } });
  assert.ok(result.ok);
  assert.equal(result.value.operation, undefined);
  assert.equal(result.warnings?.[0]?.path, 'operation.sync.prune');
});

test('names: bare in the control plane, with the namespace elsewhere', () => {
  const app = parsed(full);
  assert.equal(qualifiedName(app, 'argocd'), 'team-a/shop');
  assert.equal(instanceName(app, 'argocd'), 'team-a_shop');
  assert.equal(qualifiedName(app, 'team-a'), 'shop');
  assert.equal(instanceName(app, 'team-a'), 'shop');
  const homeless = parsed({ ...full, metadata: { name: 'shop' } });
  assert.equal(qualifiedName(homeless, 'argocd'), 'shop');
});

test('an empty project means default', () => {
  for (const project of ['', null, undefined]) {
    const spec = project === undefined ? { destination: {} } : { destination: {}, project };
    assert.equal(projectOf(parsed(withSpec(spec))), 'default');
  }
  assert.equal(projectOf(parsed(full)), 'team-a');
});

test('sources: the hydrator wins over the list, the list over the single one', () => {
  const source = { repoURL: 'https://g/one' };
  const sources = [{ repoURL: 'https://g/two' }];
  const hydrator = { drySource: { repoURL: 'https://g/dry' }, syncSource: { targetBranch: 'env', path: 'x' } };
  const urls = (spec: Json): readonly string[] => sourcesOf(parsed(withSpec(spec))).map(({ repoURL }) => repoURL);
  assert.deepEqual(urls({ source }), ['https://g/one']);
  assert.deepEqual(urls({ source, sources }), ['https://g/two']);
  assert.deepEqual(urls({ source, sources: [] }), ['https://g/one']);
  assert.deepEqual(urls({ source, sources, sourceHydrator: hydrator }), ['https://g/dry']);
  assert.deepEqual(urls({}), []);
  const own = { ...hydrator, syncSource: { targetBranch: 'env', path: 'x', repoURL: 'https://g/wet' } };
  assert.deepEqual(urls({ sourceHydrator: own }), ['https://g/wet']);
  assert.equal(isMultiSource(parsed(withSpec({ sources }))), true);
  assert.equal(isMultiSource(parsed(withSpec({ source }))), false);
});

test('keys that name a prototype are data', () => {
  const json = JSON.parse(
    '{"apiVersion":"argoproj.io/v1alpha1","kind":"Application","metadata":{"name":"x","labels":{"__proto__":"l"}},' +
      '"spec":{"destination":{},"__proto__":{"project":"stolen"},"source":{"repoURL":"u","helm":null,"__proto__":{"path":"/"}}}}',
  ) as Json;
  const app = parsed(json);
  assert.equal(projectOf(app), 'default');
  assert.equal(app.spec.source?.path, undefined);
  assert.ok(Object.hasOwn(app.spec.source ?? {}, '__proto__'), 'kept as data although a field beside it was left out');
  assert.equal(({} as { project?: string }).project, undefined);
});

test('an object that is wrong everywhere is answered in a few lines', () => {
  const result = parseApplication(withSpec({ info: Array.from({ length: 10_000 }, () => 1) }));
  assert.ok(!result.ok);
  assert.equal(result.problems.length, 20);
  const long = parseApplication(withSpec({ sources: Array.from({ length: 20_001 }, () => ({})) }));
  assert.ok(!long.ok);
  assert.match(printProblems(long.problems), /has 20001 items, more than 20000/);
});

const json = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);

test('parsing then printing keeps every field, whatever it is', () => {
  const parts = fc.record(
    { spec: fc.dictionary(fc.string(), json), status: json, operation: json, more: json },
    { requiredKeys: ['spec'] },
  );
  fc.assert(
    fc.property(parts, (each) => {
      const object = { ...full, ...each } as JsonObject;
      const result = parseApplication(object);
      if (result.ok) assert.ok(equal(printApplication(result.value), object));
    }),
  );
});

test('unknown fields beside known ones survive in the value, too', () => {
  const known = new Set(Object.keys(full['spec'] as JsonObject));
  const key = fc.string().filter((each) => !known.has(each) && each !== 'sources' && each !== 'sourceHydrator');
  fc.assert(
    fc.property(fc.dictionary(key, json), (extra) => {
      const spec = { ...(full['spec'] as JsonObject), ...extra };
      assert.ok(equal(parsed(withSpec(spec)).spec as unknown as Json, spec));
    }),
  );
});

test('no JSON makes the parser throw', () => {
  fc.assert(
    fc.property(json, json, (a, b) => {
      parseApplication(a);
      parseApplication({ ...full, spec: a, status: b, operation: a, metadata: b });
    }),
  );
});
