import type { KubeObject } from '../../core/objects/index.ts';

/** The control-plane namespace of the demo. */
export const controlPlane = 'argocd';
export const tenants = ['blue', 'green'] as const;
export type Tenant = (typeof tenants)[number];

/** The account the controller runs as, of which the demo shows that it writes nothing but status and Events. */
export const controllerAccount = `system:serviceaccount:${controlPlane}:argosy`;

/** Where a tenant's Applications and Secrets live, on the control-plane cluster. */
export const homeOf = (tenant: Tenant): string => `team-${tenant}`;
/** Where a tenant deploys to, on the workload cluster. */
export const prodOf = (tenant: Tenant): string => `${tenant}-prod`;

const inCluster = 'https://kubernetes.default.svc';

function namespace(name: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}

function account(name: string, ns: string): KubeObject {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: ns } };
}

function binding(name: string, ns: string, role: string): KubeObject {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name, namespace: ns },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [{ kind: 'ServiceAccount', name, namespace: ns }],
  };
}

/** What the platform's admin sets up on the control-plane cluster: settings, and a home and a project for each tenant. */
export function platform(workloadHost: string): KubeObject[] {
  const settings: KubeObject = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'argocd-cm', namespace: controlPlane, labels: { 'app.kubernetes.io/part-of': 'argocd' } },
    data: {
      'application.sync.impersonation.enabled': 'true',
      // The demo's workload cluster and repository are on this machine: exactly these two exceptions.
      'cluster.tenant.allowedHosts': workloadHost,
      'source.allowedHosts': 'file:',
    },
  };
  const params: KubeObject = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'argocd-cmd-params-cm', namespace: controlPlane },
    data: { 'application.namespaces': tenants.map(homeOf).join(',') },
  };
  const roles: KubeObject = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'argosy-application-editor' },
    rules: [
      {
        apiGroups: ['argoproj.io'],
        resources: ['applications'],
        verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'],
      },
    ],
  };
  return [
    namespace(controlPlane),
    settings,
    params,
    roles,
    ...controllerRights(),
    ...tenants.flatMap((tenant) => home(tenant)),
  ];
}

/** What `deploy/base/cluster-wide` grants: to read, to impersonate, to write status and Events. */
function controllerRights(): KubeObject[] {
  const apiGroup = 'rbac.authorization.k8s.io';
  const role: KubeObject = {
    apiVersion: `${apiGroup}/v1`,
    kind: 'ClusterRole',
    metadata: { name: 'argosy' },
    rules: [
      { apiGroups: ['*'], resources: ['*'], verbs: ['list', 'watch'] },
      { apiGroups: [''], resources: ['configmaps', 'secrets'], verbs: ['get'] },
      { apiGroups: ['argoproj.io'], resources: ['applications', 'appprojects'], verbs: ['get', 'patch'] },
      { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
      { apiGroups: [''], resources: ['serviceaccounts'], verbs: ['impersonate'] },
    ],
  };
  const bound: KubeObject = {
    apiVersion: `${apiGroup}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: 'argosy' },
    roleRef: { apiGroup, kind: 'ClusterRole', name: 'argosy' },
    subjects: [{ kind: 'ServiceAccount', name: 'argosy', namespace: controlPlane }],
  };
  return [account('argosy', controlPlane), role, bound];
}

function home(tenant: Tenant): KubeObject[] {
  const ns = homeOf(tenant);
  return [
    namespace(ns),
    account('deployer', ns),
    binding('deployer', ns, 'argosy-application-editor'),
    project(tenant),
  ];
}

function project(tenant: Tenant): KubeObject {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name: ns(tenant), namespace: controlPlane },
    spec: {
      description: `what team ${tenant} may do`,
      sourceNamespaces: [homeOf(tenant)],
      sourceRepos: ['file://**'],
      destinations: [
        { server: inCluster, namespace: homeOf(tenant) },
        { name: `${tenant}-workloads`, namespace: prodOf(tenant) },
      ],
      destinationServiceAccounts: [{ server: inCluster, namespace: homeOf(tenant), defaultServiceAccount: 'deployer' }],
    },
  };
}

const ns = (tenant: Tenant): string => homeOf(tenant);

/** What the workload cluster's admin gives each tenant: a namespace and an account that may edit it, and nothing else. */
export function workload(): KubeObject[] {
  return tenants.flatMap((tenant) => [
    namespace(prodOf(tenant)),
    account('deployer', prodOf(tenant)),
    binding('deployer', prodOf(tenant), 'edit'),
  ]);
}

/** What each tenant brings: its own credential for the workload cluster, and one root Application. */
export function tenantObjects(
  tenant: Tenant,
  cluster: { server: string; ca: string; token: string },
  repoURL: string,
): KubeObject[] {
  const secret: KubeObject = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'workloads', namespace: homeOf(tenant), labels: { 'argocd.argoproj.io/secret-type': 'cluster' } },
    stringData: {
      name: `${tenant}-workloads`,
      server: cluster.server,
      project: homeOf(tenant),
      namespaces: prodOf(tenant),
      config: JSON.stringify({
        bearerToken: cluster.token,
        tlsClientConfig: { caData: Buffer.from(cluster.ca).toString('base64') },
      }),
    },
  };
  return [
    secret,
    application('root', tenant, { repoURL, path: `${tenant}/apps` }, { server: inCluster, namespace: homeOf(tenant) }),
  ];
}

/** An Application that keeps itself in sync. */
export function application(
  name: string,
  tenant: Tenant,
  source: { repoURL: string; path: string },
  destination: { server?: string; name?: string; namespace: string },
): KubeObject {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: homeOf(tenant), finalizers: ['resources-finalizer.argocd.argoproj.io'] },
    spec: {
      project: homeOf(tenant),
      source: { ...source, targetRevision: 'main' },
      destination,
      syncPolicy: { automated: { prune: true, selfHeal: true } },
    },
  };
}

/** The first commit of the demo's repository: for each tenant an app-of-apps folder and what its Application deploys. */
export function repositoryFiles(repoURL: string): Record<string, string> {
  const files: Record<string, string> = {};
  for (const tenant of tenants) {
    const shop = application(
      'shop',
      tenant,
      { repoURL, path: `${tenant}/shop` },
      { name: `${tenant}-workloads`, namespace: prodOf(tenant) },
    );
    files[`${tenant}/apps/shop.json`] = `${JSON.stringify(shop, null, 2)}\n`;
    files[`${tenant}/shop/config.yaml`] =
      `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: shop\ndata:\n  greeting: hello from ${tenant}\n`;
    files[`${tenant}/shop/web.yaml`] = deployment(tenant);
  }
  return files;
}

function deployment(tenant: Tenant): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: registry.example.com/${tenant}/web:1.0
`;
}
