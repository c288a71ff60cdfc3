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

/** Namespaces as an admin makes them. */
export function namespaces(...names: readonly string[]): string {
  return names.map((name) => `---\napiVersion: v1\nkind: Namespace\nmetadata: {name: ${name}}\n`).join('');
}

/** A service account (`namespace/name`) that may edit what is in some namespaces: by default in its own. */
export function deployer(account: string, edits?: readonly string[]): string {
  const [namespace = '', name = ''] = account.split('/');
  const bindings = (edits ?? [namespace]).map(
    (place) => `---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: ${namespace}-${name}, namespace: ${place}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: edit}
subjects: [{kind: ServiceAccount, name: ${name}, namespace: ${namespace}}]
`,
  );
  return `---
apiVersion: v1
kind: ServiceAccount
metadata: {name: ${name}, namespace: ${namespace}}
${bindings.join('')}`;
}

/** The ConfigMap `argocd-cm` of a control plane whose repositories are on this machine. */
export function settings(namespace: string, data: Readonly<Record<string, string>> = {}): string {
  return `---
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm, namespace: ${namespace}, labels: {app.kubernetes.io/part-of: argocd}}
data: ${JSON.stringify({ 'source.allowedHosts': 'file:', ...data })}
`;
}

/** A ConfigMap as it stands in a repository. */
export function configMap(name: string, metadata = '', text = 'hello'): string {
  const more = metadata === '' ? '' : `, ${metadata}`;
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}${more}}\ndata: {greeting: ${text}}\n`;
}

/** How somebody reaches a cluster. */
export interface Way {
  readonly url: string;
  /** PEM. */
  readonly ca: string;
  readonly token: string;
}

/** A cluster Secret (`namespace/name`) as a person writes it; `data` adds keys or replaces them. */
export function clusterSecret(secret: string, { url, ca, token }: Way, data: Readonly<Record<string, string>>): string {
  const [namespace = '', name = ''] = secret.split('/');
  const tlsClientConfig = { caData: Buffer.from(ca).toString('base64') };
  const config = JSON.stringify({ bearerToken: token, tlsClientConfig });
  return `---
apiVersion: v1
kind: Secret
metadata: {name: ${name}, namespace: ${namespace}, labels: {argocd.argoproj.io/secret-type: cluster}}
type: Opaque
stringData: ${JSON.stringify({ name, server: url, config, ...data })}
`;
}
