import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '../json/index.ts';
import {
  admitApplication,
  assembleSnapshot,
  explainAdmission,
  explainIdentity,
  FactList,
  permitsObject,
  type Subject,
} from './index.ts';

// Small alphabets, so that rules and questions meet often.
const name = fc.constantFrom('a', 'b', 'prod', '');
const server = fc.constantFrom('https://a', 'https://b', 'https://kubernetes.default.svc');
const namespace = fc.constantFrom('x', 'y', 'kube-system');
const pattern = (texts: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof(
    { arbitrary: texts, weight: 3 },
    { arbitrary: fc.constantFrom('*', '*s*', '[', 'h*', 'x*', '?'), weight: 2 },
  );
const deniable = (texts: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(fc.constantFrom('', '', '', '!'), pattern(texts)).map(([mark, text]) => mark + text);
const destination = fc.record(
  { server: deniable(server), name: deniable(name), namespace: deniable(namespace) },
  { requiredKeys: ['namespace'] },
);
const repo = fc.constantFrom('https://g/x', 'https://g/y', 'https://h/x');
const source = deniable(fc.oneof(repo, fc.constantFrom('https://g/*', 'https://g/**')));
const kind = fc.record({
  group: fc.constantFrom('', 'apps', '*'),
  kind: fc.constantFrom('Secret', 'Deployment', '*', '['),
});
const account = fc.record({
  server: pattern(server),
  namespace: pattern(namespace),
  defaultServiceAccount: fc.constantFrom('deployer', 'ops:deployer', 'b*d'),
});

const spec = fc.record(
  {
    sourceNamespaces: fc.subarray(['team-a', 'team-b', 'team-*']),
    sourceRepos: fc.array(source, { maxLength: 4 }),
    destinations: fc.array(destination, { maxLength: 4 }),
    namespaceResourceWhitelist: fc.array(kind, { maxLength: 3 }),
    namespaceResourceBlacklist: fc.array(kind, { maxLength: 2 }),
    clusterResourceWhitelist: fc.array(kind, { maxLength: 2 }),
    destinationServiceAccounts: fc.array(account, { maxLength: 3 }),
    permitOnlyProjectScopedClusters: fc.boolean(),
  },
  { requiredKeys: ['sourceNamespaces', 'sourceRepos', 'destinations'] },
);
type Spec = Record<string, unknown>;

const question = fc.record({
  namespace: fc.constantFrom('argocd', 'team-a', 'team-b'),
  repo,
  by: fc.constantFrom('server', 'name'),
  server,
  name: fc.constantFrom('a', 'b', 'prod', 'in-cluster'),
  destination: fc.oneof(namespace, fc.constant('')),
});
type Question = typeof question extends fc.Arbitrary<infer T> ? T : never;

const object = fc.record({
  group: fc.constantFrom('', 'apps'),
  kind: fc.constantFrom('Secret', 'Deployment', 'Namespace'),
  name: fc.constantFrom('one', 'two'),
  namespace,
  namespaced: fc.constantFrom(true, true, false, undefined),
});

function projectOf(spec_: Spec, name_ = 'p'): JsonObject {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name: name_, namespace: 'argocd' },
    spec: spec_ as JsonObject,
  };
}

function applicationOf(asked: Question, project = 'p'): JsonObject {
  const where = asked.by === 'server' ? { server: asked.server } : { name: asked.name };
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'app', namespace: asked.namespace },
    spec: {
      project,
      source: { repoURL: asked.repo, path: '.' },
      destination: asked.destination === '' ? where : { ...where, namespace: asked.destination },
    },
  };
}

function clusterOf(secret: string, namespace_: string, data: Record<string, string>): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: secret, namespace: namespace_, labels: { 'argocd.argoproj.io/secret-type': 'cluster' } },
    stringData: { config: '{"bearerToken":"t"}', ...data },
  };
}

const clusters = [
  clusterOf('a', 'argocd', { name: 'a', server: 'https://a' }),
  clusterOf('b', 'argocd', { name: 'prod', server: 'https://b', project: 'p' }),
];

/** Everything that is said about an Application and one object of it, as one text. */
function outcome(objects: readonly JsonObject[], key: string, subject: Subject): string {
  const { snapshot, applications } = assembleSnapshot([...objects, ...clusters], {
    controlPlane: 'argocd',
    appNamespaces: ['team-a', 'team-b'],
    impersonation: true,
  });
  const app = applications.get(key);
  assert.ok(app);
  const admission = admitApplication(snapshot, app);
  if (!admission.ok) return `denied ${admission.refusals.map(({ message }) => message).join('; ')}`;
  const verdict = permitsObject({ ...admission, applicationNamespace: app.metadata.namespace ?? '' }, subject);
  const { cluster, identity, warnings } = admission;
  return JSON.stringify({ cluster: [cluster.namespace, cluster.secret], identity, warnings, verdict });
}

const permitted = (text: string): boolean => !text.startsWith('denied');
const runs = { numRuns: 600 };

test('adding a deny never permits more', () => {
  const deny = fc.oneof(
    destination
      .filter((entry) => Object.values(entry).some((text) => text.startsWith('!')))
      .map((entry) => ['destinations', entry] as const),
    source.filter((entry) => entry.startsWith('!')).map((entry) => ['sourceRepos', entry] as const),
    kind.map((entry) => ['namespaceResourceBlacklist', entry] as const),
  );
  fc.assert(
    fc.property(spec, deny, question, object, (rules, [list, entry], asked, subject) => {
      const key = `${asked.namespace}/app`;
      const before = outcome([projectOf(rules), applicationOf(asked)], key, subject);
      const more = { ...rules, [list]: [...(((rules as Spec)[list] as unknown[] | undefined) ?? []), entry] };
      const after = outcome([projectOf(more), applicationOf(asked)], key, subject);
      if (permitted(after)) assert.ok(permitted(before), `${before} became ${after}`);
      if (permitted(before) && permitted(after) && after.includes('"verdict":{"answer":"allowed"')) {
        assert.ok(before.includes('"verdict":{"answer":"allowed"'));
      }
    }),
    runs,
  );
});

test('the order of entries does not matter where the first match does not decide', () => {
  fc.assert(
    fc.property(spec, question, object, (rules, asked, subject) => {
      const reversed = Object.fromEntries(
        Object.entries(rules as Spec).map(([list, entries]) => [
          list,
          Array.isArray(entries) && list !== 'destinationServiceAccounts' ? [...entries].reverse() : entries,
        ]),
      );
      const key = `${asked.namespace}/app`;
      assert.equal(
        outcome([projectOf(reversed), applicationOf(asked)], key, subject),
        outcome([projectOf(rules), applicationOf(asked)], key, subject),
      );
    }),
    runs,
  );
});

test('what one tenant writes never changes what another is told', () => {
  const secret = fc.record({
    name,
    server,
    project: fc.constantFrom('p', 'q', 'nowhere', ''),
    namespaces: fc.constantFrom('', 'x', 'kube-system'),
  });
  fc.assert(
    fc.property(
      spec,
      spec,
      question,
      object,
      fc.array(secret, { maxLength: 4 }),
      (mine, theirs, asked, subject, secrets) => {
        const b: Question = { ...asked, namespace: 'team-b' as const };
        const base = [projectOf(mine), projectOf(theirs, 'q'), applicationOf(b)];
        const ofA = [
          ...secrets.map((data, i) => clusterOf(`s${i}`, 'team-a', data)),
          { ...applicationOf({ ...asked, namespace: 'team-a' }, 'q') },
          { ...projectOf(theirs), metadata: { name: 'p', namespace: 'team-a' } },
        ];
        assert.equal(outcome([...base, ...ofA], 'team-b/app', subject), outcome(base, 'team-b/app', subject));
      },
    ),
    runs,
  );
});

test('why and the decision never disagree, before and after the answer is remembered', () => {
  fc.assert(
    fc.property(spec, question, object, (rules, asked, subject) => {
      const { snapshot, applications } = assembleSnapshot([projectOf(rules), applicationOf(asked), ...clusters], {
        controlPlane: 'argocd',
        appNamespaces: ['team-a', 'team-b'],
        impersonation: true,
      });
      const app = applications.get(`${asked.namespace}/app`);
      assert.ok(app);
      const why = explainAdmission(snapshot, app, subject);
      const admission = admitApplication(snapshot, app);
      const again = admitApplication(snapshot, app);
      assert.deepEqual(again, admission);
      if (!admission.ok) {
        assert.deepEqual(why.refusals, admission.refusals);
        assert.notEqual(why.deciding, undefined, why.message);
        return;
      }
      const place = { ...admission, applicationNamespace: asked.namespace };
      const verdict = permitsObject(place, subject);
      assert.deepEqual(permitsObject(place, subject, new FactList()), verdict);
      assert.equal(why.verdict, verdict.answer);
      assert.notEqual(why.deciding, undefined);
      const who = explainIdentity(snapshot, app);
      assert.equal(who.verdict === 'allowed', admission.identity.ok);
    }),
    runs,
  );
});

test('an identity is never empty and never of a namespace the project did not mean', () => {
  fc.assert(
    fc.property(spec, question, (rules, asked) => {
      const { snapshot, applications } = assembleSnapshot([projectOf(rules), applicationOf(asked), ...clusters], {
        controlPlane: 'argocd',
        appNamespaces: ['team-a', 'team-b'],
        impersonation: true,
      });
      const app = applications.get(`${asked.namespace}/app`);
      assert.ok(app);
      const admission = admitApplication(snapshot, app);
      if (!admission.ok || !admission.identity.ok) return;
      const { identity } = admission.identity;
      assert.equal(identity.as, 'impersonate');
      if (identity.as !== 'impersonate') return;
      const home = asked.destination === '' ? asked.namespace : asked.destination;
      assert.ok(
        [
          `system:serviceaccount:${home}:deployer`,
          `system:serviceaccount:${home}:default`,
          'system:serviceaccount:ops:deployer',
        ].includes(identity.user),
      );
    }),
    runs,
  );
});
