import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { equal, type Json, type JsonObject } from '../json/index.ts';
import { type AppProject, parseAppProject, printAppProject, printProblems } from './index.ts';

const object = (spec: Json, more: JsonObject = {}): JsonObject => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AppProject',
  metadata: { name: 'team-a', namespace: 'argocd' },
  spec,
  ...more,
});

function parsed(spec: Json, more: JsonObject = {}): AppProject {
  const result = parseAppProject(object(spec, more));
  assert.ok(result.ok, result.ok ? '' : printProblems(result.problems));
  return result.value;
}

const full: JsonObject = {
  description: 'd',
  sourceRepos: ['*', '!https://g/x'],
  destinations: [{ server: '*', namespace: '!kube-system' }, { name: 'prod' }, {}],
  sourceNamespaces: ['team-*', '/^a$/'],
  clusterResourceWhitelist: [{ group: '', kind: 'Namespace', name: 'x-*' }],
  clusterResourceBlacklist: [],
  namespaceResourceWhitelist: [],
  namespaceResourceBlacklist: [{ group: '*', kind: '*' }],
  orphanedResources: { warn: true, ignore: [{ kind: 'X' }] },
  roles: [{ name: 'r', policies: ['p'], groups: ['g'], jwtTokens: [{ iat: 1, exp: 2, id: 'i' }] }],
  syncWindows: [{ kind: 'deny', schedule: '* * * * *', duration: '1h', clusters: ['*'], andOperator: true }],
  signatureKeys: [{ keyID: 'A' }],
  sourceIntegrity: { git: { policies: [{ repos: [{ url: '*' }], gpg: { mode: 'head', keys: ['A'] } }] } },
  permitOnlyProjectScopedClusters: true,
  destinationServiceAccounts: [{ server: '*', namespace: '', defaultServiceAccount: 'x' }],
  quota: { applications: 10, clusters: 0 },
  novelty: [1],
};

test('every field of a project is read, and the spec is the JSON itself', () => {
  assert.equal(parsed(full).spec, full);
});

test('an absent whitelist, a null one and an empty one are told apart', () => {
  assert.equal(parsed({}).spec.namespaceResourceWhitelist, undefined);
  assert.equal(parsed({ namespaceResourceWhitelist: null }).spec.namespaceResourceWhitelist, undefined);
  assert.deepEqual(parsed({ namespaceResourceWhitelist: [] }).spec.namespaceResourceWhitelist, []);
  assert.deepEqual(printAppProject(parsed({ namespaceResourceWhitelist: [] }))['spec'], {
    namespaceResourceWhitelist: [],
  });
});

test('one unreadable field refuses the whole project: without it, more could be permitted', () => {
  const rows: readonly [Json, string][] = [
    [{ destinations: ['*'] }, 'spec.destinations[0]: must be an object, not a string'],
    [{ sourceRepos: '*' }, 'spec.sourceRepos: must be a list, not a string'],
    [
      { namespaceResourceBlacklist: [{ group: 1, kind: 'X' }] },
      'spec.namespaceResourceBlacklist[0].group: must be a string, not a number',
    ],
    [{ namespaceResourceWhitelist: {} }, 'spec.namespaceResourceWhitelist: must be a list, not an object'],
    [
      { permitOnlyProjectScopedClusters: 'true' },
      'spec.permitOnlyProjectScopedClusters: must be true or false, not a string',
    ],
    [{ quota: { applications: -1 } }, 'spec.quota.applications: must not be negative'],
    [{ quota: { clusters: 'many' } }, 'spec.quota.clusters: must be an integer, not a string'],
    [{ syncWindows: [{ manualSync: 1 }] }, 'spec.syncWindows[0].manualSync: must be true or false, not a number'],
    [{ destinationServiceAccounts: [null] }, 'spec.destinationServiceAccounts[0]: must be an object, not null'],
  ];
  for (const [spec, message] of rows) {
    const result = parseAppProject(object(spec));
    assert.ok(!result.ok, message);
    assert.equal(printProblems(result.problems), message);
  }
});

test('patterns that make no sense are kept: whoever matches with them must be strict', () => {
  const spec = { sourceRepos: ['[', '!*'], destinations: [{ server: '{' }], sourceNamespaces: ['/(/'] };
  assert.equal(parsed(spec).spec, spec);
});

test('entries without group or kind match only what is empty, so they become empty texts', () => {
  assert.deepEqual(parsed({ clusterResourceWhitelist: [{ kind: 'X' }] }).spec.clusterResourceWhitelist, [
    { group: '', kind: 'X' },
  ]);
});

test('status is read with warnings, tokens and conditions apart', () => {
  const status = { jwtTokensByRole: { r: { items: [{ iat: 1 }] } }, conditions: [{ type: 'T', message: 'm' }, 7] };
  const result = parseAppProject(object({}, { status }));
  assert.ok(result.ok);
  assert.deepEqual(result.value.status?.conditions, [{ type: 'T', message: 'm' }]);
  assert.deepEqual(
    result.warnings?.map(({ path }) => path),
    ['status.conditions[1]'],
  );
  const odd = parseAppProject(object({}, { status: 'x' }));
  assert.ok(odd.ok);
  assert.equal(odd.value.status, undefined);
});

test('a project without a spec permits nothing and is still a project', () => {
  const result = parseAppProject({ apiVersion: 'argoproj.io/v1alpha1', kind: 'AppProject', metadata: { name: 'x' } });
  assert.ok(result.ok);
  assert.deepEqual(result.value.spec, {});
});

test('parsing then printing keeps every field, whatever it is', () => {
  const json = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);
  fc.assert(
    fc.property(fc.dictionary(fc.string(), json), json, (spec, status) => {
      const whole = object({ ...full, ...spec }, { status });
      const result = parseAppProject(whole);
      if (result.ok) assert.ok(equal(printAppProject(result.value), whole));
    }),
  );
});
