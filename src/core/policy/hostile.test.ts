import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../json/index.ts';
import { admitApplication, assembleSnapshot, explainAdmission, factLimit, permitsObject } from './index.ts';

const local = 'https://kubernetes.default.svc';

function project(spec: JsonObject): JsonObject {
  return { apiVersion: 'argoproj.io/v1alpha1', kind: 'AppProject', metadata: { name: 'p', namespace: 'argocd' }, spec };
}

function app(more: { readonly metadata?: JsonObject; readonly spec?: JsonObject } = {}): JsonObject {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'app', namespace: 'argocd', ...more.metadata },
    spec: {
      project: 'p',
      source: { repoURL: 'https://g/x', path: '.' },
      destination: { server: local, namespace: 'x' },
      ...more.spec,
    },
  };
}

const open: JsonObject = { sourceRepos: ['*'], destinations: [{ server: '*', namespace: '*' }] };

function ask(objects: readonly JsonObject[]): ReturnType<typeof explainAdmission> {
  const { snapshot, applications } = assembleSnapshot(objects, { controlPlane: 'argocd' });
  const found = applications.get('argocd/app');
  assert.ok(found);
  return explainAdmission(snapshot, found);
}

test('a pattern of a kilobyte that would explode is matched in bounded work', () => {
  const glob = `${'*a'.repeat(500)}b`;
  const rules = {
    ...open,
    destinations: [
      { server: '*', namespace: glob },
      { server: glob, namespace: '*' },
    ],
  };
  assert.equal(
    ask([project(rules), app({ spec: { destination: { server: local, namespace: 'a'.repeat(63) } } })]).verdict,
    'denied',
  );
});

test('a pattern beyond a kilobyte permits nothing, and denies everything as a deny', () => {
  const long = 'a'.repeat(2000);
  assert.equal(
    ask([project({ ...open, destinations: [{ server: '*', namespace: `${long}*` }] }), app()]).verdict,
    'denied',
  );
  assert.equal(ask([project({ ...open, sourceRepos: ['*', `!https://g/${long}*`] }), app()]).verdict, 'denied');
});

test('thousands of entries leave a bounded chain of facts, the deciding one in it', () => {
  const destinations = Array.from({ length: 5000 }, (_, i) => ({ server: '*', namespace: `other-${i}` }));
  const why = ask([project({ ...open, destinations }), app()]);
  assert.equal(why.verdict, 'denied');
  assert.ok(why.facts.length <= factLimit + 10);
  assert.ok(why.dropped > 4000);
  assert.equal(why.facts[why.deciding ?? -1]?.field, 'spec.destinations');
});

test('names made of prototype keys are names', () => {
  const proto = JSON.parse('{"__proto__": "x", "constructor": "y"}') as JsonObject;
  const why = ask([
    { ...project(open), metadata: { name: 'p', namespace: 'argocd', labels: proto } },
    app({ metadata: { annotations: proto, labels: proto } }),
  ]);
  assert.equal(why.verdict, 'allowed');
});

test('a megabyte of annotation costs nothing', () => {
  assert.equal(ask([project(open), app({ metadata: { annotations: { x: 'y'.repeat(1 << 20) } } })]).verdict, 'allowed');
});

test('foreign text in a sentence is cut and its control characters are escaped', () => {
  const repoURL = `https://g/\u001b[31m\r\n\u202e${'x'.repeat(3000)}`;
  const why = ask([
    project({ ...open, sourceRepos: ['https://h/*'] }),
    app({ spec: { source: { repoURL, path: '.' } } }),
  ]);
  assert.equal(why.verdict, 'denied');
  assert.ok(why.message.length < 400);
  for (const text of [why.message, ...why.facts.map(({ compared }) => compared)])
    assert.doesNotMatch(text, /[\p{Cc}\u202e]/u);
});

test('a memory of answers stays bounded however many names are tried', () => {
  const { snapshot, applications } = assembleSnapshot([project(open), app()], { controlPlane: 'argocd' });
  const found = applications.get('argocd/app');
  assert.ok(found);
  const admission = admitApplication(snapshot, found);
  assert.ok(admission.ok);
  const place = { ...admission, applicationNamespace: 'argocd' };
  for (let i = 0; i < 50_000; i++) {
    permitsObject(place, { group: `g${i}`, kind: `K${i}`, name: 'x', namespace: `n${i}`, namespaced: true });
  }
  assert.equal(
    permitsObject(place, { group: '', kind: 'ConfigMap', name: 'x', namespace: 'n1', namespaced: true }).answer,
    'allowed',
  );
});

test('a project that cannot be read permits nothing, and one that inherits from it neither', () => {
  const broken = { ...project({ ...open, destinations: 'everywhere' }) };
  const why = ask([broken, app()]);
  assert.equal(why.message, 'Application referencing project p which is invalid');
  const globals = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'argocd-cm', namespace: 'argocd' },
    data: { globalProjects: '[{projectName: g, labelSelector: {}}]' },
  };
  const global = { ...project({ destinations: 'x' }), metadata: { name: 'g', namespace: 'argocd' } };
  assert.equal(
    ask([globals, global, project(open), app()]).message,
    'project p inherits from project g which is invalid',
  );
});

test('where Secrets could not be read the cluster is unknown, not the next best one', () => {
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's', namespace: 'argocd', labels: { 'argocd.argoproj.io/secret-type': 'cluster' } },
    stringData: { name: 's', server: 'https://s' },
  };
  const tenant = app({
    metadata: { namespace: 'team-a' },
    spec: { destination: { server: 'https://s', namespace: 'x' } },
  });
  const rules = project({ ...open, sourceNamespaces: ['team-a'] });
  const installation = { controlPlane: 'argocd', appNamespaces: ['team-a'] };
  for (const where of ['team-a', '', 'argocd']) {
    const { snapshot, applications } = assembleSnapshot(
      [secret, rules, tenant],
      installation,
      new Map([[where, 'forbidden']]),
    );
    const found = applications.get('team-a/app');
    assert.ok(found);
    assert.equal(explainAdmission(snapshot, found).verdict, 'unknown');
  }
});
