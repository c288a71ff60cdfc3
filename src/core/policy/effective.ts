import type {
  AppProject,
  Cluster,
  DestinationServiceAccount,
  ProjectDestination,
  Repository,
  ResourcePattern,
  Snapshot,
  SyncWindow,
} from '../api/index.ts';
import { clusterKey } from '../api/index.ts';
import { selectsLabels } from '../match/index.ts';
import { Accounts } from './accounts.ts';
import { type DestinationRule, Destinations } from './destinations.ts';
import { Kinds } from './kinds.ts';
import { Memory } from './memory.ts';
import { Namespaces } from './namespaces.ts';
import { type Written, written } from './origin.ts';
import { indexOf } from './snapshot-index.ts';
import { Sources } from './sources.ts';

/** Everything an effective project is made of; as long as all of it is the same, so is the project. */
interface Parts {
  readonly project: AppProject;
  readonly controlPlane: string;
  readonly globals: readonly AppProject[];
  readonly repositories: readonly Repository[];
  readonly clusters: readonly Cluster[];
  /** Tenants' clusters that serve as destinations, where the project declares none. */
  readonly own: readonly Cluster[];
}

/**
 * A project with what it inherits: scoped repositories and clusters, global projects. Compiled once per revision of its
 * parts, whatever else changes in the snapshot; verdicts are remembered inside, so they go when it goes.
 */
export class EffectiveProject {
  readonly name: string;
  readonly project: AppProject;
  /** `AppProject argocd/team-a`. */
  readonly object: string;
  readonly revision: string;
  readonly controlPlane: string;
  readonly onlyScopedClusters: boolean;
  readonly sourceNamespaces: Namespaces;
  /** Answers already given; they go with the project. */
  readonly memory = new Memory();
  readonly #parts: Parts;
  #sources: Sources | undefined;
  #destinations: Destinations | undefined;
  #accounts: Accounts | undefined;
  readonly #kinds = new Map<string, Kinds | undefined>();

  constructor(parts: Parts) {
    const { project } = parts;
    this.#parts = parts;
    this.name = project.metadata.name;
    this.project = project;
    this.controlPlane = parts.controlPlane;
    this.object = objectOf(project, parts.controlPlane);
    this.revision = project.metadata.resourceVersion ?? '';
    this.onlyScopedClusters = project.spec.permitOnlyProjectScopedClusters === true;
    this.sourceNamespaces = new Namespaces(project.spec.sourceNamespaces ?? []);
  }

  /** The project itself first, then the global ones it inherits from. */
  get lineage(): readonly AppProject[] {
    return [this.#parts.project, ...this.#parts.globals];
  }

  get sources(): Sources {
    this.#sources ??= new Sources([
      ...this.#own('sourceRepos'),
      ...this.#parts.repositories.map(repositoryRule),
      ...this.#inherited('sourceRepos'),
    ]);
    return this.#sources;
  }

  get destinations(): Destinations {
    this.#destinations ??= new Destinations([
      ...this.#own('destinations').map(forAll),
      ...this.#parts.clusters.flatMap((cluster) => clusterRules(cluster, 'control-plane')),
      ...this.#parts.own.flatMap((cluster) => clusterRules(cluster, cluster)),
      ...this.#inherited('destinations').map(forAll),
    ]);
    return this.#destinations;
  }

  get accounts(): Accounts {
    this.#accounts ??= new Accounts(this.all('destinationServiceAccounts'));
    return this.#accounts;
  }

  get windows(): readonly Written<SyncWindow>[] {
    return this.all('syncWindows');
  }

  /** One of the resource lists; undefined where neither the project nor a global one has it (then null, not empty). */
  kinds(list: KindList): Kinds | undefined {
    if (!this.#kinds.has(list)) {
      const present = this.lineage.some(({ spec }) => spec[list] !== undefined);
      const effect = list.endsWith('Whitelist') ? 'permit' : 'deny';
      this.#kinds.set(list, present ? new Kinds(this.all(list), effect) : undefined);
    }
    return this.#kinds.get(list);
  }

  /** Own entries first, then inherited ones in the order of the setting: where the first match wins, the own wins. */
  all<L extends ListName>(list: L): Written<Item<L>>[] {
    return [...this.#own(list), ...this.#inherited(list)];
  }

  #own<L extends ListName>(list: L): Written<Item<L>>[] {
    return listOf(this.#parts.project, list, this.#parts.controlPlane);
  }

  #inherited<L extends ListName>(list: L): Written<Item<L>>[] {
    return this.#parts.globals.flatMap((global) => listOf(global, list, this.#parts.controlPlane));
  }

  /** Tells whether this is still the project made of these parts. */
  isMadeOf(parts: Parts): boolean {
    const mine = this.#parts;
    return (
      mine.project === parts.project &&
      mine.controlPlane === parts.controlPlane &&
      sameItems(mine.globals, parts.globals) &&
      sameItems(mine.repositories, parts.repositories) &&
      sameItems(mine.clusters, parts.clusters) &&
      sameItems(mine.own, parts.own)
    );
  }
}

interface Lists {
  readonly sourceRepos: string;
  readonly destinations: ProjectDestination;
  readonly destinationServiceAccounts: DestinationServiceAccount;
  readonly syncWindows: SyncWindow;
  readonly clusterResourceWhitelist: ResourcePattern;
  readonly clusterResourceBlacklist: ResourcePattern;
  readonly namespaceResourceWhitelist: ResourcePattern;
  readonly namespaceResourceBlacklist: ResourcePattern;
}
type ListName = keyof Lists;
type Item<L extends ListName> = Lists[L];
export type KindList =
  | 'clusterResourceWhitelist'
  | 'clusterResourceBlacklist'
  | 'namespaceResourceWhitelist'
  | 'namespaceResourceBlacklist';

function listOf<L extends ListName>(project: AppProject, list: L, controlPlane: string): Written<Item<L>>[] {
  const items = project.spec[list] as readonly Item<L>[] | undefined; // Lists repeats the types of the spec's lists
  return written(items, {
    object: objectOf(project, controlPlane),
    revision: project.metadata.resourceVersion ?? '',
    list: `spec.${list}`,
  });
}

function objectOf(project: AppProject, controlPlane: string): string {
  return `AppProject ${project.metadata.namespace ?? controlPlane}/${project.metadata.name}`;
}

function forAll(rule: Written<ProjectDestination>): DestinationRule {
  return { ...rule, audience: 'all' };
}

function repositoryRule(repository: Repository): Written<string> {
  return {
    value: repository.url,
    origin: {
      object: `Secret ${repository.namespace}/${repository.secret}`,
      revision: repository.resourceVersion,
      list: 'data.url',
      index: undefined,
    },
  };
}

/** A scoped cluster as destinations of its project: one for each of its namespaces, or one for all. */
function clusterRules(cluster: Cluster, audience: DestinationRule['audience']): DestinationRule[] {
  const origin = {
    object: `Secret ${clusterKey(cluster)}`,
    revision: cluster.resourceVersion,
    list: cluster.namespaces.length === 0 ? 'data.server' : 'data.namespaces',
  };
  if (cluster.namespaces.length === 0) {
    return [{ value: { server: cluster.server, namespace: '*' }, origin: { ...origin, index: undefined }, audience }];
  }
  return cluster.namespaces.map((namespace, index) => ({
    value: { server: cluster.server, namespace },
    origin: { ...origin, index },
    audience,
  }));
}

const compiled = new WeakMap<AppProject, EffectiveProject>();

/** The effective project of a name, or undefined where there is none. */
export function effectiveProject(snapshot: Snapshot, name: string): EffectiveProject | undefined {
  const { effective } = indexOf(snapshot);
  const known = effective.get(name);
  if (known !== undefined) return known;
  const project = snapshot.projects.get(name);
  if (project === undefined) return undefined;
  const found = compileOnce(project, partsOf(snapshot, project));
  effective.set(name, found);
  return found;
}

/** What an earlier snapshot compiled serves on while all its parts are the same values. */
function compileOnce(project: AppProject, parts: Parts): EffectiveProject {
  const known = compiled.get(project);
  if (known?.isMadeOf(parts)) return known;
  const fresh = new EffectiveProject(parts);
  compiled.set(project, fresh);
  return fresh;
}

function partsOf(snapshot: Snapshot, project: AppProject): Parts {
  const index = indexOf(snapshot);
  const { name } = project.metadata;
  const globals = globalsOf(snapshot, project);
  return {
    project,
    controlPlane: snapshot.controlPlane,
    globals,
    repositories: index.scopedRepositories.get(name) ?? [],
    clusters: index.scopedClusters.get(name) ?? [],
    own: ownDestinations(project, globals) ? (index.tenantClusters.get(name) ?? []) : [],
  };
}

/** Only a project that declares no destination and asks for scoped clusters has its tenants' clusters as destinations. */
function ownDestinations(project: AppProject, globals: readonly AppProject[]): boolean {
  const declares = [project, ...globals].some(({ spec }) => (spec.destinations?.length ?? 0) > 0);
  return !declares && project.spec.permitOnlyProjectScopedClusters === true;
}

/** Global projects whose selector fits, in the order of the setting; a project is never its own. */
function globalsOf(snapshot: Snapshot, project: AppProject): readonly AppProject[] {
  const found: AppProject[] = [];
  for (const { projectName, labelSelector } of snapshot.settings.globalProjects) {
    const global = snapshot.projects.get(projectName);
    if (global === undefined || global === project || found.includes(global)) continue;
    if (selectsLabels(labelSelector, project.metadata.labels ?? {})) found.push(global);
  }
  return found;
}

/** The name of a global project that applies but could not be read: what it would deny is not known. */
export function unreadableGlobal(snapshot: Snapshot, project: AppProject): string | undefined {
  return snapshot.settings.globalProjects.find(
    ({ projectName, labelSelector }) =>
      projectName !== project.metadata.name &&
      snapshot.brokenProjects.has(projectName) &&
      selectsLabels(labelSelector, project.metadata.labels ?? {}),
  )?.projectName;
}

function sameItems<T>(a: readonly T[], b: readonly T[]): boolean {
  return a === b || (a.length === b.length && a.every((item, i) => item === b[i]));
}
