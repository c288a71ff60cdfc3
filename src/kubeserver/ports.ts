import type { Json, JsonObject, MutableJsonObject } from '../core/json/index.ts';
import type { KubeObject } from '../core/objects/index.ts';

/** Who makes a request, as authentication (and then impersonation) found out. */
export interface User {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: { readonly [key: string]: readonly string[] };
}

/** A request as the chain of handlers sees it: what Kubernetes calls RequestInfo. */
export interface RequestInfo {
  readonly path: string;
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; for non-resources the HTTP verb. */
  readonly verb: string;
  readonly isResource: boolean;
  readonly group: string;
  readonly version: string;
  /** The plural. */
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly query: URLSearchParams;
}

/** A refusal on its way to the client as a Kubernetes Status. */
export interface StatusBody {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly details?: JsonObject;
}

/** Thrown anywhere below a handler; the outermost handler answers with its Status. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly status: StatusBody;
  constructor(status: StatusBody) {
    super(status.message);
    this.status = status;
  }
}

/** One kind the server serves. */
export interface ResourceInfo {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly subresources: readonly string[];
  /** Where objects of this kind are stored: the same for all versions of a kind. */
  readonly storage: string;
}

/** One stored object with the revision of its last write; `object` is frozen and shared. */
export interface Entry {
  readonly key: string;
  readonly revision: number;
  readonly object: KubeObject;
}

export interface StoreEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly revision: number;
  readonly key: string;
  /** The new object; for DELETED the last one, with the revision of the deletion. */
  readonly object: KubeObject;
  readonly previous: KubeObject | undefined;
}

/**
 * The versioned store. Keys are `<storage>/<namespace>/<name>` (cluster-scoped: empty namespace), revisions grow by one
 * per write over the whole store, the resourceVersion of an object is its revision.
 */
export interface Store {
  readonly revision: number;
  /** The oldest revision that can still be listed at or watched from. */
  readonly compacted: number;
  get(key: string): Entry | undefined;
  /** Entries under a prefix in key order, as of a revision (default: now), from after a key, at most `limit`. */
  list(
    prefix: string,
    options?: { at?: number; after?: string; limit?: number },
  ): { entries: Entry[]; revision: number; more: boolean };
  /** Writes; `expected` undefined = must not exist, else the revision it must still have. Throws Conflict/AlreadyExists. */
  put(key: string, object: KubeObject, expected: number | undefined): Promise<Entry>;
  delete(key: string, expected: number): Promise<Entry>;
  /** Events after a revision, then live. Throws Expired (410) if the revision is compacted. */
  watch(prefix: string, after: number, onEvent: (event: StoreEvent) => void): { stop(): void };
  close(): Promise<void>;
}

/** Finds out who is asking. `undefined`: no credential was given (anonymous). Throws StatusError 401 for a bad one. */
export interface Authenticator {
  authenticate(request: {
    authorization: string | undefined;
    clientCertificate: { subjectCN: string; organizations: string[] } | undefined;
  }): Promise<User | undefined>;
}

/** What somebody asks to do, as far as rights depend on it. */
export interface Attributes extends Omit<RequestInfo, 'query'> {
  readonly user: User;
}

export interface Authorizer {
  authorize(attributes: Attributes): { readonly allowed: boolean; readonly reason: string };
  /** The rules that apply to a user in a namespace, for SelfSubjectRulesReview. */
  rulesFor(user: User, namespace: string): { resourceRules: Json[]; nonResourceRules: Json[] };
}

/** What an admission step looks at, and may change (`object`) before it is stored. */
export interface AdmissionRequest {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly info: RequestInfo;
  readonly resource: ResourceInfo;
  readonly user: User;
  readonly object: MutableJsonObject | undefined;
  readonly old: KubeObject | undefined;
  readonly dryRun: boolean;
}

export interface Admission {
  /** Changes `object` in place, or throws StatusError. Runs in the order of the list, before validation. */
  mutate?(request: AdmissionRequest): void | Promise<void>;
  validate?(request: AdmissionRequest): void | Promise<void>;
}

/** Reading and writing the cluster from inside, without HTTP, past authorization: for actors and admission. */
export interface Inside {
  readonly store: Store;
  now(): Date;
  resourceFor(group: string, kind: string): ResourceInfo | undefined;
  resources(): readonly ResourceInfo[];
  get(group: string, kind: string, namespace: string, name: string): KubeObject | undefined;
  list(group: string, kind: string, namespace?: string): readonly KubeObject[];
  create(object: KubeObject): Promise<KubeObject>;
  /** Read, change, write, again on conflict; `change` returns undefined to leave it. */
  update(
    group: string,
    kind: string,
    namespace: string,
    name: string,
    change: (object: MutableJsonObject) => MutableJsonObject | undefined,
    options?: { subresource?: 'status' },
  ): Promise<KubeObject | undefined>;
  delete(
    group: string,
    kind: string,
    namespace: string,
    name: string,
    options?: { propagation?: 'Foreground' | 'Background' | 'Orphan'; uid?: string; gracePeriod?: number },
  ): Promise<void>;
  watch(group: string, kind: string, onEvent: (event: StoreEvent) => void): { stop(): void };
}

/** A part that plays one of Kubernetes' controllers; started with the server unless turned off by name. */
export interface Actor {
  readonly name: string;
  start(inside: Inside): { stop(): void | Promise<void> };
}

/** The stages of a request the audit log tells of. */
export interface AuditRecord {
  readonly auditID: string;
  readonly stage: 'ResponseComplete' | 'ResponseStarted' | 'Panic';
  readonly info: RequestInfo;
  /** Path and query as they were sent; without it they are put together from `info`. */
  readonly requestURI?: string;
  readonly user: User;
  readonly impersonated: User | undefined;
  readonly sourceIP: string;
  readonly userAgent: string;
  readonly requestReceived: Date;
  readonly stageTime: Date;
  readonly code: number;
  readonly responseStatus?: JsonObject | undefined;
  readonly requestObject?: Json | undefined;
  readonly responseObject?: Json | undefined;
  readonly annotations: { readonly [key: string]: string };
}

export interface Auditor {
  record(entry: AuditRecord): void;
  close(): Promise<void>;
}
