import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ControllerProcess } from '../support/controller-process.ts';
import { type FaultStage, openFaultStage } from '../support/fault-stage.ts';
import { RawClient } from '../support/raw-client.ts';
import { type AppView, appView, isSynced, until } from '../support/story.ts';

let faults: FaultStage;
let controller: ControllerProcess;
let calmBytes: number;

before(async () => {
  faults = await openFaultStage('kinds');
  controller = await faults.startController();
  await faults.stage.apply(rights);
  await faults.stage.apply(definition());
  await faults.proveCalm(await faults.begin('calm'));
  calmBytes = await controller.memory();
});

after(async () => {
  await faults?.stage.remove('CustomResourceDefinition', '', 'sprockets.kinds.example.com').catch(() => undefined);
  await faults?.stop();
});

const view = (name: string): Promise<AppView | undefined> => appView(faults.stage, 'kinds-team', name);
const size = async (name: string): Promise<string> =>
  JSON.stringify((await faults.stage.get('Sprocket', 'kinds-shop', name))?.['spec']);
const text = async (name: string): Promise<string> =>
  JSON.stringify((await faults.stage.get('ConfigMap', 'kinds-shop', name))?.['data']);
/** What the controller did to the objects of a kind: verb, name and the answer's code. */
const done = (plural: string, name: string): string[] =>
  faults.stage
    .writes(plural, 'kinds-shop')
    .filter(({ userAgent, objectRef }) => userAgent === 'argosy/test' && objectRef?.name?.startsWith(`${name}-`))
    .filter(({ responseStatus }) => (responseStatus?.code ?? 0) < 300)
    .map(({ verb, objectRef }) => `${verb} ${objectRef?.name}`);

test('while one group cannot be discovered nothing of it is removed, and nothing of it is made twice', async (context) => {
  faults.repository.commit({
    'part/one.yaml': sprocket('part-one'),
    'part/two.yaml': sprocket('part-two'),
    'part/beside.yaml': configMap('part-beside', 'first'),
  });
  await faults.stage.apply(application('part'));
  await until(() => view('part'), isSynced, 240_000);
  const down = await groupDown();
  context.after(() => faults.calls.script(undefined));
  faults.calls.script(({ path }) => {
    if (path === '/apis') return { answer: 200, headers: { 'content-type': aggregated }, body: down.discovery };
    if (!path.startsWith('/apis/kinds.example.com/')) return undefined;
    down.refused++;
    return { answer: 503 };
  });
  faults.calls.expireWatches();
  await faults.stage.apply(definition('down'));
  faults.repository.commit({ 'part/one.yaml': null, 'part/beside.yaml': configMap('part-beside', 'second') });
  await until(
    () => view('part'),
    (app) => !isSynced(app) && down.refused > 3,
    240_000,
  );
  assert.deepEqual([await size('part-one'), await size('part-two')], ['{"size":3}', '{"size":3}']);
  faults.calls.script(undefined);
  await faults.stage.apply(definition('up'));
  await until(
    async () => [await size('part-one'), await text('part-beside'), isSynced(await view('part'))],
    (found) => JSON.stringify(found) === JSON.stringify([undefined, '{"text":"second"}', true]),
    240_000,
  );
  // Those of one kind are under way at once: the API server says which was first.
  const [first = '', second = '', ...then] = done('sprockets', 'part');
  assert.deepEqual([first, second].toSorted(), ['patch part-one', 'patch part-two']);
  assert.deepEqual(then, ['delete part-one']);
  assert.deepEqual(done('configmaps', 'part'), ['patch part-beside', 'patch part-beside']);
});

test('a CRD that is deleted and comes back leaves the rest alone, and its objects are made again', async () => {
  faults.repository.commit({
    'gone/one.yaml': sprocket('gone-one'),
    'gone/beside.yaml': configMap('gone-beside', 'x'),
  });
  await faults.stage.apply(application('gone'));
  await until(() => view('gone'), isSynced, 240_000);
  await faults.stage.remove('CustomResourceDefinition', '', 'sprockets.kinds.example.com');
  await until(
    () => faults.stage.get('CustomResourceDefinition', '', 'sprockets.kinds.example.com'),
    (crd) => crd === undefined,
  );
  await until(
    () => view('gone'),
    (app) => !isSynced(app),
    240_000,
  );
  await faults.stage.apply(definition());
  await until(
    () => size('gone-one'),
    (spec) => spec === '{"size":3}',
    240_000,
  );
  await until(() => view('gone'), isSynced, 240_000);
  assert.deepEqual(
    done('sprockets', 'gone').filter((each) => !each.startsWith('patch')),
    [],
  );
  assert.deepEqual(done('configmaps', 'gone'), ['patch gone-beside']);
});

test('kinds that come and go have left nothing behind in memory', async (context) => {
  const bytes = await controller.memory();
  context.diagnostic(`${(calmBytes / 2 ** 20).toFixed(1)} MiB before, ${(bytes / 2 ** 20).toFixed(1)} MiB after`);
  assert.ok(bytes <= 1.25 * calmBytes, `${bytes} after ${calmBytes}`);
});

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** What the API server says of its groups when the server behind one of them does not answer. */
async function groupDown(): Promise<{ readonly discovery: object; refused: number }> {
  const { url, ca, adminToken } = faults.cluster;
  const client = new RawClient({ url, ca, token: adminToken });
  const answer = await client.get('/apis', { headers: { accept: aggregated } });
  client.close();
  const list = JSON.parse(answer.text) as { items: { metadata: { name: string }; versions: object[] }[] }; // of this form
  const items = list.items.map((group) =>
    group.metadata.name === 'kinds.example.com'
      ? { ...group, versions: [{ version: 'v1', freshness: 'Stale', resources: [] }] }
      : group,
  );
  assert.notDeepEqual(items, list.items);
  return { discovery: { ...list, items }, refused: 0 };
}

function configMap(name: string, value: string): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {text: ${value}}\n`;
}

function sprocket(name: string): string {
  return `apiVersion: kinds.example.com/v1\nkind: Sprocket\nmetadata: {name: ${name}}\nspec: {size: 3}\n`;
}

function application(name: string): string {
  return `
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: ${name}, namespace: kinds-team}
spec:
  project: kinds-team
  source: {repoURL: '${faults.repository.url}', path: ${name}, targetRevision: main}
  destination: {server: https://kubernetes.default.svc, namespace: kinds-shop}
  syncPolicy:
    automated: {prune: true, selfHeal: true}
    retry: {limit: -1, backoff: {duration: 500ms, factor: 1}}
`;
}

/** A note on it is a change of what is served, after which the controller asks again. */
function definition(note = 'first'): string {
  return `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: sprockets.kinds.example.com, annotations: {note: ${note}}}
spec:
  group: kinds.example.com
  scope: Namespaced
  names: {plural: sprockets, singular: sprocket, kind: Sprocket, listKind: SprocketList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties: {spec: {type: object, properties: {size: {type: integer}}}}
`;
}

const rights = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: sprockets, namespace: kinds-shop}
rules: [{apiGroups: [kinds.example.com], resources: [sprockets], verbs: ['*']}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: sprockets, namespace: kinds-shop}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: sprockets}
subjects: [{kind: ServiceAccount, name: deployer, namespace: kinds-shop}]
`;
