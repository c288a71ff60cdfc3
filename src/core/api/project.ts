import { type Json, type JsonObject, own } from '../json/index.ts';
import { anyObject, type Decode, flag, integer, integerOrText, list, map, Notes, shape, text } from './decode.ts';
import { metadata, type NamedMeta, objectOf } from './meta.ts';
import type { Parsed } from './parsed.ts';
import { type Condition, condition } from './status.ts';

/** One entry of `destinations`; a leading `!` in a field makes it a deny. */
export interface ProjectDestination {
  readonly server?: string;
  readonly name?: string;
  readonly namespace?: string;
}

/** One entry of a resource list; `name` counts for cluster-scoped kinds only. */
export interface ResourcePattern {
  readonly group: string;
  readonly kind: string;
  readonly name?: string;
}

/** Which account deploys to which destination. */
export interface DestinationServiceAccount {
  readonly server: string;
  readonly namespace?: string;
  readonly defaultServiceAccount: string;
}

export interface SyncWindow {
  readonly kind?: string;
  readonly schedule?: string;
  readonly duration?: string;
  readonly applications?: readonly string[];
  readonly namespaces?: readonly string[];
  readonly clusters?: readonly string[];
  readonly manualSync?: boolean;
  readonly timeZone?: string;
  readonly andOperator?: boolean;
  readonly description?: string;
  readonly syncOverrun?: boolean;
}

export interface JwtToken {
  readonly iat: number;
  readonly exp?: number;
  readonly id?: string;
}

export interface ProjectRole {
  readonly name: string;
  readonly description?: string;
  readonly policies?: readonly string[];
  readonly groups?: readonly string[];
  readonly jwtTokens?: readonly JwtToken[];
}

export interface OrphanedResources {
  readonly warn?: boolean;
  readonly ignore?: readonly { readonly group?: string; readonly kind?: string; readonly name?: string }[];
}

export interface SourceIntegrityPolicy {
  readonly repos?: readonly { readonly url: string }[];
  readonly gpg?: { readonly mode?: string; readonly keys?: readonly string[] };
}

/** How many objects the project's tenants may have; absent means unlimited. Ours, not Argo CD's. */
export interface ProjectQuota {
  readonly applications?: number;
  readonly clusters?: number;
}

/** What a platform admin permits. */
export interface AppProjectSpec {
  readonly description?: string;
  readonly sourceRepos?: readonly string[];
  readonly destinations?: readonly ProjectDestination[];
  readonly sourceNamespaces?: readonly string[];
  readonly clusterResourceWhitelist?: readonly ResourcePattern[];
  readonly clusterResourceBlacklist?: readonly ResourcePattern[];
  /** Absent (or null): all namespaced kinds. An empty list: none. */
  readonly namespaceResourceWhitelist?: readonly ResourcePattern[];
  readonly namespaceResourceBlacklist?: readonly ResourcePattern[];
  readonly orphanedResources?: OrphanedResources;
  readonly roles?: readonly ProjectRole[];
  readonly syncWindows?: readonly SyncWindow[];
  readonly signatureKeys?: readonly { readonly keyID: string }[];
  readonly sourceIntegrity?: { readonly git?: { readonly policies?: readonly SourceIntegrityPolicy[] } };
  readonly permitOnlyProjectScopedClusters?: boolean;
  readonly destinationServiceAccounts?: readonly DestinationServiceAccount[];
  readonly quota?: ProjectQuota;
}

export interface AppProjectStatus {
  readonly jwtTokensByRole?: { readonly [role: string]: { readonly items?: readonly JwtToken[] } };
  /** Ours, not Argo CD's: the warnings about this project. */
  readonly conditions?: readonly Condition[];
}

/** A project: which sources, destinations, kinds and accounts its tenants may use. */
export interface AppProject {
  readonly metadata: NamedMeta;
  readonly spec: AppProjectSpec;
  readonly status?: AppProjectStatus;
  /** The whole object as it was read. */
  readonly raw: JsonObject;
}

const pattern = shape<ResourcePattern>({ group: text, kind: text, name: text }, { group: '', kind: '' });
const jwtToken = shape<JwtToken>({ iat: integer, exp: integer, id: text }, { iat: 0 });

const durationText: Decode<string> = (value, path, notes) => {
  const read = integerOrText(value, path, notes);
  return read === undefined ? undefined : String(read);
};

const count: Decode<number> = (value, path, notes) => {
  const read = integer(value, path, notes);
  return read !== undefined && read < 0 ? notes.add(path, 'must not be negative') : read;
};

const syncWindow = shape<SyncWindow>({
  kind: text,
  schedule: text,
  duration: durationText,
  applications: list(text),
  namespaces: list(text),
  clusters: list(text),
  manualSync: flag,
  timeZone: text,
  andOperator: flag,
  description: text,
  syncOverrun: flag,
});

const role = shape<ProjectRole>(
  { name: text, description: text, policies: list(text), groups: list(text), jwtTokens: list(jwtToken) },
  { name: '' },
);

const integrityPolicy = shape<SourceIntegrityPolicy>({
  repos: list(shape<{ url: string }>({ url: text }, { url: '' })),
  gpg: shape<Exclude<SourceIntegrityPolicy['gpg'], undefined>>({ mode: text, keys: list(text) }),
});

export const appProjectSpec = shape<AppProjectSpec>({
  description: text,
  sourceRepos: list(text),
  destinations: list(shape<ProjectDestination>({ server: text, name: text, namespace: text })),
  sourceNamespaces: list(text),
  clusterResourceWhitelist: list(pattern),
  clusterResourceBlacklist: list(pattern),
  namespaceResourceWhitelist: list(pattern),
  namespaceResourceBlacklist: list(pattern),
  orphanedResources: shape<OrphanedResources>({
    warn: flag,
    ignore: list(shape<{ group?: string; kind?: string; name?: string }>({ group: text, kind: text, name: text })),
  }),
  roles: list(role),
  syncWindows: list(syncWindow),
  signatureKeys: list(shape<{ keyID: string }>({ keyID: text }, { keyID: '' })),
  sourceIntegrity: shape<Exclude<AppProjectSpec['sourceIntegrity'], undefined>>({
    git: shape<{ policies?: readonly SourceIntegrityPolicy[] }>({ policies: list(integrityPolicy) }),
  }),
  permitOnlyProjectScopedClusters: flag,
  destinationServiceAccounts: list(
    shape<DestinationServiceAccount>(
      { server: text, namespace: text, defaultServiceAccount: text },
      { server: '', defaultServiceAccount: '' },
    ),
  ),
  quota: shape<ProjectQuota>({ applications: count, clusters: count }),
});

const status = shape<AppProjectStatus>({
  jwtTokensByRole: map(shape<{ items?: readonly JwtToken[] }>({ items: list(jwtToken) })),
  conditions: list(condition),
});

/**
 * Reads a project. Any unreadable field of the spec refuses the whole: leaving out a deny list or a whitelist would
 * permit more than the admin wrote. Bad patterns inside are no concern here; whoever matches with them must be strict.
 */
export function parseAppProject(json: Json): Parsed<AppProject> {
  const notes = new Notes();
  const raw = objectOf(json, 'argoproj.io', 'AppProject', notes);
  if (raw === undefined) return { ok: false, problems: notes.problems };
  const meta = metadata(own(raw, 'metadata') ?? null, 'metadata', notes);
  const spec = appProjectSpec(own(raw, 'spec') ?? {}, 'spec', notes);
  if (meta === undefined || spec === undefined || notes.problems.length > 0) {
    return { ok: false, problems: notes.problems };
  }
  const warnings = new Notes();
  const given = anyObject(own(raw, 'status') ?? {}, 'status', warnings);
  const said = given === undefined ? undefined : status(given, 'status', warnings);
  const value: AppProject = { metadata: meta, spec, ...(said === undefined ? {} : { status: said }), raw };
  return warnings.problems.length === 0 ? { ok: true, value } : { ok: true, value, warnings: warnings.problems };
}

/** The project as JSON, every field as it was read. */
export function printAppProject(project: AppProject): JsonObject {
  return project.raw;
}
