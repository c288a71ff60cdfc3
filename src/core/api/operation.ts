import { flag, integer, list, shape, text } from './decode.ts';
import { type ApplicationSource, applicationSource } from './source.ts';
import { type Info, info, managedNamespaceMetadata, type RetryStrategy, retry, type SyncPolicy } from './spec.ts';

/** One object named in a partial sync; an empty namespace matches any. */
export interface SyncOperationResource {
  readonly group?: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

export interface SyncStrategy {
  readonly apply?: { readonly force?: boolean };
  readonly hook?: { readonly force?: boolean };
}

export interface SyncOperation {
  readonly revision?: string;
  readonly revisions?: readonly string[];
  readonly prune?: boolean;
  readonly dryRun?: boolean;
  readonly syncStrategy?: SyncStrategy;
  readonly resources?: readonly SyncOperationResource[];
  readonly source?: ApplicationSource;
  readonly sources?: readonly ApplicationSource[];
  readonly manifests?: readonly string[];
  readonly syncOptions?: readonly string[];
  readonly autoHealAttemptsCount?: number;
}

export interface OperationInitiator {
  readonly username?: string;
  readonly automated?: boolean;
}

/** A sync that somebody asked for, at the top level of an Application. */
export interface Operation {
  readonly sync?: SyncOperation;
  readonly initiatedBy?: OperationInitiator;
  readonly info?: readonly Info[];
  readonly retry?: RetryStrategy;
}

export type OperationPhase = 'Running' | 'Terminating' | 'Succeeded' | 'Failed' | 'Error';

/** What became of one object of a sync. */
export interface ResourceResult {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** `Synced`, `SyncFailed`, `Pruned` or `PruneSkipped`. */
  readonly status?: string;
  readonly message?: string;
  readonly hookType?: string;
  readonly hookPhase?: string;
  readonly syncPhase?: string;
  readonly images?: readonly string[];
}

export interface SyncResult {
  readonly revision?: string;
  readonly revisions?: readonly string[];
  readonly source?: ApplicationSource;
  readonly sources?: readonly ApplicationSource[];
  readonly managedNamespaceMetadata?: Exclude<SyncPolicy['managedNamespaceMetadata'], undefined>;
  readonly resources?: readonly ResourceResult[];
}

export interface OperationState {
  readonly operation: Operation;
  /** One of `OperationPhase`, or whatever another writer left there. */
  readonly phase: string;
  readonly message?: string;
  readonly startedAt?: string;
  /** Set together with `Running` it means: waiting for a retry. */
  readonly finishedAt?: string;
  readonly retryCount?: number;
  readonly syncResult?: SyncResult;
}

const force = shape<{ force?: boolean }>({ force: flag });

export const operationInitiator = shape<OperationInitiator>({ username: text, automated: flag });

export const operation = shape<Operation>({
  sync: shape<SyncOperation>({
    revision: text,
    revisions: list(text),
    prune: flag,
    dryRun: flag,
    syncStrategy: shape<SyncStrategy>({ apply: force, hook: force }),
    resources: list(
      shape<SyncOperationResource>({ group: text, kind: text, name: text, namespace: text }, { kind: '', name: '' }),
    ),
    source: applicationSource,
    sources: list(applicationSource),
    manifests: list(text),
    syncOptions: list(text),
    autoHealAttemptsCount: integer,
  }),
  initiatedBy: operationInitiator,
  info: list(info),
  retry,
});

const resourceResult = shape<ResourceResult>({
  group: text,
  version: text,
  kind: text,
  namespace: text,
  name: text,
  status: text,
  message: text,
  hookType: text,
  hookPhase: text,
  syncPhase: text,
  images: list(text),
});

export const operationState = shape<OperationState>(
  {
    operation,
    phase: text,
    message: text,
    startedAt: text,
    finishedAt: text,
    retryCount: integer,
    syncResult: shape<SyncResult>({
      revision: text,
      revisions: list(text),
      source: applicationSource,
      sources: list(applicationSource),
      managedNamespaceMetadata,
      resources: list(resourceResult),
    }),
  },
  { operation: {}, phase: '' },
);
