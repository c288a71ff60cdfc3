/**
 * What an admin sets up for one tenant: `<name>-argocd` (control plane), `<name>-team` (the tenant's namespace and
 * project), `<name>-shop` (where it deploys), and the account `<name>-shop/deployer` that may edit there.
 */
export function tenantPlatform(name: string, settings: Readonly<Record<string, string>> = {}): string {
  const data = { 'application.sync.impersonation.enabled': 'true', 'source.allowedHosts': 'file:', ...settings };
  const namespaces = ['argocd', 'team', 'shop'].map(
    (part) => `---\napiVersion: v1\nkind: Namespace\nmetadata: {name: ${name}-${part}}\n`,
  );
  return `${namespaces.join('')}---
apiVersion: v1
kind: ServiceAccount
metadata: {name: deployer, namespace: ${name}-shop}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: deployer, namespace: ${name}-shop}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: edit}
subjects: [{kind: ServiceAccount, name: deployer, namespace: ${name}-shop}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm, namespace: ${name}-argocd, labels: {app.kubernetes.io/part-of: argocd}}
data: ${JSON.stringify(data)}
---
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: ${name}-team, namespace: ${name}-argocd}
spec:
  sourceRepos: ['*']
  sourceNamespaces: [${name}-team]
  destinations: [{server: https://kubernetes.default.svc, namespace: ${name}-shop}]
  destinationServiceAccounts:
  - {server: https://kubernetes.default.svc, namespace: ${name}-shop, defaultServiceAccount: deployer}
`;
}
