import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestRepository, type TestRepository } from '../support/git-repository.ts';
import { conditionsOf, isSynced, type Stage, until, untilApp } from '../support/story.ts';
import { attack, configMap, openThreat, openWatchedStage, type Threat } from '../support/threat.ts';

// Objects that are nested thousands of levels deep, which an API server stores and a careless reader dies of.

let stage: Stage;
let threat: Threat;
let repository: TestRepository;

const levels = 1500;
/** `{"a": {"a": … "end"}}`, as the tenant sends it. */
const nested = (): object => {
  let value: object = { a: 'end' };
  for (let level = 0; level < levels; level++) value = { a: value };
  return value;
};

before(async () => {
  stage = await openWatchedStage();
  repository = createTestRepository({
    'b/map.yaml': configMap('map'),
    'b/gear.yaml': 'apiVersion: rvd.argosy.test/v1\nkind: Workflow\nmetadata: {name: good}\nspec: {size: 1}\n',
  });
  threat = await openThreat(stage, 'rvd', `${definition}${rights('a')}${rights('b')}`);
});

after(async () => {
  await stage?.cluster.kubectl(['delete', 'crd', 'workflows.rvd.argosy.test', '--ignore-not-found']);
  await threat?.close();
  await stage?.stop();
  repository?.remove();
});

test('an Application nested without measure is refused by itself, and keeps nobody else from being read', async () => {
  await threat.tenant.apply(attack(threat, 'deep', `repoURL: '${repository.url}', path: b`));
  await threat.tenant.patch('Application', 'rvd-a', 'deep', { spec: { source: { helm: { valuesObject: nested() } } } });
  await stage.apply(
    attack({ name: 'rvd' }, 'fine', `repoURL: '${repository.url}', path: b`, { project: 'rvd-b', namespace: 'rvd-b' })
      .replace('namespace: rvd-a', 'namespace: rvd-b')
      .replace('automated: {}', 'automated: {selfHeal: true}'),
  );
  await stage.start({ controlPlane: 'rvd-argocd', appNamespaces: ['rvd-*'] });
  await untilApp(stage, 'rvd-b', 'fine', isSynced);
  const deep = await threat.seen('deep', (app) => conditionsOf(app).length > 0);
  assert.match(conditionsOf(deep).join(), /^InvalidSpecError: spec/);
});

test('an object nested without measure, under whatever mark, makes its kind unknown to nobody', async () => {
  const { connection } = threat.tenant;
  const { resources } = await connection.discover({ fresh: true });
  const kind = resources.find(({ group }) => group === 'rvd.argosy.test');
  assert.ok(kind);
  await connection.create(kind, {
    apiVersion: 'rvd.argosy.test/v1',
    kind: 'Workflow',
    metadata: {
      name: 'deep',
      namespace: 'rvd-a',
      annotations: { 'argocd.argoproj.io/tracking-id': 'rvd-a_deep:rvd.argosy.test/Workflow:rvd-a/deep' },
    },
    spec: nested(),
  });
  // It is still followed by its watch, and a controller that starts now reads it in a list.
  for (const start of [false, true]) {
    if (start) await stage.start({ controlPlane: 'rvd-argocd', appNamespaces: ['rvd-*'] });
    await stage.patch('Workflow', 'rvd-b', 'good', { spec: { size: start ? 3 : 2 } });
    // What somebody changes is put back: the kind is seen, by its watch and by a new list.
    await until(
      () => stage.get('Workflow', 'rvd-b', 'good'),
      (good) => JSON.stringify(good?.['spec']) === '{"size":1}',
      60_000,
    );
    assert.deepEqual(conditionsOf(await untilApp(stage, 'rvd-b', 'fine', isSynced)), []);
  }
});

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: workflows.rvd.argosy.test}
spec:
  group: rvd.argosy.test
  scope: Namespaced
  names: {kind: Workflow, plural: workflows, singular: workflow}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]
---
`;

function rights(part: string): string {
  return `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: workflows, namespace: rvd-${part}}
rules: [{apiGroups: [rvd.argosy.test], resources: ['*'], verbs: ['*']}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: workflows, namespace: rvd-${part}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: workflows}
subjects:
- {kind: ServiceAccount, name: deployer, namespace: rvd-${part}}
- {kind: ServiceAccount, name: tenant, namespace: rvd-${part}}
---
`;
}
