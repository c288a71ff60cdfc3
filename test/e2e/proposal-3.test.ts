/**
 * What "Respect RBAC for resource inclusions/exclusions" decided, value by value, on a cluster that restricts our account
 * with RBAC. Names carry `p3-`, because several stories share a cluster.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type FaultProxy, resetter, startFaultProxy } from '../support/fault-proxy.ts';
import { createTestRepository, type TestRepository } from '../support/git-repository.ts';
import {
  type AppView,
  appView,
  calls,
  conditionsOf,
  isSynced,
  openStage,
  type Stage,
  tokenOf,
  until,
  untilApp,
} from '../support/story.ts';
import { clusterSecret, configMap, deployer, namespaces, settings } from '../support/tenant.ts';

const plane = 'p3-argocd';
const reader = `system:serviceaccount:${plane}:limited`;

let stage: Stage;
let repository: TestRepository;
/** A running watch outlives the right it was begun with: what ends it is a new connection. */
let proxy: FaultProxy;

before(async () => {
  stage = await openStage();
  proxy = await startFaultProxy(stage.cluster.url);
  repository = createTestRepository({ 'shop/map.yaml': configMap('shop') });
  await stage.apply(namespaces(plane, 'p3-shop'));
  await stage.apply(deployer('p3-shop/deployer'));
  await stage.apply(settings(plane, { 'application.sync.impersonation.enabled': 'true' }));
  await stage.apply(rights(['configmaps', 'services']));
  const { ca } = stage.cluster;
  const token = await tokenOf(stage, plane, 'limited');
  await stage.apply(clusterSecret(`${plane}/limited`, { url: proxy.url, ca, token }, {}));
  await stage.apply(objects());
  await stage.start(
    { controlPlane: plane },
    { rhythm: { graceMs: 200, probeMs: 300, longestProbeMs: 600, againMs: 200, patienceMs: 5000 } },
  );
});

after(async () => {
  await stage?.stop();
  await proxy?.close();
  repository?.remove();
});

/** Our account in a cluster that lets it read just these kinds. */
function rights(plurals: readonly string[]): string {
  return `---
apiVersion: v1
kind: ServiceAccount
metadata: {name: limited, namespace: ${plane}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: p3-limited}
rules:
- {apiGroups: [''], resources: [serviceaccounts], verbs: [impersonate]}
- {apiGroups: [''], resources: ${JSON.stringify(plurals)}, verbs: [get, list, watch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: p3-limited}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: p3-limited}
subjects: [{kind: ServiceAccount, name: limited, namespace: ${plane}}]
`;
}

function objects(): string {
  return `---
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: p3, namespace: ${plane}}
spec:
  sourceRepos: ['*']
  destinations: [{server: '*', namespace: p3-shop}]
  destinationServiceAccounts: [{server: '*', namespace: p3-shop, defaultServiceAccount: deployer}]
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: shop, namespace: ${plane}}
spec:
  project: p3
  source: {repoURL: '${repository.url}', path: shop, targetRevision: main}
  destination: {name: limited, namespace: p3-shop}
  syncPolicy: {automated: {selfHeal: true}}
`;
}

const app = (good: (found: AppView | undefined) => boolean): Promise<AppView> => untilApp(stage, plane, 'shop', good);
const has = (text: string) => (found: AppView | undefined) => conditionsOf(found).some((each) => each.includes(text));
const respect = (value: string | null): Promise<void> =>
  stage.patch('ConfigMap', plane, 'argocd-cm', { data: { 'resource.respectRBAC': value } });

/** What the account asked about its own rights: `verb resource.group`. */
function reviews(): string[] {
  return stage.cluster
    .audit()
    .filter(({ objectRef, user }) => objectRef?.resource === 'selfsubjectaccessreviews' && user.username === reader)
    .map(({ requestObject }) => {
      const { spec } = requestObject as { spec: { resourceAttributes: Record<string, string> } };
      const { verb, resource, group = '' } = spec.resourceAttributes;
      return `${verb} ${resource}${group === '' ? '' : `.${group}`}`;
    });
}

/** Reads of one kind by the account: `verb code`, each once. */
function reads(plural: string): string[] {
  const asked = calls(stage, plural).filter(({ user }) => user.username === reader);
  return [...new Set(asked.map(({ verb, responseStatus }) => `${verb} ${responseStatus?.code ?? 200}`))].sort();
}

const clean = (found: AppView | undefined): boolean => isSynced(found) && conditionsOf(found).length === 0;

test('unset/empty: this will disable the feature and controller will continue to monitor all resources', async () => {
  const broken = await app(has('ComparisonError: failed to load initial state of resource'));
  assert.match(
    conditionsOf(broken).join('\n'),
    /the credential may not list .* \(403\); set resource\.respectRBAC to normal or strict in argocd-cm to leave such kinds out/,
  );
  assert.equal(broken.status?.sync?.status, 'Unknown');
  assert.deepEqual(reviews(), []);
});

test('normal: this will only check whether the list call response is forbidden and skip the SelfSubjectAccessReview call', async () => {
  await respect('normal');
  await app(clean);
  assert.deepEqual(reviews(), []);
  assert.deepEqual(reads('secrets'), ['list 403'], 'what may not be listed is not watched');
  assert.ok(reads('configmaps').includes('watch 200'));
  assert.notEqual(await stage.get('ConfigMap', 'p3-shop', 'shop'), undefined);
});

test('strict: if the list call response is forbidden, make the SelfSubjectAccessReview call to confirm', async () => {
  await respect('strict');
  await until(
    () => Promise.resolve(reviews()),
    (asked) => ['list secrets', 'watch secrets', 'list deployments.apps'].every((each) => asked.includes(each)),
    60_000,
  );
  await app(clean);
  // Only after a refusal: what may be listed is not asked about.
  for (const plural of ['configmaps', 'services'])
    assert.ok(!reviews().some((each) => each.endsWith(` ${plural}`)), plural);
});

test('once controller determines that it does not have access to the resource it will stop monitoring it', async () => {
  await stage.apply(rights(['services']));
  const reset = resetter(proxy);
  await until(
    () => {
      reset();
      return appView(stage, plane, 'shop');
    },
    has('UnreadableResourceWarning'),
    60_000,
  );
  // Nothing that was known counts as gone: the object stays, and it is read one by one.
  await stage.patch('ConfigMap', 'p3-shop', 'shop', { data: { greeting: 'drift' } });
  await stage.patch('Application', plane, 'shop', {
    metadata: { annotations: { 'argocd.argoproj.io/refresh': 'normal' } },
  });
  await until(
    () => stage.get('ConfigMap', 'p3-shop', 'shop'),
    (found) => JSON.stringify(found?.['data']).includes('hello'),
    60_000,
  );
  await stage.apply(rights(['configmaps', 'services']));
  await app(clean);
});

test('while downgrading, resource.respectRBAC is ignored and it reverts to trying to monitor all resources', async () => {
  await respect(null);
  await app(has('ComparisonError: failed to load initial state of resource'));
  assert.notEqual(await stage.get('ConfigMap', 'p3-shop', 'shop'), undefined);
  await respect('normal');
  await app(clean);
});
