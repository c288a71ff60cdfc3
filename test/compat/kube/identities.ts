import { text } from '../../support/raw-client.ts';
import { admin, eventually, ok, unique } from './cluster.ts';

export const rbac = '/apis/rbac.authorization.k8s.io/v1';

/** One rule of a role. */
export interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** Rules over resources of the core group. */
export const core = (verbs: string[], resources: string[], resourceNames?: string[]): Rule => ({
  apiGroups: [''],
  resources,
  verbs,
  ...(resourceNames === undefined ? {} : { resourceNames }),
});

/** Grants rules to a user (or a subject) inside one namespace. */
export async function grant(namespace: string, subject: string | object, rules: readonly Rule[]): Promise<string> {
  const [api, name] = [await admin(), unique('r')];
  const base = `${rbac}/namespaces/${namespace}`;
  ok(await api.create(`${base}/roles`, { metadata: { name }, rules }), 201);
  await bind(`${base}/rolebindings`, name, 'Role', subject);
  return name;
}

/** Grants rules to a user (or a subject) everywhere. */
export async function grantEverywhere(
  subject: string | object,
  rules: readonly Rule[],
  more: object = {},
): Promise<string> {
  const [api, name] = [await admin(), unique('r')];
  ok(await api.create(`${rbac}/clusterroles`, { metadata: { name }, rules, ...more }), 201);
  await bind(`${rbac}/clusterrolebindings`, name, 'ClusterRole', subject);
  return name;
}

/** Binds a role under its own name. */
export async function bind(path: string, name: string, kind: string, subject: string | object): Promise<void> {
  const api = await admin();
  const user = { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: subject };
  const body = {
    metadata: { name: unique(name.slice(0, 30)) },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name },
    subjects: [typeof subject === 'string' ? user : subject],
  };
  ok(await api.create(path, body), 201);
}

/** Creates a service account and gives a token for it. */
export async function serviceAccountToken(namespace: string, name: string, spec: object = {}): Promise<string> {
  const api = await admin();
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  ok(await api.create(path, { metadata: { name } }), 201);
  const made = await eventually(async () => ok(await api.create(`${path}/${name}/token`, { spec }), 201));
  return text(made.status?.token);
}
