import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Seen, typeIn } from '../../testdata/type-in.ts';
import { register } from './index.ts';

const objects = `
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm, namespace: argocd}
data: {application.sync.impersonation.enabled: "true"}
---
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: team-a, namespace: argocd, resourceVersion: '41'}
spec:
  sourceNamespaces: [team-a]
  sourceRepos: ['https://git.example.com/team-a/**']
  destinations: [{server: 'https://kubernetes.default.svc', namespace: 'a-*'}]
  destinationServiceAccounts: [{server: '*', namespace: 'a-*', defaultServiceAccount: deployer}]
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: shop, namespace: team-a}
spec:
  project: team-a
  source: {repoURL: 'https://git.example.com/team-a/shop', path: deploy}
  destination: {server: 'https://kubernetes.default.svc', namespace: a-shop}
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: stray, namespace: team-b}
spec:
  project: team-a
  source: {repoURL: 'https://git.example.com/team-a/shop', path: deploy}
  destination: {server: 'https://kubernetes.default.svc', namespace: a-shop}
---
apiVersion: v1
kind: Secret
metadata: {name: blue, namespace: team-a, labels: {argocd.argoproj.io/secret-type: cluster}}
stringData: {server: 'https://blue.example.com', config: '{"bearerToken":"canary"}'}
`;

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'argosy-why-'));
  await writeFile(join(folder, 'objects.yaml'), objects);
});
after(() => rm(folder, { recursive: true }));

const entry = { name: 'why', summary: 'explain', load: async () => register };
const why = (...argv: string[]): Promise<Seen> => typeIn(['why', ...argv], [entry], { cwd: folder });
const files = ['-f', 'objects.yaml', '--application-namespaces', 'team-a, team-b'];

test('an allowed Application exits 0 and shows the chain', async () => {
  const { code, out } = await why('allowed', ...files, 'team-a/shop');
  assert.equal(code, 0);
  assert.match(
    out,
    /^team-a\/shop: allowed\n {2}team-a\/shop may deploy to a-shop on https:\/\/kubernetes\.default\.svc in project team-a\n/,
  );
  assert.match(out, /\n→ 5\. \[destination\] AppProject argocd\/team-a spec\.destinations\[0\] @41\n/);
  assert.match(out, /namespace: 'a-\*'} permits cluster 'in-cluster'/);
});

test('a denied one exits 1, marks what decided and says what would turn it', async () => {
  const { code, out } = await why('denied', ...files, 'team-b/stray');
  assert.equal(code, 1);
  assert.match(out, /UnknownError: application 'stray' in namespace 'team-b' is not permitted to use project 'team-a'/);
  assert.match(
    out,
    /→ 3\. \[association\] AppProject argocd\/team-a spec\.sourceNamespaces @41\n.*no entry matches namespace 'team-b'\n.*to turn it: add team-b to spec\.sourceNamespaces of AppProject argocd\/team-a/,
  );
});

test('one object can be asked about', async () => {
  const good = await why('allowed', ...files, 'team-a/shop', '--object', 'apps/Deployment:a-shop/web');
  assert.equal(good.code, 0);
  const bad = await why('allowed', ...files, 'team-a/shop', '--object', 'ConfigMap:kube-system/x');
  assert.equal(bad.code, 1);
  assert.match(bad.out, /SyncError: namespace kube-system is not permitted in project 'team-a'/);
  const kind = await why('allowed', ...files, 'team-a/shop', '--object', 'rbac.authorization.k8s.io/ClusterRole:x');
  assert.match(kind.out, /resource rbac\.authorization\.k8s\.io:ClusterRole is not permitted in project team-a/);
});

test('a kind nobody knows exits 3', async () => {
  const { code, out } = await why(
    'allowed',
    ...files,
    'team-a/shop',
    '--object',
    'x.io/Thing:a-shop/x',
    '--unknown-kind',
  );
  assert.equal(code, 3);
  assert.match(out, /: unknown\n/);
});

test('the identity is named with the entry that gave it', async () => {
  const { code, out } = await why('identity', ...files, 'team-a/shop');
  assert.equal(code, 0);
  assert.match(out, /system:serviceaccount:a-shop:deployer/);
  assert.match(out, /→ \d\. \[identity\] AppProject argocd\/team-a spec\.destinationServiceAccounts\[0\] @41/);
});

test('folders are read, and -f may be repeated', async () => {
  assert.equal(
    (await why('allowed', '-f', '.', '-f', 'objects.yaml', '--application-namespaces', 'team-a', 'team-a/shop')).code,
    0,
  );
});

test('the cluster is named', async () => {
  const { code, out } = await why('cluster', ...files, 'team-a/shop');
  assert.equal(code, 0);
  assert.match(out, /https:\/\/kubernetes\.default\.svc \(the local cluster\)/);
});

test('a rejected cluster Secret says why, and nothing of its content', async () => {
  const { code, out } = await why('secret', ...files, 'team-a/blue');
  assert.equal(code, 1);
  assert.match(out, /project is required/);
  assert.doesNotMatch(out, /canary/);
});

test('machines get JSON', async () => {
  const { code, out } = await why('denied', ...files, '-o', 'json', 'team-b/stray');
  const read = JSON.parse(out) as { verdict: string; facts: { number: number; deciding: boolean; field: string }[] };
  assert.equal(code, 1);
  assert.equal(read.verdict, 'denied');
  assert.deepEqual(
    read.facts.filter(({ deciding }) => deciding).map(({ field }) => field),
    ['spec.sourceNamespaces'],
  );
});

test('wrong usage exits 2 with a hint', async () => {
  assert.equal((await why('allowed', 'team-a/shop')).code, 2);
  assert.equal((await why('allowed', '-f', 'nowhere', 'team-a/shop')).code, 2);
  const { code, err } = await why('allowed', ...files, 'team-a/nobody');
  assert.equal(code, 2);
  assert.match(err, /there is no Application team-a\/nobody\n {2}there are: team-a\/shop, team-b\/stray/);
  assert.equal((await why('allowed', ...files, 'a/b/c')).code, 2);
  assert.equal((await why('allowed', ...files, 'team-a/shop', '--cluster-secrets-in-any-namespace', 'no')).code, 2);
  assert.equal((await why('secret', ...files, 'blue')).code, 2);
  assert.equal((await why('allowed', ...files, 'team-a/shop', '--object', 'x')).code, 2);
});

test('an Application with a field of the wrong type is denied, with its path', async () => {
  await writeFile(
    join(folder, 'odd.yaml'),
    'apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: odd, namespace: team-a}\nspec: {project: 1, destination: {}}\n',
  );
  const { code, err } = await why('allowed', '-f', 'odd.yaml', 'team-a/odd');
  assert.equal(code, 1);
  assert.match(err, /Application team-a\/odd cannot be read: spec\.project: must be a string/);
  await rm(join(folder, 'odd.yaml'));
});

test('a file that cannot be read names the line', async () => {
  await writeFile(join(folder, 'bad.yaml'), 'a: 1\nb: [\n');
  const { code, err } = await why('allowed', '-f', 'bad.yaml', 'x');
  assert.equal(code, 2);
  assert.match(err, /bad\.yaml:\d+ is not YAML/);
  await rm(join(folder, 'bad.yaml'));
});

test('a YAML bomb is refused at once', async () => {
  const levels = Array.from({ length: 12 }, (_, i) => `l${i + 1}: &l${i + 1} [${Array(20).fill(`*l${i}`).join(', ')}]`);
  await writeFile(join(folder, 'bomb.yaml'), `l0: &l0 [x]\n${levels.join('\n')}\n`);
  const { code, err } = await why('allowed', '-f', 'bomb.yaml', 'x');
  assert.equal(code, 2);
  assert.match(err, /bomb\.yaml/);
  await rm(join(folder, 'bomb.yaml'));
});
