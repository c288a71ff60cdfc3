import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { operationOf } from '../support/attempts.ts';
import { createTestRepository, type TestRepository } from '../support/git-repository.ts';
import type { AuditEvent } from '../support/real-audit.ts';
import { isOver, isSynced, type Stage, until } from '../support/story.ts';
import { attack, conditionText, configMap, openThreat, openWatchedStage, type Threat } from '../support/threat.ts';

// What a tenant tries with the identity it deploys as. The controller runs with a right to read, to write Applications
// and Events, and to impersonate some accounts: whatever else it does shows in the audit log.

let stage: Stage;
let threat: Threat;
let repository: TestRepository;

const accounts = ['deployer', 'ghost', 'weak', 'narrow', 'ruler', 'stranger'];
const role = (name: string, rules: string): string =>
  `---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: ${name}}\nrules: ${rules}\n`;
const binding = (name: string, to: string, account: string): string =>
  `---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ${name.includes('/') ? 'RoleBinding' : 'ClusterRoleBinding'}
metadata: {name: idn-${account}${name.includes('/') ? `, namespace: ${name.split('/')[0]}` : ''}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: ${to}}
subjects: [{kind: ServiceAccount, name: ${account}, namespace: ${account === 'controller' ? 'idn-argocd' : 'idn-a'}}]\n`;

const controllerAccount = {
  namespace: 'idn-argocd',
  name: 'controller',
  yaml: `apiVersion: v1
kind: Namespace
metadata: {name: idn-argocd}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: controller, namespace: idn-argocd}
${role(
  'idn-controller',
  `
- {apiGroups: ['*'], resources: ['*'], verbs: [get, list, watch]}
- {apiGroups: [''], resources: [serviceaccounts], verbs: [impersonate], resourceNames: [deployer, ghost, weak, narrow, ruler]}
- {apiGroups: [argoproj.io], resources: [applications, appprojects, appprojects/status], verbs: [patch, update]}
- {apiGroups: ['', events.k8s.io], resources: [events], verbs: [create, patch]}
- {apiGroups: [authorization.k8s.io], resources: [selfsubjectaccessreviews], verbs: [create]}`,
)}${binding('idn', 'idn-controller', 'controller')}`,
};

const destination = (account: string): string => (account === 'deployer' ? 'idn-a' : `idn-a-${account}`);
const more = `${accounts
  .slice(1)
  .map((account) => `---\napiVersion: v1\nkind: Namespace\nmetadata: {name: ${destination(account)}}\n`)
  .join('')}${['weak', 'narrow', 'ruler', 'stranger']
  .map((account) => `---\napiVersion: v1\nkind: ServiceAccount\nmetadata: {name: ${account}, namespace: idn-a}\n`)
  .join('')}${role('idn-narrow', "[{apiGroups: [''], resources: [configmaps], verbs: [get, list, create, patch]}]")}
${binding('idn-a-narrow/x', 'idn-narrow', 'narrow')}${binding('idn-a-ruler/x', 'admin', 'ruler')}${binding('idn-a-stranger/x', 'edit', 'stranger')}---
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: idn-a-open, namespace: idn-argocd}
spec:
  sourceNamespaces: [idn-a]
  sourceRepos: ['*']
  clusterResourceWhitelist: [{group: '', kind: Namespace}]
  destinations: [{server: https://kubernetes.default.svc, namespace: 'idn-a'}]
  destinationServiceAccounts: [{server: https://kubernetes.default.svc, namespace: idn-a, defaultServiceAccount: 'idn-a:deployer'}]
---
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: idn-a, namespace: idn-argocd}
spec:
  sourceNamespaces: [idn-a]
  sourceRepos: ['*']
  destinations: [{server: https://kubernetes.default.svc, namespace: 'idn-a*'}]
  destinationServiceAccounts:
${accounts.map((account) => `  - {server: https://kubernetes.default.svc, namespace: ${destination(account)}, defaultServiceAccount: 'idn-a:${account}'}`).join('\n')}
`;

before(async () => {
  stage = await openWatchedStage(controllerAccount);
  repository = createTestRepository({
    'one/one.yaml': configMap('one'),
    'prune/one.yaml': configMap('kept'),
    'prune/two.yaml': configMap('pruned'),
    'replace/one.yaml': configMap('replaced', 'annotations: {argocd.argoproj.io/sync-options: Replace=true}', 'a: b'),
    'recreate/one.yaml': configMap(
      'recreated',
      "annotations: {argocd.argoproj.io/sync-options: 'Force=true,Replace=true'}",
      'a: b',
    ),
    'secret/secret.yaml': 'apiVersion: v1\nkind: Secret\nmetadata: {name: canary}\nstringData: {key: guess}\n',
    'cascade/one.yaml': configMap('cascaded'),
    'escalate/binding.yaml':
      'apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: escalate}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}\nsubjects: [{kind: ServiceAccount, name: tenant, namespace: idn-a}]\n',
    'escalate/role.yaml':
      'apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: escalate}\nrules: [{apiGroups: ["*"], resources: ["*"], verbs: ["*"]}]\n',
    'taken/one.yaml': configMap('theirs', '', 'mine: yes-mine'),
    'job/job.yaml':
      'apiVersion: batch/v1\nkind: Job\nmetadata: {name: other-account, annotations: {argocd.argoproj.io/hook: PreSync}}\nspec: {template: {spec: {serviceAccountName: stranger, restartPolicy: Never, containers: [{name: c, image: registry.example.com/x:1}]}}}\n',
    'job/one.yaml': configMap('beside-job'),
    'waves/one.yaml': configMap('wave-1'),
    'waves/gate.yaml':
      'apiVersion: v1\nkind: Service\nmetadata: {name: gate, annotations: {argocd.argoproj.io/sync-wave: "1"}}\nspec: {type: LoadBalancer, ports: [{port: 80}]}\n',
    'waves/two.yaml': configMap('wave-2', 'annotations: {argocd.argoproj.io/sync-wave: "2"}'),
    'long/one.yaml': configMap('long'),
  });
  threat = await openThreat(stage, 'idn', more);
  await stage.start({ controlPlane: 'idn-argocd', appNamespaces: ['idn-a', 'idn-b'] });
});

after(async () => {
  await threat?.close();
  await stage?.stop();
  repository?.remove();
});

const mine = (
  name: string,
  path: string,
  account = 'deployer',
  policy = 'automated: {}, retry: {limit: 0}',
  metadata = '',
): string =>
  attack(threat, name, `repoURL: '${repository.url}', path: ${path}, targetRevision: main`, {
    namespace: destination(account),
    policy,
    metadata,
  });
const here = async (kind: string, namespace: string, name: string): Promise<boolean> =>
  (await stage.get(kind, namespace, name)) !== undefined;
const user = ({ impersonatedUser, user: own }: AuditEvent): string => impersonatedUser?.username ?? own.username;
const attempts = (plural: string, namespace: string): AuditEvent[] =>
  stage.writes(plural, namespace).filter(({ userAgent }) => userAgent === 'argosy/controller');

for (const [id, account, what] of [
  ['T-061', 'ghost', 'an account that does not exist'],
  ['T-062', 'weak', 'an account without rights'],
  ['T-063', 'stranger', 'an account that the controller may not impersonate'],
] as const)
  test(`${id} ${what}: the sync fails with the words of the API server, and nobody else is asked`, async () => {
    const name = `as-${account}`;
    await threat.tenant.apply(mine(name, 'one', account));
    const app = await threat.seen(name, (found) => conditionText(found) !== '' || isOver(found));
    assert.notEqual(app.status?.sync?.status, 'Synced');
    const said = `${operationOf(app)}\n${conditionText(app)}`;
    const wanted =
      account === 'stranger'
        ? /cannot impersonate resource "serviceaccounts"/
        : new RegExp(`User "system:serviceaccount:idn-a:${account}" cannot (get|patch|create) resource "configmaps"`);
    assert.match(said, wanted);
    assert.equal(await here('ConfigMap', destination(account), 'one'), false);
    assert.deepEqual(
      attempts('configmaps', destination(account)).filter(
        (event) => event.impersonatedUser === undefined && account !== 'stranger',
      ),
      [],
    );
    await threat.tenant.remove('Application', 'idn-a', name);
  });

test('T-065 a Secret the account may not read is compared by nobody, and nothing of it is shown', async () => {
  await stage.apply(
    'apiVersion: v1\nkind: Secret\nmetadata: {name: canary, namespace: idn-a-narrow}\nstringData: {key: c4n4ry}\n',
  );
  await threat.tenant.apply(mine('reader', 'secret', 'narrow', 'syncOptions: []'));
  const app = await threat.seen('reader', (found) => found.status?.sync?.status !== undefined);
  assert.notEqual(app.status?.sync?.status, 'Synced');
  const reads = stage.cluster
    .audit()
    .filter(
      ({ verb, objectRef }) => verb === 'get' && objectRef?.namespace === 'idn-a-narrow' && objectRef.name === 'canary',
    );
  assert.deepEqual(
    [...new Set(reads.map((event) => `${user(event)} ${event.responseStatus?.code}`))],
    ['system:serviceaccount:idn-a:narrow 403'],
  );
  assert.doesNotMatch(JSON.stringify(app), /c4n4ry|YzRuNHJ5/);
  await threat.tenant.remove('Application', 'idn-a', 'reader');
});

test('T-068 metadata of a namespace is the project’s to permit, and then the account’s', async () => {
  const policy =
    'automated: {}, retry: {limit: 0}, syncOptions: [CreateNamespace=true], managedNamespaceMetadata: {labels: {pod-security.kubernetes.io/enforce: privileged}}';
  await threat.tenant.apply(mine('labels', 'one', 'deployer', policy));
  const refused = await threat.seen('labels', isOver);
  assert.match(operationOf(refused), /^Failed: .*resource :Namespace is not permitted in project idn-a$/);
  await threat.tenant.remove('Application', 'idn-a', 'labels');
  await threat.tenant.apply(
    mine('labels-again', 'one', 'deployer', policy).replace('project: idn-a', 'project: idn-a-open'),
  );
  const forbidden = await threat.seen(
    'labels-again',
    (app) => isOver(app) && !operationOf(app).includes('not permitted'),
  );
  assert.match(
    operationOf(forbidden),
    /User "system:serviceaccount:idn-a:deployer" cannot patch resource "namespaces"/,
  );
  const namespace = await stage.get('Namespace', '', 'idn-a');
  assert.equal(namespace?.metadata.labels?.['pod-security.kubernetes.io/enforce'], undefined);
  await threat.tenant.remove('Application', 'idn-a', 'labels-again');
});

test('T-069 a role that grants more than its maker has is refused by the API server', async () => {
  await threat.tenant.apply(mine('escalate', 'escalate', 'ruler'));
  const app = await threat.seen('escalate', isOver);
  assert.match(operationOf(app), /^Failed: .*attempting to grant RBAC permissions not currently held/s);
  assert.equal(await here('RoleBinding', 'idn-a-ruler', 'escalate'), false);
  assert.equal(await here('Role', 'idn-a-ruler', 'escalate'), false);
  assert.deepEqual(
    [...new Set(attempts('rolebindings', 'idn-a-ruler').map(user))],
    ['system:serviceaccount:idn-a:ruler'],
  );
  await threat.tenant.remove('Application', 'idn-a', 'escalate');
});

test('T-070 prune, replace, recreate and deletion without the right are refused as the account; nothing goes around it', async () => {
  const cannot = (verb: string): RegExp =>
    new RegExp(`User "system:serviceaccount:idn-a:narrow" cannot ${verb} resource "configmaps"`);
  await threat.tenant.apply(mine('prune', 'prune', 'narrow', 'automated: {prune: true}, retry: {limit: 0}'));
  await threat.seen('prune', isSynced);
  repository.commit({ 'prune/two.yaml': null });
  const pruned = await threat.seen('prune', (app) => isOver(app) && app.status?.operationState?.phase === 'Failed');
  assert.match(JSON.stringify(pruned.status?.operationState).replaceAll('\\"', '"'), cannot('delete'));
  assert.equal(await here('ConfigMap', 'idn-a-narrow', 'pruned'), true);

  for (const [path, name, verb] of [
    ['replace', 'replaced', 'update'],
    ['recreate', 'recreated', 'delete'],
  ] as const) {
    await stage.apply(configMap(name, 'namespace: idn-a-narrow', 'a: c'));
    await threat.tenant.apply(mine(path, path, 'narrow'));
    assert.match(operationOf(await threat.seen(path, isOver)), cannot(verb));
    assert.deepEqual((await stage.get('ConfigMap', 'idn-a-narrow', name))?.['data'], { a: 'c' });
  }

  await threat.tenant.apply(
    mine('cascade', 'cascade', 'narrow', 'automated: {}', 'finalizers: [resources-finalizer.argocd.argoproj.io]'),
  );
  await threat.seen('cascade', isSynced);
  await threat.tenant.remove('Application', 'idn-a', 'cascade');
  const waiting = await threat.seen('cascade', (app) => conditionText(app).includes('DeletionError'));
  assert.match(conditionText(waiting), cannot('delete'));
  assert.equal(await here('ConfigMap', 'idn-a-narrow', 'cascaded'), true);
  await threat.tenant.patch('Application', 'idn-a', 'cascade', { metadata: { finalizers: null } });
  await until(
    () => threat.view('cascade'),
    (app) => app === undefined,
  );
  assert.equal(await here('ConfigMap', 'idn-a-narrow', 'cascaded'), true);
  assert.deepEqual(
    [...new Set(attempts('configmaps', 'idn-a-narrow').map(user))],
    ['system:serviceaccount:idn-a:narrow'],
  );
  for (const name of ['prune', 'replace', 'recreate']) await threat.tenant.remove('Application', 'idn-a', name);
});

test("T-054 fields of others in the same namespace are taken over as the tenant's account only", async () => {
  await stage.apply(configMap('theirs', 'namespace: idn-a', 'mine: theirs, other: theirs'));
  await threat.tenant.apply(mine('taker', 'taken'));
  await threat.seen('taker', isSynced);
  assert.deepEqual((await stage.get('ConfigMap', 'idn-a', 'theirs'))?.['data'], { mine: 'yes-mine', other: 'theirs' });
  const writers = attempts('configmaps', 'idn-a').filter(({ objectRef }) => objectRef?.name === 'theirs');
  assert.deepEqual([...new Set(writers.map(user))], ['system:serviceaccount:idn-a:deployer']);
  await threat.tenant.remove('Application', 'idn-a', 'taker');
});

test('T-074 a hook whose pod has another account is made as the account of the project', async () => {
  await threat.tenant.apply(mine('job', 'job'));
  await threat.seen('job', (app) => app.status?.operationState?.message?.includes('other-account') === true);
  assert.deepEqual([...new Set(attempts('jobs', 'idn-a').map(user))], ['system:serviceaccount:idn-a:deployer']);
  await threat.tenant.patch('Application', 'idn-a', 'job', { status: { operationState: { phase: 'Terminating' } } });
  await threat.seen('job', isOver);
  await threat.tenant.remove('Application', 'idn-a', 'job');
});

test('T-071 impersonation switched off and on during a sync: no write of it is made as anybody else', async () => {
  const turn = (word: string): Promise<void> =>
    stage.patch('ConfigMap', 'idn-argocd', 'argocd-cm', { data: { 'application.sync.impersonation.enabled': word } });
  await threat.tenant.apply(mine('switched', 'waves', 'deployer', 'automated: {}, retry: {limit: 0}'));
  await threat.seen('switched', (app) => app.status?.operationState?.message?.includes('gate') === true);
  await turn('false');
  const warned = async (): Promise<boolean> =>
    JSON.stringify((await stage.get('AppProject', 'idn-argocd', 'idn-a'))?.['status'] ?? {}).includes(
      'impersonation is off',
    );
  await until(warned, (said) => said);
  const services = (await stage.connection.discover()).resources.find(({ kind }) => kind === 'Service');
  assert.ok(services);
  await stage.connection.patch(
    services,
    'idn-a',
    'gate',
    'merge',
    { status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } },
    { subresource: 'status' },
  );
  const app = await threat.seen('switched', isOver);
  assert.match(operationOf(app), /began under other rules and was stopped|^Succeeded/);
  const tried = attempts('configmaps', 'idn-a').filter(
    ({ objectRef }) => objectRef?.name?.startsWith('wave-') === true,
  );
  assert.deepEqual([...new Set(tried.map(user))], ['system:serviceaccount:idn-a:deployer'], operationOf(app));
  await threat.tenant.remove('Application', 'idn-a', 'switched');
  await turn('true');
  await until(warned, (said) => !said);
});

test('T-032 names that would be cut to one label stay apart; under label tracking they are refused', async () => {
  const long = 'n'.repeat(58);
  for (const end of ['a', 'b']) repository.commit({ [`long-${end}/one.yaml`]: configMap(`long-${end}`) });
  for (const end of ['a', 'b'])
    await threat.tenant.apply(mine(`${long}${end}`, `long-${end}`, 'deployer', 'automated: {prune: true}'));
  for (const end of ['a', 'b']) {
    await threat.seen(`${long}${end}`, isSynced);
    const mark = (await stage.get('ConfigMap', 'idn-a', `long-${end}`))?.metadata.annotations?.[
      'argocd.argoproj.io/tracking-id'
    ];
    assert.equal(mark, `idn-a_${long}${end}:/ConfigMap:idn-a/long-${end}`);
  }
  await stage.patch('ConfigMap', 'idn-argocd', 'argocd-cm', {
    data: { 'application.resourceTrackingMethod': 'label' },
  });
  // The setting takes a moment to arrive: those who are there tell when it has.
  for (const end of ['a', 'b']) {
    await threat.seen(`${long}${end}`, (found) => found.status?.sync?.status === 'OutOfSync');
    await threat.tenant.remove('Application', 'idn-a', `${long}${end}`);
  }
  await threat.tenant.apply(mine(`${long}c`, 'long', 'deployer', 'automated: {}, retry: {limit: 0}'));
  const app = await threat.seen(`${long}c`, (found) => conditionText(found) !== '' || isOver(found));
  assert.match(`${operationOf(app)} ${conditionText(app)}`, /63/);
  assert.equal(await here('ConfigMap', 'idn-a', 'long'), false);
});

test('in all of this the controller wrote nothing of a tenant as itself', () => {
  const own = stage.cluster
    .audit()
    .filter(
      ({ user: { username }, impersonatedUser, verb }) =>
        username === 'system:serviceaccount:idn-argocd:controller' &&
        impersonatedUser === undefined &&
        !['get', 'list', 'watch'].includes(verb),
    )
    // A request to impersonate that is refused is told as the asker's own: it went no further.
    .filter(({ responseStatus }) => !responseStatus?.message?.includes('cannot impersonate'))
    .map(({ verb, objectRef }) => `${verb} ${objectRef?.resource} ${objectRef?.namespace}/${objectRef?.name}`)
    .filter((text) => !/^((create|patch) events|patch (applications|appprojects)) /.test(text));
  assert.deepEqual(own, []);
});
