import type { KubeObject } from '../../src/core/objects/index.ts';

/** An Application's place, and which of the repository's folders it reads. */
export interface Named {
  readonly namespace: string;
  readonly name: string;
  readonly at: number;
}

/** An Application of one folder, synced and healed automatically. */
export function application(repoURL: string, named: Named | undefined, project: string, shop: string): KubeObject {
  const { namespace = '', name = '', at = 0 } = named ?? {};
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace },
    spec: {
      project,
      source: { repoURL, path: `app-${at}`, targetRevision: 'main' },
      destination: { server: 'https://kubernetes.default.svc', namespace: shop },
      syncPolicy: { automated: { prune: true, selfHeal: true } },
    },
  };
}

const namespaces = (names: readonly string[]): string =>
  names.map((name) => `---\napiVersion: v1\nkind: Namespace\nmetadata: {name: ${name}}\n`).join('');
const settings = (namespace: string, impersonation: boolean): string => `---
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm, namespace: ${namespace}, labels: {app.kubernetes.io/part-of: argocd}}
data: {application.sync.impersonation.enabled: "${impersonation}", source.allowedHosts: "file:"}
`;

/** A control plane and project of Applications without tenants: `<name>-argocd`, deploying into `<name>-shop`. */
export function plainPlatform(name: string): string {
  return `${namespaces([`${name}-argocd`, `${name}-shop`])}${settings(`${name}-argocd`, false)}---
apiVersion: v1
kind: ServiceAccount
metadata: {name: default, namespace: ${name}-shop}
---
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: default, namespace: ${name}-argocd}
spec: {sourceRepos: ['*'], destinations: [{server: '*', namespace: '*'}]}
`;
}

/** Tenants with a project, an account and two namespaces each. */
export function tenantPlatform(name: string, teams: number): string {
  const each = Array.from(
    { length: teams },
    (_, at) => `${namespaces([`${name}${at}-team`, `${name}${at}-shop`])}---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: deployer, namespace: ${name}${at}-shop}
rules: [{apiGroups: [''], resources: [configmaps], verbs: [get, list, create, update, patch, delete]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: deployer, namespace: ${name}${at}-shop}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: deployer}
subjects: [{kind: ServiceAccount, name: deployer, namespace: ${name}${at}-shop}]
---
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: ${name}${at}, namespace: ${name}-argocd}
spec:
  sourceRepos: ['*']
  sourceNamespaces: [${name}${at}-team]
  destinations: [{server: https://kubernetes.default.svc, namespace: ${name}${at}-shop}]
  destinationServiceAccounts:
  - {server: https://kubernetes.default.svc, namespace: ${name}${at}-shop, defaultServiceAccount: deployer}
`,
  );
  return `${namespaces([`${name}-argocd`])}${settings(`${name}-argocd`, true)}${each.join('')}`;
}
