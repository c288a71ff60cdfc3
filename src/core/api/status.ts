import type { JsonObject } from '../json/index.ts';
import { anyObject, flag, integer, list, shape, text } from './decode.ts';
import { type OperationInitiator, type OperationState, operationInitiator, operationState } from './operation.ts';
import { type ApplicationSource, applicationSource } from './source.ts';
import { type ApplicationDestination, destination, type IgnoreDifference, ignoreDifference } from './spec.ts';

/** What the last comparison was made with. */
export interface ComparedTo {
  readonly source?: ApplicationSource;
  readonly sources?: readonly ApplicationSource[];
  readonly destination?: ApplicationDestination;
  readonly ignoreDifferences?: readonly IgnoreDifference[];
}

export interface SyncStatus {
  readonly status?: string;
  readonly revision?: string;
  readonly revisions?: readonly string[];
  readonly comparedTo?: ComparedTo;
}

export interface HealthStatus {
  readonly status?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

export interface ResourceStatus {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly status?: string;
  readonly health?: HealthStatus;
  readonly hook?: boolean;
  readonly requiresPruning?: boolean;
  readonly requiresDeletionConfirmation?: boolean;
  readonly syncWave?: number;
}

/** A condition of an Application, or of a project in our AppProject. */
export interface Condition {
  readonly type: string;
  readonly message: string;
  readonly lastTransitionTime?: string;
}

/** One successful deployment, oldest first in the list. */
export interface RevisionHistory {
  readonly id: number;
  readonly revision?: string;
  readonly revisions?: readonly string[];
  readonly source?: ApplicationSource;
  readonly sources?: readonly ApplicationSource[];
  readonly deployStartedAt?: string;
  readonly deployedAt?: string;
  readonly initiatedBy?: OperationInitiator;
}

export interface ApplicationSummary {
  readonly externalURLs?: readonly string[];
  readonly images?: readonly string[];
  readonly isAppOfApps?: boolean;
}

/** What a controller has said about an Application; anybody who may write the object may have written it. */
export interface ApplicationStatus {
  readonly sync?: SyncStatus;
  readonly health?: HealthStatus;
  readonly resources?: readonly ResourceStatus[];
  readonly resourceHealthSource?: string;
  readonly conditions?: readonly Condition[];
  readonly history?: readonly RevisionHistory[];
  readonly reconciledAt?: string;
  readonly observedAt?: string;
  readonly operationState?: OperationState;
  readonly sourceType?: string;
  readonly sourceTypes?: readonly string[];
  readonly summary?: ApplicationSummary;
  readonly controllerNamespace?: string;
  readonly sourceHydrator?: JsonObject;
}

const health = shape<HealthStatus>({ status: text, message: text, lastTransitionTime: text });

export const condition = shape<Condition>(
  { type: text, message: text, lastTransitionTime: text },
  { type: '', message: '' },
);

const sync = shape<SyncStatus>({
  status: text,
  revision: text,
  revisions: list(text),
  comparedTo: shape<ComparedTo>({
    source: applicationSource,
    sources: list(applicationSource),
    destination,
    ignoreDifferences: list(ignoreDifference),
  }),
});

const resource = shape<ResourceStatus>({
  group: text,
  version: text,
  kind: text,
  namespace: text,
  name: text,
  status: text,
  health,
  hook: flag,
  requiresPruning: flag,
  requiresDeletionConfirmation: flag,
  syncWave: integer,
});

const history = shape<RevisionHistory>(
  {
    id: integer,
    revision: text,
    revisions: list(text),
    source: applicationSource,
    sources: list(applicationSource),
    deployStartedAt: text,
    deployedAt: text,
    initiatedBy: operationInitiator,
  },
  { id: 0 },
);

export const applicationStatus = shape<ApplicationStatus>({
  sync,
  health,
  resources: list(resource),
  resourceHealthSource: text,
  conditions: list(condition),
  history: list(history),
  reconciledAt: text,
  observedAt: text,
  operationState,
  sourceType: text,
  sourceTypes: list(text),
  summary: shape<ApplicationSummary>({ externalURLs: list(text), images: list(text), isAppOfApps: flag }),
  controllerNamespace: text,
  sourceHydrator: anyObject,
});
