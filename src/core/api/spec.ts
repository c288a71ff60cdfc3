import { type Decode, flag, integer, integerOrText, list, map, shape, text } from './decode.ts';
import { type ApplicationSource, applicationSource, type SourceHydrator, sourceHydrator } from './source.ts';

/** Where an Application deploys to: exactly one of `server` and `name` should be set. */
export interface ApplicationDestination {
  readonly server?: string;
  readonly name?: string;
  readonly namespace?: string;
}

export interface RetryStrategy {
  readonly limit?: number;
  /** A bare integer means seconds. */
  readonly backoff?: {
    readonly duration?: string;
    readonly factor?: number;
    readonly maxDuration?: string;
  };
  readonly refresh?: boolean;
}

export interface SyncPolicy {
  readonly automated?: {
    readonly enabled?: boolean;
    readonly prune?: boolean;
    readonly selfHeal?: boolean;
    readonly allowEmpty?: boolean;
  };
  readonly syncOptions?: readonly string[];
  readonly retry?: RetryStrategy;
  readonly managedNamespaceMetadata?: {
    readonly labels?: { readonly [key: string]: string };
    readonly annotations?: { readonly [key: string]: string };
  };
}

export interface IgnoreDifference {
  readonly group?: string;
  readonly kind: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly jsonPointers?: readonly string[];
  readonly jqPathExpressions?: readonly string[];
  readonly managedFieldsManagers?: readonly string[];
}

export interface Info {
  readonly name: string;
  readonly value: string;
}

/** What a user asks for. */
export interface ApplicationSpec {
  /** Empty or absent means `default`; ask `projectOf`. */
  readonly project?: string;
  readonly source?: ApplicationSource;
  readonly sources?: readonly ApplicationSource[];
  readonly sourceHydrator?: SourceHydrator;
  readonly destination: ApplicationDestination;
  readonly syncPolicy?: SyncPolicy;
  readonly ignoreDifferences?: readonly IgnoreDifference[];
  readonly info?: readonly Info[];
  readonly revisionHistoryLimit?: number;
}

export const destination = shape<ApplicationDestination>({ server: text, name: text, namespace: text });

/** Argo CD stores durations as strings, but a bare number is a common slip and unambiguous. */
const duration: Decode<string> = (value, path, notes) => {
  const read = integerOrText(value, path, notes);
  return read === undefined ? undefined : String(read);
};

export const retry = shape<RetryStrategy>({
  limit: integer,
  backoff: shape<Exclude<RetryStrategy['backoff'], undefined>>({ duration, factor: integer, maxDuration: duration }),
  refresh: flag,
});

const labelsAndAnnotations = shape<Exclude<SyncPolicy['managedNamespaceMetadata'], undefined>>({
  labels: map(text),
  annotations: map(text),
});

export { labelsAndAnnotations as managedNamespaceMetadata };

const syncPolicy = shape<SyncPolicy>({
  automated: shape<Exclude<SyncPolicy['automated'], undefined>>({
    enabled: flag,
    prune: flag,
    selfHeal: flag,
    allowEmpty: flag,
  }),
  syncOptions: list(text),
  retry,
  managedNamespaceMetadata: labelsAndAnnotations,
});

export const ignoreDifference = shape<IgnoreDifference>(
  {
    group: text,
    kind: text,
    name: text,
    namespace: text,
    jsonPointers: list(text),
    jqPathExpressions: list(text),
    managedFieldsManagers: list(text),
  },
  { kind: '' },
);

export const info = shape<Info>({ name: text, value: text }, { name: '', value: '' });

export const applicationSpec = shape<ApplicationSpec>(
  {
    project: text,
    source: applicationSource,
    sources: list(applicationSource),
    sourceHydrator,
    destination,
    syncPolicy,
    ignoreDifferences: list(ignoreDifference),
    info: list(info),
    revisionHistoryLimit: integer,
  },
  { destination: {} },
);
