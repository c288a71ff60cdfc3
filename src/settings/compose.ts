import {
  type AppProject,
  type ClusterSecret,
  type Params,
  type RbacSettings,
  type ReadSettings,
  type Repository,
  readParams,
  readRbac,
  readSettings,
  type Settings,
  type Snapshot,
} from '../core/api/index.ts';
import type { Installation } from '../core/policy/index.ts';
import type { ConfigMapName, ControlPlane } from './control-plane.ts';
import type { SettingsReport } from './report.ts';

/** The settings as last good, and what they were read from. */
export interface Readings {
  readonly settings: Settings;
  readonly params: Params;
  readonly rbac: RbacSettings;
}

const none: ReadonlyMap<string, string> = new Map();

/**
 * Reads the settings anew where their ConfigMap changed. A deleted `argocd-cm` keeps its last values, for its absence would
 * switch impersonation off; the other two only grant, so their absence counts at once.
 */
export function readAll(plane: ControlPlane, report: SettingsReport, last: Readings | undefined): Readings {
  const read = <T extends { readonly data: ReadonlyMap<string, string> }>(
    name: ConfigMapName,
    parse: (data: ReadonlyMap<string, string>, last?: T) => ReadSettings<T>,
    before: T | undefined,
    absent: ReadonlyMap<string, string>,
  ): T => {
    const entry = plane.configMap(name);
    const data = entry?.data ?? absent;
    if (before !== undefined && before.data === data) return before;
    const { value, problems } = parse(data, before);
    if (entry !== undefined) report.invalid(entry.about, problems, true);
    return value;
  };
  return {
    settings: read('argocd-cm', readSettings, last?.settings, last?.settings.data ?? none),
    params: read('argocd-cmd-params-cm', readParams, last?.params, none),
    rbac: read('argocd-rbac-cm', readRbac, last?.rbac, none),
  };
}

/** Everything one snapshot is made of. */
export interface Parts {
  readonly revision: number;
  readonly installation: Installation;
  readonly readings: Readings;
  readonly plane: ControlPlane;
  readonly unread: ReadonlyMap<string, string>;
}

/** The namespaces that count, and whether tenants' clusters do: a flag wins over the ConfigMap. */
export function namespacesOf(
  installation: Installation,
  params: Params,
): Pick<Snapshot, 'appNamespaces' | 'tenantClusters'> {
  const appNamespaces = installation.appNamespaces ?? params.applicationNamespaces;
  return { appNamespaces, tenantClusters: (installation.tenantClusters ?? true) && appNamespaces.length > 0 };
}

/** A snapshot of what was read last, all at one moment, but for the clusters: whether they are accepted follows from it. */
export type Draft = Omit<Snapshot, 'clusters'>;

/** Takes down what was read last. */
export function draftSnapshot(parts: Parts): Draft {
  const { revision, installation, readings, plane, unread } = parts;
  const settings = withFlags(readings.settings, installation);
  const { projects, brokenProjects } = projectsOf(plane);
  const { controlPlane } = installation;
  const inputs = { controlPlane, settings, projects, ...namespacesOf(installation, readings.params) };
  return {
    revision,
    ...inputs,
    params: readings.params,
    rbac: readings.rbac,
    brokenProjects,
    repositories: [...plane.repositories()].sort(byIdentity),
    tlsCertificates: plane.configMap('argocd-tls-certs-cm')?.data ?? none,
    knownHosts: plane.configMap('argocd-ssh-known-hosts-cm')?.data.get('ssh_known_hosts') ?? '',
    gpgKeys: plane.configMap('argocd-gpg-keys-cm')?.data ?? none,
    unread,
  };
}

/** Orders Secrets by namespace and name, so that equal content makes equal snapshots. */
export function byIdentity(a: ClusterSecret | Repository, b: ClusterSecret | Repository): number {
  if (a.namespace !== b.namespace) return a.namespace < b.namespace ? -1 : 1;
  return a.secret < b.secret ? -1 : a.secret > b.secret ? 1 : 0;
}

/** A flag can switch impersonation on, never off. The value stays the same one while nothing changes. */
const flagged = new WeakMap<Settings, Settings>();

function withFlags(settings: Settings, { impersonation }: Installation): Settings {
  if (impersonation !== true || settings.impersonation.enabled) return settings;
  const known = flagged.get(settings);
  if (known !== undefined) return known;
  const made: Settings = { ...settings, impersonation: { ...settings.impersonation, enabled: true } };
  flagged.set(settings, made);
  return made;
}

function projectsOf(plane: ControlPlane): Pick<Snapshot, 'projects' | 'brokenProjects'> {
  const projects = new Map<string, AppProject>();
  const brokenProjects = new Map<string, string>();
  for (const [name, entry] of plane.projects()) {
    if ('project' in entry) projects.set(name, entry.project);
    else brokenProjects.set(name, entry.broken);
  }
  return { projects, brokenProjects };
}
