import type { Json, JsonObject } from '../core/json/index.ts';
import type { KubeObject } from '../core/objects/index.ts';

/** One kind a cluster serves, as discovery tells it. */
export interface Resource {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** The plural in the path, such as `deployments`. */
  readonly plural: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** Names of the subresources, such as `status`, `scale`, `log`. */
  readonly subresources?: readonly string[];
}

/** What a cluster serves. A group that could not be read is *unknown*: its kinds are neither there nor absent. */
export interface Discovery {
  readonly resources: readonly Resource[];
  /** `group/version` (or `group`) of what could not be read, with the reason. */
  readonly unknown: ReadonlyMap<string, string>;
}

/** As whom a request is made. The cluster's own credential stays the one on the wire. */
export interface Impersonation {
  readonly user: string;
  readonly groups?: readonly string[];
  readonly uid?: string;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** For the whole call with its retries; each verb has a default, none waits for ever. */
  readonly deadlineMs?: number | undefined;
}

export interface WriteOptions extends CallOptions {
  readonly dryRun?: boolean | undefined;
  readonly fieldManager?: string | undefined;
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict' | undefined;
  readonly subresource?: string | undefined;
}

export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  readonly force?: boolean | undefined;
}

export interface DeleteOptions extends CallOptions {
  readonly dryRun?: boolean | undefined;
  readonly propagation?: 'Foreground' | 'Background' | 'Orphan' | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  /** The delete is refused (conflict) unless the object is still this one. */
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

export interface SelectOptions extends CallOptions {
  /** Empty or absent: all namespaces. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** Ask for PartialObjectMetadata only. */
  readonly metadataOnly?: boolean | undefined;
  /**
   * The name of a manager whose entries in `managedFields` are kept; all others' are dropped before parsing, as are
   * everybody's where it is absent.
   */
  readonly keepFieldsOf?: string | undefined;
}

export interface ListOptions extends SelectOptions {
  /** `'0'`: whatever the server's cache holds; absent: the newest. */
  readonly resourceVersion?: string | undefined;
  readonly pageSize?: number | undefined;
  /**
   * Turns one item into what is kept, while decoding; `undefined` drops it. It sees the item without managedFields
   * and with `apiVersion` and `kind` filled in.
   */
  readonly project?: ((item: KubeObject) => unknown) | undefined;
  /**
   * The continue token expired half-way: what was handed out so far counts no more, and the list begins again in one
   * piece. Without it such a list throws `kube-gone`.
   */
  readonly onRestart?: (() => void) | undefined;
}

/** A list read to its end: complete, or an error was thrown. */
export interface ListEnd {
  readonly resourceVersion: string;
  readonly count: number;
}

export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: KubeObject }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly initialEventsEnd: boolean };

export interface WatchOptions extends SelectOptions {
  readonly resourceVersion: string;
  /** No byte for this long means the watch is dead, however open the connection looks. */
  readonly silenceMs?: number | undefined;
}

export interface FollowOptions extends SelectOptions {
  /** As in WatchOptions. */
  readonly silenceMs?: number | undefined;
}

/** What a kept-up view of a kind tells its owner, in order; every call is synchronous and short. */
export interface FollowSink {
  /** A list begins; what is not named before `complete` is gone. */
  restart(): void;
  /** Added or changed. */
  upsert(object: KubeObject): void;
  remove(object: KubeObject): void;
  /** The view is whole and as new as this version. Called after each list, and again at each bookmark. */
  complete(resourceVersion: string): void;
  /** The server has accepted a watch. */
  opened?(): void;
  /** The view can no longer be kept up: what is known is now *unknown*, not absent. Retried unless `fatal` was answered. */
  broken(error: Error): 'retry' | 'stop';
}

export interface Following {
  stop(): void;
  /** Asks for the running watch anew, from where it is: the server checks rights only when a watch begins. */
  renew?(): void;
  /** Ends when the following has stopped. */
  readonly done: Promise<void>;
}

export interface AccessReview {
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

/** Reading a cluster. All methods throw ArgosyError only. */
export interface Reader {
  discover(options?: CallOptions & { readonly fresh?: boolean }): Promise<Discovery>;
  get(
    resource: Resource,
    namespace: string,
    name: string,
    options?: CallOptions & { subresource?: string },
  ): Promise<KubeObject>;
  /** Streams a list item by item; throws unless it was read to its end. */
  list(resource: Resource, options: ListOptions, onItem: (item: KubeObject) => void): Promise<ListEnd>;
  /** One watch; ends normally when the server closes it, throws `kube-gone` on 410. */
  watch(resource: Resource, options: WatchOptions, onEvent: (event: WatchEvent) => void): Promise<void>;
  /** List, then watch, for ever, over every fault. */
  follow(resource: Resource, options: FollowOptions, sink: FollowSink): Following;
  /** May the credential (or the impersonated user) do this? */
  mayI(review: AccessReview, options?: CallOptions): Promise<boolean>;
  logs(namespace: string, pod: string, options: LogOptions, onText: (text: string) => void): Promise<void>;
  version(
    options?: CallOptions,
  ): Promise<{ readonly gitVersion: string; readonly major: string; readonly minor: string }>;
}

export interface LogOptions extends CallOptions {
  readonly container?: string;
  readonly follow?: boolean;
  readonly tailLines?: number;
  readonly sinceSeconds?: number;
  readonly previous?: boolean;
  readonly timestamps?: boolean;
  readonly limitBytes?: number;
}

export type PatchType = 'json' | 'merge' | 'strategic';

/** Changing a cluster. All methods throw ArgosyError only. */
export interface Writer {
  create(resource: Resource, object: KubeObject, options?: WriteOptions): Promise<KubeObject>;
  /** Replaces; the resourceVersion in the object is the precondition. */
  update(resource: Resource, object: KubeObject, options?: WriteOptions): Promise<KubeObject>;
  patch(
    resource: Resource,
    namespace: string,
    name: string,
    type: PatchType,
    body: Json,
    options?: WriteOptions,
  ): Promise<KubeObject>;
  /** Server-side apply. */
  apply(resource: Resource, object: KubeObject, options: ApplyOptions): Promise<KubeObject>;
  /** The deleted object if the server still shows it (finalizers), else its Status. */
  delete(resource: Resource, namespace: string, name: string, options?: DeleteOptions): Promise<KubeObject | undefined>;
}

/** A connection to one cluster with one credential. Only `main` and the doors hold one. */
export interface Connection extends Reader, Writer {
  /** The same connection, every request made as this user. An empty user is refused with `identity-empty`. */
  as(who: Impersonation): Reader & Writer;
  /** Forgets what discovery said; the next question goes to the server. */
  invalidateDiscovery(): void;
  readonly server: string;
  close(): Promise<void>;
}

/** How to reach a cluster and with which credential; nothing in it is ever printed. */
export interface KubeConfig {
  readonly server: string;
  readonly caData?: Buffer | undefined;
  readonly insecure?: boolean | undefined;
  readonly tlsServerName?: string | undefined;
  readonly proxyUrl?: string | undefined;
  /** Namespace of the kubeconfig's context, or of the pod. */
  readonly namespace?: string | undefined;
  /** Ask for plain answers even where the server is far away. */
  readonly disableCompression?: boolean | undefined;
  readonly credential: Credential;
}

export type Credential =
  | { readonly type: 'none' }
  | { readonly type: 'token'; readonly token: string }
  /** Read again as it rotates. */
  | { readonly type: 'token-file'; readonly path: string }
  | { readonly type: 'basic'; readonly username: string; readonly password: string }
  | { readonly type: 'certificate'; readonly cert: Buffer; readonly key: Buffer }
  | { readonly type: 'exec'; readonly exec: ExecCredential };

export interface ExecCredential {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: { readonly [name: string]: string };
  readonly apiVersion: string;
  readonly installHint?: string;
  readonly provideClusterInfo?: boolean;
}

/** A Kubernetes Event to be written; repeated ones are folded into one object with a count. */
export interface EventNote {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly about: JsonObject | KubeObject;
}
