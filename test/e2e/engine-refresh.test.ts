import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestRepository, type TestRepository } from '../support/git-repository.ts';
import { type AppView, appView, isSynced, openStage, type Stage, tokenOf, until } from '../support/story.ts';
import { tenantPlatform } from '../support/tenant.ts';

// What makes the controller look at an Application, and what does not.

let stage: Stage;
let repository: TestRepository;
let first: string;

before(async () => {
  stage = await openStage();
  repository = createTestRepository({
    'one/map.yaml': configMap('one'),
    'two/map.yaml': configMap('two'),
    'deployed/deployment.yaml':
      'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 1, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: registry.example.com/web:1}]}}}\n',
    'balanced/service.yaml':
      'apiVersion: v1\nkind: Service\nmetadata: {name: lb}\nspec: {type: LoadBalancer, ports: [{port: 80}]}\n',
    'short/map.yaml': configMap('short'),
    'skipped/map.yaml': configMap('skipped'),
    'later/map.yaml': configMap('later'),
    'marker/map.yaml': configMap('marker'),
    'asleep/map.yaml': configMap('asleep'),
  });
  first = repository.git('rev-parse', 'HEAD');
  await stage.apply(tenantPlatform('ref'));
  await stage.start({ controlPlane: 'ref-argocd', appNamespaces: ['ref-team'] });
  await stage.apply(application('marker', 'marker', '{automated: {}}'));
  await until(() => view('marker'), isSynced, 120_000);
});

after(async () => {
  await stage?.stop();
  repository?.remove();
});

const view = (name: string): Promise<AppView | undefined> => appView(stage, 'ref-team', name);
const resources = (app: AppView | undefined): (string | undefined)[] =>
  (app?.status?.resources ?? []).map(({ name }) => name);
const told = (name: string): number =>
  stage
    .writes('applications', 'ref-team')
    .filter(
      ({ objectRef, requestObject }) =>
        objectRef?.name === name && JSON.stringify(requestObject ?? {}).includes('"status"'),
    ).length;

let round = 0;
/** Whatever was to be noticed before this has been: a later change of another Application was. */
async function everythingNoticed(): Promise<void> {
  for (const _ of [1, 2]) {
    const revision = repository.commit({ 'marker/map.yaml': configMap('marker', `round: "${round++}"`) });
    await until(
      () => view('marker'),
      (app) => isSynced(app) && app?.status?.sync?.revision === revision,
      60_000,
    );
  }
}

test('9, 13: a refresh is done and its annotation gone; another path is looked at at once', async () => {
  await stage.apply(application('moved', 'one'));
  await until(
    () => view('moved'),
    (app) => app?.status?.sync?.status === 'OutOfSync',
  );
  await stage.patch('Application', 'ref-team', 'moved', {
    metadata: { annotations: { 'argocd.argoproj.io/refresh': 'normal' } },
  });
  await until(
    () => view('moved'),
    (app) => app?.metadata.annotations?.['argocd.argoproj.io/refresh'] === undefined,
  );
  assert.deepEqual(resources(await view('moved')), ['one']);
  await stage.patch('Application', 'ref-team', 'moved', { spec: { source: { path: 'two' } } });
  await until(
    () => view('moved'),
    (app) => resources(app).join() === 'two',
  );
});

test('12, 14: options of a sync and an empty list of exceptions change nothing that is told', async () => {
  const before = told('moved');
  await stage.patch('Application', 'ref-team', 'moved', { spec: { syncPolicy: { syncOptions: ['PruneLast=true'] } } });
  await stage.patch('Application', 'ref-team', 'moved', { spec: { ignoreDifferences: [] } });
  await everythingNoticed();
  const patches = stage
    .writes('applications', 'ref-team')
    .filter(({ objectRef }) => objectRef?.name === 'moved')
    .slice(-2)
    .map(({ requestObject }) => JSON.stringify(requestObject));
  assert.ok(told('moved') - before <= 1, patches.join('\n'));
  assert.equal((await view('moved'))?.status?.sync?.status, 'OutOfSync');
});

test('16: what becomes of the objects below a managed one writes nothing', async () => {
  await stage.apply(application('deployed', 'deployed', '{automated: {}}'));
  await until(() => view('deployed'), isSynced, 60_000);
  const replicaSet = await until(
    async () => (await stage.list('ReplicaSet', 'ref-shop'))[0],
    (found) => found !== undefined,
  );
  await everythingNoticed();
  const before = told('deployed');
  await stage.patch('ReplicaSet', 'ref-shop', replicaSet?.metadata.name ?? '', {
    metadata: { annotations: { touched: 'yes' } },
  });
  await everythingNoticed();
  assert.equal(told('deployed'), before);
});

test('18: a change of the status alone that turns the health is told', async () => {
  await stage.apply(application('balanced', 'balanced', '{automated: {}}'));
  await until(
    () => view('balanced'),
    (app) => isSynced(app) && app?.status?.health?.status === 'Progressing',
    60_000,
  );
  const services = (await stage.connection.discover()).resources.find(({ kind }) => kind === 'Service');
  assert.ok(services);
  const status = { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } };
  await stage.connection.patch(services, 'ref-shop', 'lb', 'merge', { status }, { subresource: 'status' });
  await until(
    () => view('balanced'),
    (app) => app?.status?.health?.status === 'Healthy',
  );
});

test('19: an Application that asks to be skipped is: no status, no sync, no deletion', async () => {
  await stage.apply(
    application('skipped', 'skipped', '{automated: {}}').replace(
      'metadata: {',
      'metadata: {annotations: {argocd.argoproj.io/skip-reconcile: "true"}, finalizers: [resources-finalizer.argocd.argoproj.io], ',
    ),
  );
  await stage.remove('Application', 'ref-team', 'skipped');
  await everythingNoticed();
  const app = await view('skipped');
  assert.notEqual(app?.metadata.deletionTimestamp, undefined);
  assert.equal(app?.status, undefined);
  assert.equal(await stage.get('ConfigMap', 'ref-shop', 'skipped'), undefined);
  await stage.patch('Application', 'ref-team', 'skipped', {
    metadata: { annotations: { 'argocd.argoproj.io/skip-reconcile': null } },
  });
  await until(
    () => view('skipped'),
    (found) => found === undefined,
  );
});

test('20: all Applications of a cluster whose Secret asks to be skipped are at rest', async () => {
  const config = JSON.stringify({
    bearerToken: await tokenOf(stage, 'ref-shop', 'deployer'),
    tlsClientConfig: { caData: Buffer.from(stage.cluster.ca).toString('base64') },
  });
  await stage.apply(`
apiVersion: v1
kind: Secret
metadata: {name: asleep, namespace: ref-argocd, labels: {argocd.argoproj.io/secret-type: cluster}, annotations: {argocd.argoproj.io/skip-reconcile: "true"}}
stringData: {name: asleep, server: '${stage.cluster.url}', config: '${config}'}
`);
  await stage.patch('AppProject', 'ref-argocd', 'ref-team', {
    spec: { destinations: [{ server: '*', namespace: 'ref-shop' }] },
  });
  await everythingNoticed();
  await stage.apply(
    application('asleep', 'asleep', '{automated: {}}').replace(
      'server: https://kubernetes.default.svc',
      'name: asleep',
    ),
  );
  await everythingNoticed();
  assert.equal((await view('asleep'))?.status, undefined);
  await stage.patch('Secret', 'ref-argocd', 'asleep', {
    metadata: { annotations: { 'argocd.argoproj.io/skip-reconcile': null } },
  });
  await until(
    () => view('asleep'),
    (app) => app?.status?.sync?.status !== undefined,
    60_000,
  );
});

test('25: turning auto-sync on starts the sync that was due', async () => {
  await stage.apply(application('later', 'later'));
  await until(
    () => view('later'),
    (app) => app?.status?.sync?.status === 'OutOfSync',
  );
  await stage.patch('Application', 'ref-team', 'later', { spec: { syncPolicy: { automated: {} } } });
  const app = await until(() => view('later'), isSynced);
  assert.equal(app?.status?.operationState?.phase, 'Succeeded');
});

test('123: a push beside what an Application reads costs it no look, and a later one finds the newest commit', async () => {
  const [before, seen] = [told('later'), (await view('later'))?.status?.sync?.revision];
  await everythingNoticed();
  assert.equal(told('later'), before);
  const revision = repository.commit({ 'later/map.yaml': configMap('later', 'more: yes-more') });
  await until(
    () => view('later'),
    (app) => isSynced(app) && app?.status?.sync?.revision === revision,
  );
  assert.notEqual(seen, revision);
});

test('127: a revision that is no ref is the beginning of a commit', async () => {
  await stage.apply(
    application('short', 'short', '{automated: {}}').replace(
      'targetRevision: main',
      `targetRevision: '${first.slice(0, 8)}'`,
    ),
  );
  const app = await until(() => view('short'), isSynced);
  assert.equal(app?.status?.sync?.revision, first);
});

function configMap(name: string, data = 'greeting: hello'): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {${data}}\n`;
}

function application(name: string, path: string, policy = '{}'): string {
  return `
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: ${name}, namespace: ref-team}
spec:
  project: ref-team
  source: {repoURL: '${repository.url}', path: ${path}, targetRevision: main}
  destination: {server: https://kubernetes.default.svc, namespace: ref-shop}
  syncPolicy: ${policy}
`;
}
