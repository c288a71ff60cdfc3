import type { ClusterSecret } from './cluster.ts';
import type { AppProject } from './project.ts';
import type { Repository } from './repository.ts';
import type { Settings } from './settings.ts';
import type { Params } from './settings-params.ts';
import type { RbacSettings } from './settings-rbac.ts';

/** Whether a cluster Secret may be used, and the sentence for its Event if not. */
export type Acceptance = { readonly accepted: true } | { readonly accepted: false; readonly reason: string };

/** A cluster Secret in the snapshot. */
export interface Cluster extends ClusterSecret {
  /** True outside the control-plane namespace: serves only Applications of its own namespace and project. */
  readonly tenant: boolean;
  /** A rejected Secret stays in the snapshot so that `why` can say so; it is never connected to. */
  readonly acceptance: Acceptance;
}

/**
 * Everything an admin and the tenants' Secrets say, at one moment: the one input of every decision besides the object
 * that is decided about. Immutable; a new revision is a new value that shares what did not change.
 */
export interface Snapshot {
  /** Grows with every change. */
  readonly revision: number;
  /** The control-plane namespace. */
  readonly controlPlane: string;
  /** `argocd-cm`, with what flags and environment say on top. */
  readonly settings: Settings;
  /** `argocd-cmd-params-cm`. */
  readonly params: Params;
  /** `argocd-rbac-cm`. */
  readonly rbac: RbacSettings;
  /** Patterns of the namespaces whose Applications count besides the control plane's: globs, or `/regex/`. */
  readonly appNamespaces: readonly string[];
  /** Whether cluster Secrets in those namespaces count, too. */
  readonly tenantClusters: boolean;
  /** By name; only the control plane's count. One that turned invalid stays as it last was. */
  readonly projects: ReadonlyMap<string, AppProject>;
  /** Projects that are there but never were readable, with the reason: they permit nothing. */
  readonly brokenProjects: ReadonlyMap<string, string>;
  /** Of the control plane and of tenants, accepted or not; the implicit in-cluster one is not among them. */
  readonly clusters: readonly Cluster[];
  /** Repositories and credential templates, of the control-plane namespace only. */
  readonly repositories: readonly Repository[];
  /** PEM bundles by host name, from `argocd-tls-certs-cm`. */
  readonly tlsCertificates: ReadonlyMap<string, string>;
  /** Lines of `argocd-ssh-known-hosts-cm`. */
  readonly knownHosts: string;
  /** Public keys by their ids, from `argocd-gpg-keys-cm`; absent: none. */
  readonly gpgKeys?: ReadonlyMap<string, string>;
  /**
   * Namespaces whose cluster Secrets could never be read, with the reason; `''` stands for all. A cluster that is not found
   * there is *unknown*, not absent.
   */
  readonly unread?: ReadonlyMap<string, string>;
}
