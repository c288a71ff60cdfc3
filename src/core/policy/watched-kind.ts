import type { ResourceFilter, Settings } from '../api/index.ts';
import type { GroupKind } from '../objects/index.ts';
import { matcherOf } from './matcher.ts';

/** Kinds nobody deploys and everybody writes: never watched, whatever the settings say. */
const never: readonly ResourceFilter[] = [
  { apiGroups: ['events.k8s.io', 'metrics.k8s.io'] },
  { apiGroups: [''], kinds: ['Event'] },
  { apiGroups: ['coordination.k8s.io'], kinds: ['Lease'] },
];

/**
 * Whether a kind of a cluster is looked at, by `resource.exclusions` and `resource.inclusions`; asked before any list, so
 * an excluded kind is never forbidden. An exclusion wins; where any inclusion concerns the cluster, the rest is out.
 */
export function watchesKind(
  settings: Pick<Settings, 'resourceExclusions' | 'resourceInclusions'>,
  server: string,
  kind: GroupKind,
): boolean {
  const hits = (filter: ResourceFilter): boolean => concerns(filter, server) && names(filter, kind);
  if (never.some(hits) || settings.resourceExclusions.some(hits)) return false;
  const inclusions = settings.resourceInclusions.filter((filter) => concerns(filter, server));
  return inclusions.length === 0 || inclusions.some((filter) => names(filter, kind));
}

/** Clusters are named by globs; none named means all. */
function concerns({ clusters = [] }: ResourceFilter, server: string): boolean {
  return clusters.length === 0 || clusters.some((pattern) => matcherOf(pattern)?.matches(server) === true);
}

/** Groups are globs, kinds are words or `*`; an empty list means all. */
function names({ apiGroups = [], kinds = [] }: ResourceFilter, { group, kind }: GroupKind): boolean {
  const inGroup = apiGroups.length === 0 || apiGroups.some((pattern) => matcherOf(pattern)?.matches(group) === true);
  return inGroup && (kinds.length === 0 || kinds.includes('*') || kinds.includes(kind));
}
