import {
  type Application,
  type AppProject,
  type ClusterSecret,
  configMapData,
  type Parsed,
  parseApplication,
  parseAppProject,
  parseClusterSecret,
  parseRepositorySecret,
  printProblems,
  type Repository,
  readParams,
  readRbac,
  readSettings,
  type Settings,
  type Snapshot,
  secretTypeLabel,
} from '../api/index.ts';
import { type Json, type JsonObject, stringAt } from '../json/index.ts';
import { acceptClusters } from './cluster-acceptance.ts';
import { Namespaces } from './namespaces.ts';

/** What an installation is told apart from its objects: flags and environment. */
export interface Installation {
  readonly controlPlane: string;
  /** `--application-namespaces`; undefined leaves it to `application.namespaces` of `argocd-cmd-params-cm`. */
  readonly appNamespaces?: readonly string[] | undefined;
  /** `--cluster-secrets-in-any-namespace`; on by default where namespaces are given. */
  readonly tenantClusters?: boolean | undefined;
  /** `--enable-impersonation` or its environment variable. */
  readonly impersonation?: boolean | undefined;
  readonly revision?: number | undefined;
}

/** Namespaces whose Secrets could not be read, with the reason; `''` stands for all. */
export type Unread = ReadonlyMap<string, string>;

/** An object that could not be read, and why. */
export interface Unreadable {
  readonly object: string;
  readonly reason: string;
}

/** Objects as the decisions take them. */
export interface Assembled {
  readonly snapshot: Snapshot;
  /** By `namespace/name`; also those in namespaces that do not count. */
  readonly applications: ReadonlyMap<string, Application>;
  readonly unreadable: readonly Unreadable[];
}

/** Sorts plain Kubernetes objects into a snapshot, by the same rules a running installation follows. */
export function assembleSnapshot(
  objects: readonly JsonObject[],
  installation: Installation,
  unread: Unread = new Map(),
): Assembled {
  const sorter = new Sorter(installation, unread);
  for (const object of objects) sorter.add(object);
  return sorter.finish();
}

class Sorter {
  readonly #installation: Installation;
  readonly #unread: Unread;
  readonly #maps = new Map<string, ReadonlyMap<string, string>>();
  readonly #projects = new Map<string, AppProject>();
  readonly #broken = new Map<string, string>();
  readonly #applications = new Map<string, Application>();
  readonly #clusters: ClusterSecret[] = [];
  readonly #repositories: Repository[] = [];
  readonly #unreadable: Unreadable[] = [];

  constructor(installation: Installation, unread: Unread) {
    this.#unread = unread;
    this.#installation = installation;
  }

  add(object: JsonObject): void {
    const namespace = stringAt(object, 'metadata', 'namespace') ?? this.#installation.controlPlane;
    const isControlPlane = namespace === this.#installation.controlPlane;
    switch (`${groupText(object)}${stringAt(object, 'kind') ?? ''}`) {
      case 'argoproj.io/Application':
        this.#read(object, parseApplication, (app) => this.#applications.set(`${namespace}/${app.metadata.name}`, app));
        break;
      case 'argoproj.io/AppProject':
        if (isControlPlane) this.#addProject(object);
        break;
      case 'ConfigMap':
        if (isControlPlane) this.#maps.set(stringAt(object, 'metadata', 'name') ?? '', configMapData(object));
        break;
      case 'Secret':
        this.#addSecret(object, isControlPlane);
        break;
    }
  }

  #addProject(object: JsonObject): void {
    const parsed = this.#read(object, parseAppProject, (project) => this.#projects.set(project.metadata.name, project));
    if (!parsed.ok) this.#broken.set(stringAt(object, 'metadata', 'name') ?? '', printProblems(parsed.problems));
  }

  /** A tenant's Secret is looked at only if it says it is a cluster; repositories are the control plane's alone. */
  #addSecret(object: JsonObject, isControlPlane: boolean): void {
    const type = stringAt(object, 'metadata', 'labels', secretTypeLabel);
    if (type === 'cluster') {
      this.#read(object, parseClusterSecret, (cluster) => {
        this.#clusters.push(
          cluster.namespace === '' ? { ...cluster, namespace: this.#installation.controlPlane } : cluster,
        );
      });
    } else if (isControlPlane && (type === 'repository' || type === 'repo-creds')) {
      this.#read(object, parseRepositorySecret, (repository) => this.#repositories.push(repository));
    }
  }

  #read<T>(object: JsonObject, parse: (json: Json) => Parsed<T>, keep: (value: T) => unknown): Parsed<T> {
    const parsed = parse(object);
    if (parsed.ok) keep(parsed.value);
    else this.#unreadable.push({ object: printObject(object), reason: printProblems(parsed.problems) });
    return parsed;
  }

  finish(): Assembled {
    const { controlPlane, revision = 0 } = this.#installation;
    const params = readParams(this.#map('argocd-cmd-params-cm')).value;
    const settings = this.#settings();
    const appNamespaces = this.#installation.appNamespaces ?? params.applicationNamespaces;
    const tenantClusters = (this.#installation.tenantClusters ?? true) && appNamespaces.length > 0;
    const inputs = { controlPlane, appNamespaces, tenantClusters, settings, projects: this.#projects };
    const watched = new Namespaces(appNamespaces);
    // Secrets of namespaces that do not count are never read by a running installation either.
    const read = this.#clusters.filter(
      ({ namespace }) => namespace === controlPlane || watched.match(namespace) !== undefined,
    );
    const snapshot: Snapshot = {
      ...inputs,
      revision,
      params,
      rbac: readRbac(this.#map('argocd-rbac-cm')).value,
      brokenProjects: this.#broken,
      clusters: acceptClusters(inputs, read),
      repositories: this.#repositories,
      tlsCertificates: this.#map('argocd-tls-certs-cm'),
      knownHosts: this.#map('argocd-ssh-known-hosts-cm').get('ssh_known_hosts') ?? '',
      gpgKeys: this.#map('argocd-gpg-keys-cm'),
      unread: this.#unread,
    };
    return { snapshot, applications: this.#applications, unreadable: this.#unreadable };
  }

  #settings(): Settings {
    const { value, problems } = readSettings(this.#map('argocd-cm'));
    for (const { path, message } of problems) {
      this.#unreadable.push({ object: 'ConfigMap argocd-cm', reason: `${path}: ${message}` });
    }
    const { impersonation } = value;
    const enabled = impersonation.enabled || this.#installation.impersonation === true;
    return enabled === impersonation.enabled ? value : { ...value, impersonation: { ...impersonation, enabled } };
  }

  #map(name: string): ReadonlyMap<string, string> {
    return this.#maps.get(name) ?? new Map();
  }
}

function groupText(object: JsonObject): string {
  const version = stringAt(object, 'apiVersion') ?? '';
  const slash = version.indexOf('/');
  return slash < 0 ? '' : `${version.slice(0, slash)}/`;
}

function printObject(object: JsonObject): string {
  const name = stringAt(object, 'metadata', 'name') ?? '';
  const namespace = stringAt(object, 'metadata', 'namespace');
  return `${stringAt(object, 'kind') ?? ''} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}
