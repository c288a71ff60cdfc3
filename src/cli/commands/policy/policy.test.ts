import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Seen, typeIn } from '../../testdata/type-in.ts';
import { register } from './index.ts';

const given = `
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: team-a, namespace: argocd}
spec:
  sourceNamespaces: [team-a]
  sourceRepos: ['*']
  destinations: [{server: 'https://kubernetes.default.svc', namespace: 'a-*'}]
  destinationServiceAccounts: [{server: '*', namespace: '*', defaultServiceAccount: deployer}]
`;
const cases = `
installation: {applicationNamespaces: ['team-*'], impersonation: true}
given: [projects]
objects:
- apiVersion: argoproj.io/v1alpha1
  kind: Application
  metadata: {name: shop, namespace: team-a}
  spec:
    project: team-a
    source: {repoURL: 'https://git.example.com/shop', path: deploy}
    destination: {server: 'https://kubernetes.default.svc', namespace: a-shop}
- apiVersion: v1
  kind: Secret
  metadata: {name: blue, namespace: team-a, labels: {argocd.argoproj.io/secret-type: cluster}}
  stringData: {server: 'https://blue.example.com', project: team-a, config: '{"bearerToken":"t"}'}
cases:
- name: deploys to its own namespace as itself
  try: {application: team-a/shop}
  expect: {verdict: allowed, identity: 'system:serviceaccount:a-shop:deployer', cluster: 'https://kubernetes.default.svc'}
- name: cannot write to kube-system
  try: {application: team-a/shop, object: 'ConfigMap:kube-system/x'}
  expect: {verdict: denied, message: namespace kube-system is not permitted}
- name: may bring its own cluster
  try: {secret: team-a/blue}
  expect: {verdict: allowed}
`;

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'argosy-policy-'));
  await mkdir(join(folder, 'projects'));
  await writeFile(join(folder, 'projects', 'team-a.yaml'), given);
});
after(() => rm(folder, { recursive: true }));

async function policy(text: string, ...flags: string[]): Promise<Seen> {
  await writeFile(join(folder, 'cases.yaml'), text);
  const entry = { name: 'policy', summary: 'try', load: async () => register };
  return typeIn(['policy', 'test', 'cases.yaml', ...flags], [entry], { cwd: folder });
}

test('cases that hold exit 0', async () => {
  const { code, out, err } = await policy(cases);
  assert.equal(err, '');
  assert.match(
    out,
    /✓ deploys to its own namespace as itself\n {2}✓ cannot write to kube-system\n {2}✓ may bring its own cluster\n3 passed, 0 failed\n/,
  );
  assert.equal(code, 0);
});

test('a case that does not hold exits 1 and shows the deciding fact', async () => {
  const { code, out } = await policy(cases.replace('verdict: denied', 'verdict: allowed'));
  assert.equal(code, 1);
  assert.match(
    out,
    /✗ cannot write to kube-system\n {6}expected verdict allowed, got denied\n {6}decided by AppProject argocd\/team-a spec\.destinations: no entry permits/,
  );
  assert.match(out, /2 passed, 1 failed/);
});

test('identity, cluster and message are compared', async () => {
  const { out } = await policy(
    cases
      .replace('a-shop:deployer', 'a-shop:default')
      .replace("cluster: 'https://kubernetes.default.svc'", 'cluster: team-a/blue'),
  );
  assert.match(
    out,
    /expected identity system:serviceaccount:a-shop:default, got system:serviceaccount:a-shop:deployer/,
  );
  assert.match(out, /expected cluster team-a\/blue, got argocd\/ \(https:\/\/kubernetes\.default\.svc\)/);
  const wrong = await policy(cases.replace('namespace kube-system is not', 'namespace x is not'));
  assert.match(wrong.out, /expected a message with "namespace x is not permitted", got/);
});

test('machines get JSON', async () => {
  const { code, out } = await policy(cases, '-o', 'json');
  assert.equal(code, 0);
  assert.equal((JSON.parse(out) as { passed: number }).passed, 3);
});

test('what is not understood is wrong usage, not a skipped case', async () => {
  for (const [from, to] of [
    ['cases:', 'case:'],
    ['expect: {verdict: allowed}', 'expect: {}'],
    ['expect: {verdict: allowed}', 'expect: {verdct: allowed}'],
    ['try: {secret: team-a/blue}', 'try: {}'],
    ['given: [projects]', 'given: [nowhere]'],
    ['application: team-a/shop}', 'application: team-a/nobody}'],
  ] as const) {
    assert.equal((await policy(cases.replace(from, to))).code, 2, to);
  }
});
