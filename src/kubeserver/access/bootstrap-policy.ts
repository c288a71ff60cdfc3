import type { KubeObject } from '../../core/objects/index.ts';
import type { Inside } from '../ports.ts';
import { bootstrapRules } from './bootstrap-rules.ts';

const apiVersion = 'rbac.authorization.k8s.io/v1';
const aggregates = (to: string): string => `rbac.authorization.k8s.io/aggregate-to-${to}`;

/** Role → the role it adds its rules to. */
const aggregatedTo: { readonly [role: string]: string } = {
  edit: 'admin',
  view: 'edit',
  'system:aggregate-to-admin': 'admin',
  'system:aggregate-to-edit': 'edit',
  'system:aggregate-to-view': 'view',
};

const everyone = ['system:authenticated'];

/** Binding (named as its role) → groups. */
const bindings: { readonly [role: string]: readonly string[] } = {
  'cluster-admin': ['system:masters'],
  'system:basic-user': everyone,
  'system:discovery': everyone,
  'system:monitoring': ['system:monitoring'],
  'system:public-info-viewer': [...everyone, 'system:unauthenticated'],
  'system:service-account-issuer-discovery': ['system:serviceaccounts'],
};

/** Creates the ClusterRoles and bindings every Kubernetes cluster is born with, those that are missing. */
export async function bootstrapPolicy(inside: Inside): Promise<void> {
  for (const object of bootstrapObjects()) {
    const { kind, metadata } = object;
    if (inside.get('rbac.authorization.k8s.io', kind, '', metadata.name ?? '') === undefined)
      await inside.create(object);
  }
}

/** The objects of `bootstrapPolicy`; the aggregated roles start empty, an actor fills them. */
export function bootstrapObjects(): KubeObject[] {
  const plain = Object.entries(bootstrapRules).map(([name, lines]) => role(name, { rules: lines.map(parseLine) }));
  const gathered = ['admin', 'edit', 'view'].map((name) =>
    role(name, {
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [aggregates(name)]: 'true' } }] },
      rules: null,
    }),
  );
  return [...plain, ...gathered, ...Object.entries(bindings).map(([name, groups]) => binding(name, groups))];
}

function metadata(name: string): KubeObject['metadata'] {
  const to = aggregatedTo[name];
  return {
    name,
    annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
    labels: {
      'kubernetes.io/bootstrapping': 'rbac-defaults',
      ...(to === undefined ? {} : { [aggregates(to)]: 'true' }),
    },
  };
}

function role(name: string, rest: { readonly [key: string]: unknown }): KubeObject {
  return { apiVersion, kind: 'ClusterRole', metadata: metadata(name), ...rest };
}

function binding(name: string, groups: readonly string[]): KubeObject {
  return {
    apiVersion,
    kind: 'ClusterRoleBinding',
    metadata: metadata(name),
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: groups.map((group) => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: group })),
  };
}

function parseLine(line: string): { readonly [key: string]: readonly string[] } {
  const [first = [], second = [], third = []] = line.split(' | ').map((part) => part.split(','));
  if (first[0] === 'url') return { nonResourceURLs: third, verbs: second };
  return { apiGroups: second.map((group) => (group === '-' ? '' : group)), resources: third, verbs: first };
}
