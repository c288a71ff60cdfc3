import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type AppProject,
  type ClusterSecret,
  Hidden,
  implicitCluster,
  parseAppProject,
  readSettings,
} from '../core/api/index.ts';
import type { JsonObject } from '../core/json/index.ts';
import { type AcceptanceInputs, acceptClusters } from '../core/policy/index.ts';
import { Acceptances } from './acceptances.ts';

const settings = readSettings(new Map()).value;
const withGlobals = readSettings(new Map([['globalProjects', '- projectName: p0']])).value;

function project(name: string, spec: JsonObject): AppProject {
  const parsed = parseAppProject({ apiVersion: 'argoproj.io/v1alpha1', kind: 'AppProject', metadata: { name }, spec });
  assert.ok(parsed.ok);
  return parsed.value;
}

const secret = (namespace: string, name: string, scope: string, age: number): ClusterSecret => ({
  ...implicitCluster(namespace),
  secret: name,
  uid: `${namespace}/${name}`,
  creationTimestamp: `2026-01-02T03:04:${String(age).padStart(2, '0')}Z`,
  server: 'https://x.example.com',
  project: scope,
  clusterResources: age % 3 === 0,
  config: { bearerToken: new Hidden('t') },
  keys: age % 7 === 0 ? ['server', 'odd'] : ['server'],
});

interface World {
  projects: Map<string, AppProject>;
  secrets: readonly ClusterSecret[];
  inputs: Omit<AcceptanceInputs, 'projects'>;
}

const index = fc.nat(2);
type Step = (world: World) => void;
const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(index, index, fc.option(fc.nat(3)), fc.boolean()).map(([p, n, quota, wide]) => (world: World) => {
    const spec = {
      sourceNamespaces: wide ? ['*'] : [`t${n}`],
      ...(quota === null ? {} : { quota: { clusters: quota } }),
      ...(wide ? { clusterResourceWhitelist: [{ group: '*', kind: '*' }] } : {}),
    };
    world.projects = new Map(world.projects).set(`p${p}`, project(`p${p}`, spec));
  }),
  index.map((p) => (world: World) => {
    const projects = new Map(world.projects);
    projects.delete(`p${p}`);
    world.projects = projects;
  }),
  fc
    .tuple(fc.constantFrom('argocd', 't0', 't1', 't2'), fc.nat(5), index, fc.nat(59))
    .map(([n, c, p, age]) => (world: World) => {
      const rest = world.secrets.filter((each) => each.namespace !== n || each.secret !== `c${c}`);
      world.secrets = [...rest, secret(n, `c${c}`, `p${p}`, age)];
    }),
  fc.tuple(fc.constantFrom('t0', 't1'), fc.nat(5)).map(([n, c]) => (world: World) => {
    world.secrets = world.secrets.filter((each) => each.namespace !== n || each.secret !== `c${c}`);
  }),
  fc.constantFrom(['t*'], ['t0'], []).map((appNamespaces) => (world: World) => {
    world.inputs = { ...world.inputs, appNamespaces, tenantClusters: appNamespaces.length > 0 };
  }),
  fc.constantFrom(settings, withGlobals).map((each) => (world: World) => {
    world.inputs = { ...world.inputs, settings: each };
  }),
);

test('whatever changes in whatever order, the kept answers are those the policy gives afresh', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(steps, fc.nat(20)), { maxLength: 30 }), (changes) => {
      const kept = new Acceptances();
      const world: World = {
        projects: new Map(),
        secrets: [],
        inputs: { controlPlane: 'argocd', appNamespaces: ['t*'], tenantClusters: true, settings },
      };
      for (const [change, taken] of changes) {
        change(world);
        const inputs = { ...world.inputs, projects: world.projects };
        // Judged ahead as a whole, in part or not at all: no answer depends on it.
        const ahead = kept.ahead(inputs, world.secrets);
        for (let i = 0; i < taken; i++) ahead.next();
        const wanted = acceptClusters(inputs, world.secrets).map(({ uid, tenant, acceptance }) => [
          uid,
          tenant,
          acceptance,
        ]);
        const answered = kept
          .accept(inputs, world.secrets)
          .map(({ uid, tenant, acceptance }) => [uid, tenant, acceptance]);
        assert.deepEqual(answered, wanted);
      }
    }),
    { numRuns: 300 },
  );
});

test('where nothing changed the list is the same one', () => {
  const kept = new Acceptances();
  const secrets = [secret('t0', 'a', 'p0', 1)];
  const inputs = { controlPlane: 'argocd', appNamespaces: ['t0'], tenantClusters: true, settings, projects: new Map() };
  const first = kept.accept(inputs, secrets);
  assert.equal(kept.accept({ ...inputs, projects: new Map([['other', project('other', {})]]) }, secrets), first);
  assert.notEqual(kept.accept({ ...inputs, projects: new Map([['p0', project('p0', {})]]) }, secrets), first);
});

test('one new Secret among thousands is the only one that is judged', () => {
  const kept = new Acceptances();
  const projects = new Map([['p0', project('p0', { sourceNamespaces: ['t0'] })]]);
  const inputs = { controlPlane: 'argocd', appNamespaces: ['t0'], tenantClusters: true, settings, projects };
  const many = Array.from({ length: 5000 }, (_, i) => secret('t0', `c${i}`, 'p0', 1));
  assert.equal([...kept.ahead(inputs, many)].length, 5000);
  kept.accept(inputs, many);
  const more = [...many, secret('t0', 'new', 'p0', 1)];
  assert.equal([...kept.ahead({ ...inputs }, more)].length, 1);
  assert.equal(kept.accept({ ...inputs }, more).length, 5001);
});
