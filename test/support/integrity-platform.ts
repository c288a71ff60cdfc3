import type { AppView } from './story.ts';

/** A control plane with one project that asks for signatures. */
export function integrityPlatform({
  plane,
  target,
  policy,
  keys,
}: {
  readonly plane: string;
  readonly target: string;
  /** The line of the project's spec. */
  readonly policy: string;
  /** Public keys by their ids. */
  readonly keys: Readonly<Record<string, string>>;
}): string {
  return `
apiVersion: v1
kind: Namespace
metadata: {name: ${plane}}
---
apiVersion: v1
kind: Namespace
metadata: {name: ${target}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm, namespace: ${plane}, labels: {app.kubernetes.io/part-of: argocd}}
data: {source.allowedHosts: "file:"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-gpg-keys-cm, namespace: ${plane}}
data: ${JSON.stringify(keys)}
---
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: default, namespace: ${plane}}
spec:
  sourceRepos: ['*']
  destinations: [{server: '*', namespace: '${target}'}]
  ${policy}
`;
}

/** An Application that syncs itself. */
export function application({
  plane,
  target,
  name,
  url,
}: {
  readonly plane: string;
  readonly target: string;
  readonly name: string;
  readonly url: string;
}): string {
  return `
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: ${name}, namespace: ${plane}}
spec:
  project: default
  source: {repoURL: ${url}, path: shop, targetRevision: HEAD}
  destination: {server: https://kubernetes.default.svc, namespace: ${target}}
  syncPolicy: {automated: {prune: true, selfHeal: true}}
`;
}

/** A ConfigMap as a file. */
export function configMap(name: string): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {a: "1"}\n`;
}

/** What stands in the way of a comparison. */
export function comparisonError(app: AppView | undefined): string {
  return app?.status?.conditions?.find(({ type }) => type === 'ComparisonError')?.message ?? '';
}
