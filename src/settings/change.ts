import { type AppProject, type Cluster, clusterKey, type Repository, type Snapshot } from '../core/api/index.ts';
import { equal } from '../core/json/index.ts';
import { normalizeRepositoryUrl, selectsLabels } from '../core/match/index.ts';

/** What a new snapshot changed; whatever is not named here decides as before. */
export interface Change {
  readonly revision: number;
  /** The first snapshot: everything is new. */
  readonly initial: boolean;
  /** Names of projects whose rules may differ now: their own, inherited ones, or those of Secrets scoped to them. */
  readonly projects: ReadonlySet<string>;
  /** Keys (`namespace/secret`) of clusters that came, went or changed and are or were in use. */
  readonly clusters: ReadonlySet<string>;
  /** Normalised addresses of repositories whose Secret came, went or changed. */
  readonly repositories: ReadonlySet<string>;
  /** Addresses (prefixes) of credential templates that came, went or changed. */
  readonly templates: ReadonlySet<string>;
  /** Keys such as `argocd-cm/resource.respectRBAC`. */
  readonly settings: ReadonlySet<string>;
  /** The list of namespaces, whether tenants' clusters count, or in which of them they cannot be read. */
  readonly namespaces: boolean;
}

/** True where nothing is named: nobody needs to look again. */
export function isEmptyChange(change: Change): boolean {
  const { projects, clusters, repositories, templates, settings } = change;
  const sets = [projects, clusters, repositories, templates, settings];
  return !change.initial && !change.namespaces && sets.every((each) => each.size === 0);
}

/** Compares two snapshots; the first one is compared with nothing. */
export function changeBetween(before: Snapshot | undefined, after: Snapshot): Change {
  const clusters = changedClusters(before?.clusters ?? [], after.clusters);
  const repositories = changedValues(before?.repositories ?? [], after.repositories, clusterKey);
  const settings = changedSettings(before, after);
  const projects = new Set<string>();
  addChangedProjects(projects, before?.projects, after.projects);
  addBrokenProjects(projects, before?.brokenProjects ?? new Map(), after.brokenProjects);
  for (const { tenant, project } of clusters) if (!tenant && project !== '') projects.add(project);
  for (const { project } of repositories) if (project !== '') projects.add(project);
  addDependents(projects, before, after, settings.has('argocd-cm/globalProjects'));
  return {
    revision: after.revision,
    initial: before === undefined,
    projects,
    clusters: new Set(clusters.map(clusterKey)),
    repositories: new Set(repositories.filter((each) => !each.template).map(addressOf)),
    templates: new Set(repositories.filter((each) => each.template).map(({ url }) => url)),
    settings,
    namespaces:
      before === undefined ||
      before.tenantClusters !== after.tenantClusters ||
      !sameUnread(before, after) ||
      !equal(before.appNamespaces, after.appNamespaces),
  };
}

/** Where Secrets could not be read, clusters are unknown; that they can be read now is news even where there is none. */
function sameUnread(before: Snapshot, after: Snapshot): boolean {
  return equal([...(before.unread?.keys() ?? [])].sort(), [...(after.unread?.keys() ?? [])].sort());
}

function addressOf({ url }: Repository): string {
  return normalizeRepositoryUrl(url) ?? url;
}

/** A refused Secret that stays refused is nobody's concern but its owner's, who is told by an Event. */
function changedClusters(before: readonly Cluster[], after: readonly Cluster[]): readonly Cluster[] {
  if (before === after) return [];
  const used = (each: Cluster): boolean => each.acceptance.accepted;
  return changedValues(before.filter(used), after.filter(used), clusterKey);
}

/** What is in one list only, or differs between them; both values of a changed one. */
function changedValues<T>(before: readonly T[], after: readonly T[], keyOf: (value: T) => string): readonly T[] {
  // Both are in the same order, and mostly equal: what they begin and end with alike needs no look at its key.
  let start = 0;
  while (start < before.length && before[start] === after[start]) start++;
  let [endBefore, endAfter] = [before.length, after.length];
  while (endBefore > start && endAfter > start && before[endBefore - 1] === after[endAfter - 1]) {
    endBefore--;
    endAfter--;
  }
  const old = new Map(before.slice(start, endBefore).map((each) => [keyOf(each), each]));
  const changed: T[] = [];
  for (const each of after.slice(start, endAfter)) {
    const key = keyOf(each);
    const was = old.get(key);
    old.delete(key);
    if (was === each) continue;
    changed.push(each);
    if (was !== undefined) changed.push(was);
  }
  return [...changed, ...old.values()];
}

function addChangedProjects(
  into: Set<string>,
  before: ReadonlyMap<string, AppProject> | undefined,
  after: ReadonlyMap<string, AppProject>,
): void {
  for (const name of new Set([...(before?.keys() ?? []), ...after.keys()])) {
    const [was, is] = [before?.get(name), after.get(name)];
    if (was !== is && (was === undefined || is === undefined || !sameRules(was, is))) into.add(name);
  }
}

function addBrokenProjects(
  into: Set<string>,
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): void {
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    if (before.get(name) !== after.get(name)) into.add(name);
  }
}

/** Projects have no status subresource, so only their content tells a new rule from a new condition. */
function sameRules(a: AppProject, b: AppProject): boolean {
  return (
    equal(a.raw['spec'], b.raw['spec']) &&
    equal({ ...a.metadata.labels }, { ...b.metadata.labels }) &&
    a.metadata.deletionTimestamp === b.metadata.deletionTimestamp &&
    a.metadata.uid === b.metadata.uid
  );
}

/** Projects that inherit from a touched global project; all of them where the list of global projects changed. */
function addDependents(into: Set<string>, before: Snapshot | undefined, after: Snapshot, all: boolean): void {
  const globals = [...(before?.settings.globalProjects ?? []), ...after.settings.globalProjects];
  for (const { projectName, labelSelector } of globals) {
    if (!all && !into.has(projectName)) continue;
    for (const [name, project] of after.projects) {
      if (selectsLabels(labelSelector, project.metadata.labels ?? {})) into.add(name);
    }
  }
}

function changedSettings(before: Snapshot | undefined, after: Snapshot): ReadonlySet<string> {
  const changed = new Set<string>();
  const maps: readonly [string, (snapshot: Snapshot) => ReadonlyMap<string, string>][] = [
    ['argocd-cm', ({ settings }) => settings.data],
    ['argocd-cmd-params-cm', ({ params }) => params.data],
    ['argocd-rbac-cm', ({ rbac }) => rbac.data],
    ['argocd-tls-certs-cm', ({ tlsCertificates }) => tlsCertificates],
    ['argocd-gpg-keys-cm', ({ gpgKeys }) => gpgKeys ?? new Map()],
    ['argocd-ssh-known-hosts-cm', ({ knownHosts }) => new Map([['ssh_known_hosts', knownHosts]])],
  ];
  for (const [name, dataOf] of maps) {
    const [was, is] = [before === undefined ? new Map<string, string>() : dataOf(before), dataOf(after)];
    for (const key of new Set([...was.keys(), ...is.keys()])) {
      if (was.get(key) !== is.get(key)) changed.add(`${name}/${key}`);
    }
  }
  return changed;
}
