import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { loadAll } from 'js-yaml';
import { type Seen, typeIn } from '../../../testdata/type-in.ts';
import { register } from '../index.ts';

const base = `
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm, namespace: argocd}
data: {application.sync.impersonation.enabled: "true"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cmd-params-cm, namespace: argocd}
data: {application.namespaces: "team-*"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-rbac-cm, namespace: argocd, labels: {app.kubernetes.io/part-of: argocd}}
data:
  policy.default: role:readonly
  policy.csv: |
    p, role:a, applications, sync, shared/team-a/*, allow
    p, role:a, logs, get, shared/team-a/shop, allow
    p, role:b, applications, *, shared/team-b/shop, deny
    p, role:all, applications, get, shared/*, allow
    p, role:old, applications, get, shared/team-a-*, allow
    p, role:a, clusters, get, shared/team-a/https://blue.example.com, allow
    g, org:team-a, role:a
---
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: shared, namespace: argocd}
spec:
  sourceNamespaces: ['team-*']
  sourceRepos: ['*']
  destinations:
  - {server: 'https://kubernetes.default.svc', namespace: '*'}
  - {server: 'https://blue.example.com', namespace: '*'}
  destinationServiceAccounts: [{server: 'https://kubernetes.default.svc', namespace: '*', defaultServiceAccount: deployer}]
  roles:
  - {name: ci, policies: ['p, proj:shared:ci, applications, sync, shared/team-b/shop, allow']}
`;

const tenants = `
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: shop
  namespace: team-a
  uid: 6c9a
  resourceVersion: '77'
  labels: {tier: front}
  annotations: {argocd.argoproj.io/refresh: normal, note: keep, argocd.argoproj.io/tracking-id: 'team-a_root:argoproj.io/Application:team-a/shop'}
  finalizers: [resources-finalizer.argocd.argoproj.io]
spec:
  project: shared
  source: {repoURL: 'https://git.example.com/shop', path: deploy}
  destination: {server: 'https://blue.example.com', namespace: dev}
status: {sync: {status: Synced}}
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: shop, namespace: team-b}
spec:
  project: shared
  source: {repoURL: 'https://git.example.com/shop', path: deploy}
  destination: {server: 'https://kubernetes.default.svc'}
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: team-b-shop, namespace: argocd}
spec:
  project: shared
  source: {repoURL: 'https://git.example.com/shop', path: deploy}
  destination: {server: 'https://kubernetes.default.svc', namespace: dev}
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: stray, namespace: elsewhere}
spec:
  project: shared
  source: {repoURL: 'https://git.example.com/shop', path: deploy}
  destination: {server: 'https://kubernetes.default.svc', namespace: dev}
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: refused, namespace: team-a}
spec:
  project: other
  source: {repoURL: 'https://git.example.com/shop', path: deploy}
  destination: {server: 'https://kubernetes.default.svc', namespace: dev}
---
apiVersion: v1
kind: Secret
metadata:
  name: blue
  namespace: team-a
  labels: {argocd.argoproj.io/secret-type: cluster}
  annotations: {kubectl.kubernetes.io/last-applied-configuration: '{"stringData":{"config":"canary-token"}}'}
type: Opaque
stringData: {name: blue, server: 'https://blue.example.com', project: shared, namespaces: 'dev, stage', config: '{"bearerToken":"canary-token"}'}
---
apiVersion: v1
kind: Secret
metadata: {name: blue, namespace: team-b, labels: {argocd.argoproj.io/secret-type: cluster}}
data:
  server: aHR0cHM6Ly9ibHVlLmV4YW1wbGUuY29t
  project: c2hhcmVk
  config: eyJiZWFyZXJUb2tlbiI6ImNhbmFyeS1iIn0=
---
apiVersion: v1
kind: Secret
metadata: {name: evil, namespace: team-b, labels: {argocd.argoproj.io/secret-type: cluster}}
stringData: {server: 'https://kubernetes.default.svc', project: shared, config: '{"bearerToken":"canary-evil"}'}
`;

interface Printed {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string; readonly [key: string]: unknown };
  readonly spec?: { readonly destination: unknown };
  readonly data?: Record<string, string>;
  readonly stringData?: Record<string, string>;
  readonly status?: unknown;
}

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'argosy-relocate-'));
  await writeFile(join(folder, 'objects.yaml'), `${base}---${tenants}`);
});
after(() => rm(folder, { recursive: true }));

async function relocate(...argv: string[]): Promise<Seen & { objects: Printed[] }> {
  const entries = [{ name: 'admin', summary: '', load: () => Promise.resolve(register) }];
  const seen = await typeIn(['admin', 'relocate', ...argv], entries, { cwd: folder });
  const objects = loadAll(seen.out).filter((each) => each !== null && each !== undefined) as Printed[]; // our own print
  return { ...seen, objects };
}

const all = (): ReturnType<typeof relocate> => relocate('--print', '-f', 'objects.yaml');
const named = (objects: Printed[], kind: string, name: string): Printed | undefined =>
  objects.find((object) => object.kind === kind && object.metadata.name === name);

test('tenants’ Applications become control-plane ones with their namespace in the name', async () => {
  const { code, objects } = await all();
  assert.equal(code, 0);
  assert.deepEqual(named(objects, 'Application', 'team-a-shop'), {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: {
      name: 'team-a-shop',
      namespace: 'argocd',
      labels: { tier: 'front' },
      annotations: { note: 'keep' },
      finalizers: ['resources-finalizer.argocd.argoproj.io'],
    },
    spec: {
      project: 'shared',
      source: { repoURL: 'https://git.example.com/shop', path: 'deploy' },
      destination: { namespace: 'dev', name: 'team-a-blue' },
    },
  });
});

test('a name that the control plane already has is not given twice', async () => {
  const { objects } = await all();
  const names = objects.filter(({ kind }) => kind === 'Application').map(({ metadata }) => metadata.name);
  assert.equal(names.length, 2);
  assert.match(names[1] ?? '', /^team-b-shop-[0-9a-f]{8}$/);
});

test('cluster Secrets move with their credential, their own name and without the copy kubectl keeps', async () => {
  const { objects } = await all();
  const blue = named(objects, 'Secret', 'team-a-blue');
  assert.equal(blue?.metadata.namespace, 'argocd');
  assert.deepEqual(blue?.stringData, {
    name: 'team-a-blue',
    server: 'https://blue.example.com',
    project: 'shared',
    namespaces: 'dev, stage',
    config: '{"bearerToken":"canary-token"}',
  });
  assert.equal(JSON.stringify(blue?.metadata).includes('canary'), false);
  assert.equal(atob(named(objects, 'Secret', 'team-b-blue')?.data?.['name'] ?? ''), 'team-b-blue');
});

test('policy lines of moved objects are written anew, and only those', async () => {
  const { objects } = await all();
  const map = named(objects, 'ConfigMap', 'argocd-rbac-cm');
  const newName = objects.filter(({ kind }) => kind === 'Application')[1]?.metadata.name;
  assert.deepEqual(map?.data?.['policy.relocated.csv']?.trim().split('\n'), [
    'p, role:a, applications, sync, shared/team-a-shop, allow',
    'p, role:a, logs, get, shared/team-a-shop, allow',
    `p, role:b, applications, *, shared/${newName}, deny`,
    'p, role:a, clusters, get, shared/https://blue.example.com, allow',
    `p, proj:shared:ci, applications, sync, shared/${newName}, allow`,
  ]);
  assert.equal(map?.data?.['policy.default'], 'role:readonly');
  assert.match(map?.data?.['policy.csv'] ?? '', /role:all/);
});

test('what will be different is said', async () => {
  const { err } = await all();
  assert.match(
    err,
    /team-a\/shop -> team-a-shop: its requests will be made as system:serviceaccount:dev:default instead of the cluster Secret's own credential/,
  );
  assert.match(
    err,
    /team-b\/shop -> \S+: its requests will be made as system:serviceaccount:argocd:\S+ instead of system:serviceaccount:team-b:/,
  );
  assert.match(err, /team-a\/shop -> team-a-shop: was deployed by Application team-a\/root/);
  assert.match(err, /Secrets team-a-blue, team-b-blue share the address https:\/\/blue\.example\.com/);
  assert.match(
    err,
    /Secret team-b\/blue -> team-b-blue: project shared gets all namespaces of https:\/\/blue\.example\.com/,
  );
  assert.match(err, /"p, role:old, applications, get, shared\/team-a-\*, allow" now reaches shared\/team-a-shop/);
});

test('what is ignored or refused today stays where it is, and is named', async () => {
  const { err, objects } = await all();
  assert.match(err, /left out: Application elsewhere\/stray: its namespace does not count/);
  assert.match(err, /left out: Application team-a\/refused: refused today: /);
  assert.match(err, /left out: Secret team-b\/evil: refused today: /);
  assert.equal(objects.length, 5);
});

test('credentials stand in Secret manifests and nowhere else', async () => {
  const { err, out } = await relocate('--print', '-f', 'objects.yaml', '--no-secrets');
  assert.equal(`${out}${err}`.includes('canary'), false);
  assert.equal((await all()).err.includes('canary'), false);
  assert.equal(`${out}${err}`.includes('eyJiZWFyZXJUb2tlbiI6'), false);
});

test('the steps keep what was deployed: finalizers go before their Application does', async () => {
  const { out } = await all();
  const patch = out.indexOf('kubectl patch application shop -n team-a');
  assert.ok(patch > 0 && patch < out.indexOf('kubectl delete application shop -n team-a'));
});

test('without --print nothing happens', async () => {
  const { code, out, err } = await relocate('-f', 'objects.yaml');
  assert.equal(code, 2);
  assert.equal(out, '');
  assert.match(err, /relocate only prints/);
});
