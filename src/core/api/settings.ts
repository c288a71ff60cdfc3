import type { LabelSelector } from '../match/index.ts';
import { type Decode, flag, list, map, shape, text } from './decode.ts';
import { type ResourceOverride, readOverrides } from './overrides.ts';
import type { Problem } from './parsed.ts';
import { SettingReader } from './setting-reader.ts';

/** What a forbidden kind means to the cache (`resource.respectRBAC`). */
export type RespectRbac = 'off' | 'normal' | 'strict';

export type TrackingMethod = 'annotation' | 'annotation+label' | 'label';

/** Which kinds, on which clusters, an inclusion or exclusion names; an empty list means all. */
export interface ResourceFilter {
  readonly apiGroups?: readonly string[];
  readonly kinds?: readonly string[];
  readonly clusters?: readonly string[];
}

/** A project whose rules all projects with matching labels inherit. */
export interface GlobalProject {
  readonly projectName: string;
  readonly labelSelector: LabelSelector;
}

export interface CompareOptions {
  readonly ignoreAggregatedRoles?: boolean;
  readonly ignoreResourceStatusField?: string;
  readonly ignoreDifferencesOnResourceUpdates?: boolean;
}

/** What `argocd-cm` says, each key with its default filled in. */
export interface Settings {
  readonly impersonation: {
    readonly enabled: boolean;
    /** Undefined where nobody said: the `default` service account then stands in. */
    readonly enforced: boolean | undefined;
  };
  readonly respectRBAC: RespectRbac;
  readonly trackingMethod: TrackingMethod;
  readonly instanceLabelKey: string;
  readonly installationID: string;
  readonly inClusterEnabled: boolean;
  readonly globalProjects: readonly GlobalProject[];
  readonly resourceExclusions: readonly ResourceFilter[];
  readonly resourceInclusions: readonly ResourceFilter[];
  /** By `group/Kind` (`Kind` alone for the core group), keys may be globs, `*`/`*` for all. */
  readonly resourceOverrides: ReadonlyMap<string, ResourceOverride>;
  readonly compareOptions: Required<CompareOptions>;
  readonly ignoreResourceUpdatesEnabled: boolean;
  readonly maskAnnotations: readonly string[];
  readonly customLabels: readonly string[];
  readonly allowedNodeLabels: readonly string[];
  readonly includeEventLabelKeys: readonly string[];
  readonly excludeEventLabelKeys: readonly string[];
  /** Milliseconds; 0 is off. */
  readonly reconciliationTimeout: number;
  readonly hardReconciliationTimeout: number;
  readonly reconciliationJitter: number;
  readonly tools: {
    readonly kustomizeEnabled: boolean;
    readonly helmEnabled: boolean;
    readonly jsonnetEnabled: boolean;
    readonly kustomizeBuildOptions: string;
    /** Path of a kustomize binary and its build options, by version. */
    readonly kustomizeVersions: ReadonlyMap<string, { readonly path?: string; readonly buildOptions?: string }>;
    readonly helmValuesFileSchemes: readonly string[];
  };
  readonly outbound: {
    /** Globs of `host:port`: exceptions for tenants' clusters. */
    readonly tenantClusterHosts: readonly string[];
    readonly tenantClusterInsecure: boolean;
    /** Globs of `host[:port]`, or the word `file:`. */
    readonly sourceHosts: readonly string[];
  };
  readonly requireOverridePrivilegeForRevisionSync: boolean;
  readonly webhook: {
    readonly maxPayloadSizeMB: number;
    readonly refreshJitter: number;
    readonly refreshJitterThreshold: number;
  };
  /** Every key as written, for whoever needs one that is not named here. */
  readonly data: ReadonlyMap<string, string>;
}

const filter: Decode<ResourceFilter> = shape<ResourceFilter>({
  apiGroups: list(text),
  kinds: list(text),
  clusters: list(text),
});

const globalProject = shape<GlobalProject>(
  {
    projectName: text,
    labelSelector: shape<LabelSelector>({
      matchLabels: map(text),
      matchExpressions: list(
        shape<{ key: string; operator: string; values?: readonly string[] }>(
          { key: text, operator: text, values: list(text) },
          { key: '', operator: '' },
        ),
      ),
    }),
  },
  { projectName: '', labelSelector: {} },
);

/** What installations of Argo CD ship in `resource.exclusions`; setting the key replaces it. */
export const shippedExclusions: readonly ResourceFilter[] = [
  { apiGroups: ['', 'discovery.k8s.io'], kinds: ['Endpoints', 'EndpointSlice'] },
  { apiGroups: ['coordination.k8s.io'], kinds: ['Lease'] },
  {
    apiGroups: ['authentication.k8s.io', 'authorization.k8s.io'],
    kinds: [
      'SelfSubjectReview',
      'TokenReview',
      'LocalSubjectAccessReview',
      'SelfSubjectAccessReview',
      'SelfSubjectRulesReview',
      'SubjectAccessReview',
    ],
  },
  { apiGroups: ['certificates.k8s.io'], kinds: ['CertificateSigningRequest'] },
  { apiGroups: ['cert-manager.io'], kinds: ['CertificateRequest'] },
  { apiGroups: ['cilium.io'], kinds: ['CiliumIdentity', 'CiliumEndpoint', 'CiliumEndpointSlice'] },
  {
    apiGroups: ['kyverno.io', 'reports.kyverno.io', 'wgpolicyk8s.io'],
    kinds: [
      'PolicyReport',
      'ClusterPolicyReport',
      'EphemeralReport',
      'ClusterEphemeralReport',
      'AdmissionReport',
      'ClusterAdmissionReport',
      'BackgroundScanReport',
      'ClusterBackgroundScanReport',
      'UpdateRequest',
    ],
  },
];

const compareDefaults: Required<CompareOptions> = {
  ignoreAggregatedRoles: false,
  ignoreResourceStatusField: 'all',
  ignoreDifferencesOnResourceUpdates: true,
};

/** `off` and `false` are the same word to older readers of YAML; both mean `none`. */
const statusField: Decode<string> = (value, path, notes) =>
  typeof value === 'boolean' ? String(value) : text(value, path, notes);

const compareOptions = shape<CompareOptions>({
  ignoreAggregatedRoles: flag,
  ignoreResourceStatusField: statusField,
  ignoreDifferencesOnResourceUpdates: flag,
});

/** Settings together with what was wrong in them; a key that is wrong keeps its last good value. */
export interface ReadSettings<T> {
  readonly value: T;
  readonly problems: readonly Problem[];
}

/** Reads `argocd-cm`. */
export function readSettings(data: ReadonlyMap<string, string>, last?: Settings): ReadSettings<Settings> {
  const keys = new SettingReader(data);
  const value: Settings = {
    impersonation: impersonationOf(keys),
    ...kindsOf(keys, last),
    trackingMethod: trackingOf(keys),
    instanceLabelKey: keys.text('application.instanceLabelKey') || 'app.kubernetes.io/instance',
    installationID: keys.text('installationID'),
    inClusterEnabled: keys.isNotFalse('cluster.inClusterEnabled'),
    globalProjects: keys.yaml('globalProjects', list(globalProject), { absent: [], last: last?.globalProjects }),
    maskAnnotations: keys.commaList('resource.sensitive.mask.annotations'),
    customLabels: keys.commaList('resource.customLabels'),
    allowedNodeLabels: keys.commaList('application.allowedNodeLabels'),
    includeEventLabelKeys: keys.commaList('resource.includeEventLabelKeys'),
    excludeEventLabelKeys: keys.commaList('resource.excludeEventLabelKeys'),
    ...timesOf(keys, last),
    tools: toolsOf(keys),
    outbound: {
      tenantClusterHosts: keys.commaList('cluster.tenant.allowedHosts'),
      tenantClusterInsecure: keys.isTrue('cluster.tenant.allowInsecure'),
      sourceHosts: keys.commaList('source.allowedHosts'),
    },
    requireOverridePrivilegeForRevisionSync: keys.isTrue('application.sync.requireOverridePrivilegeForRevisionSync'),
    webhook: {
      maxPayloadSizeMB: keys.count('webhook.maxPayloadSizeMB', { absent: 50, last: last?.webhook.maxPayloadSizeMB }),
      refreshJitter: keys.duration('webhook.refresh.jitter', { absent: 0, last: last?.webhook.refreshJitter }),
      refreshJitterThreshold: keys.count('webhook.refresh.jitter.threshold', {
        absent: 10,
        last: last?.webhook.refreshJitterThreshold,
      }),
    },
    data,
  };
  return { value, problems: keys.problems };
}

/** Either key switches it on, by the exact word; what is not said about `enforced` stays unsaid. */
function impersonationOf(keys: SettingReader): Settings['impersonation'] {
  const enabled =
    keys.isTrue('application.sync.impersonation.enabled') || keys.isTrue('applicationcontroller.enable.impersonation');
  const written = keys.text('application.sync.impersonation.enforced');
  // Only the exact word loosens; any other text that somebody wrote is taken as the strict one.
  return { enabled, enforced: written === '' ? undefined : written !== 'false' };
}

function kindsOf(
  keys: SettingReader,
  last: Settings | undefined,
): Pick<
  Settings,
  | 'respectRBAC'
  | 'resourceExclusions'
  | 'resourceInclusions'
  | 'resourceOverrides'
  | 'compareOptions'
  | 'ignoreResourceUpdatesEnabled'
> {
  const compare = keys.yaml('resource.compareoptions', compareOptions, { absent: {}, last: last?.compareOptions });
  return {
    respectRBAC: keys.word<RespectRbac>('resource.respectRBAC', ['normal', 'strict'], {
      absent: 'off',
      last: last?.respectRBAC,
    }),
    resourceExclusions: keys.yaml('resource.exclusions', list(filter), {
      absent: shippedExclusions,
      last: last?.resourceExclusions,
    }),
    resourceInclusions: keys.yaml('resource.inclusions', list(filter), {
      absent: [],
      last: last?.resourceInclusions,
    }),
    resourceOverrides: readOverrides(keys, last?.resourceOverrides),
    compareOptions: { ...compareDefaults, ...compare },
    ignoreResourceUpdatesEnabled: keys.isNotFalse('resource.ignoreResourceUpdatesEnabled'),
  };
}

/** Unknown words behave as `annotation`, as in Argo CD, and are named. */
function trackingOf(keys: SettingReader): TrackingMethod {
  const words: readonly TrackingMethod[] = ['annotation', 'annotation+label', 'label'];
  return keys.word('application.resourceTrackingMethod', words, { absent: 'annotation', last: 'annotation' });
}

function timesOf(
  keys: SettingReader,
  last: Settings | undefined,
): Pick<Settings, 'reconciliationTimeout' | 'hardReconciliationTimeout' | 'reconciliationJitter'> {
  return {
    reconciliationTimeout: keys.duration('timeout.reconciliation', {
      absent: 120_000,
      last: last?.reconciliationTimeout,
    }),
    hardReconciliationTimeout: keys.duration('timeout.hard.reconciliation', {
      absent: 0,
      last: last?.hardReconciliationTimeout,
    }),
    reconciliationJitter: keys.duration('timeout.reconciliation.jitter', {
      absent: 60_000,
      last: last?.reconciliationJitter,
    }),
  };
}

function toolsOf(keys: SettingReader): Settings['tools'] {
  return {
    kustomizeEnabled: keys.isNotFalse('kustomize.enable'),
    helmEnabled: keys.isNotFalse('helm.enable'),
    jsonnetEnabled: keys.isNotFalse('jsonnet.enable'),
    kustomizeBuildOptions: keys.text('kustomize.buildOptions'),
    kustomizeVersions: kustomizeVersionsOf(keys),
    helmValuesFileSchemes:
      keys.text('helm.valuesFileSchemes') === '' ? ['https', 'http'] : keys.commaList('helm.valuesFileSchemes'),
  };
}

function kustomizeVersionsOf(keys: SettingReader): Settings['tools']['kustomizeVersions'] {
  const versions = new Map<string, { path?: string; buildOptions?: string }>();
  for (const [key, value] of keys.entries()) {
    const found = /^kustomize\.(path|version|buildOptions)\.(.+)$/.exec(key);
    if (found === null) continue;
    const [, what, version = ''] = found;
    const part = what === 'buildOptions' ? { buildOptions: value } : { path: value };
    versions.set(version, { ...versions.get(version), ...part });
  }
  return versions;
}
