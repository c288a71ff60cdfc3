import type { Unowned } from '../../cache/index.ts';
import type {
  Application,
  ApplicationSource,
  ApplicationStatus,
  Operation,
  OrphanedResources,
  Params,
  Settings,
} from '../../core/api/index.ts';
import type { Live, Rendered } from '../../core/diff/index.ts';
import type { Health } from '../../core/health/index.ts';
import type { JsonObject } from '../../core/json/index.ts';
import type { KubeObject, ObjectKey } from '../../core/objects/index.ts';
import type { Identity, SyncRequest, Verdict } from '../../core/policy/index.ts';
import type { Reader, Resource, Writer } from '../../kube/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import type { Closeups } from './closeup.ts';
import type { Damping } from './damping.ts';
import type { Guard } from './guard.ts';
import type { OperationsSeen } from './operations-seen.ts';
import type { Patience } from './patience.ts';

/** What a pass may touch: everything outside comes in through here, wired by `main`. */
export interface World {
  readonly controlPlane: string;
  readonly log: Logger;
  /** Milliseconds since 1970. */
  now(): number;
  /** The controller is being stopped: what is left to do is for the next one. */
  stopping(): boolean;
  /** The Application as the watch last saw it; undefined once it is gone. */
  application(key: string): KubeObject | undefined;
  /** What `argocd-cm` says now. */
  settings(): Settings;
  /** What `argocd-cmd-params-cm` says now. */
  params(): Params;
  /** What closer looks at objects have told, for as long as it holds. */
  readonly closeups: Closeups;
  /** What this process has begun itself. */
  readonly operations: OperationsSeen;
  /** How long syncs wait for API servers that are away. */
  readonly patience: Patience;
  /** Asks the policy on the newest snapshot; asked again right before each write. */
  admit(app: Application): Admission;
  /** From the sources to objects; throws ArgosyError where what an operation asks for cannot be had. */
  render(app: Application, override: SourceOverride): Promise<Reading>;
  /** The way to a cluster the policy has chosen. */
  cluster(key: string): Promise<ClusterAccess>;
  /** How an object is doing by the newest settings; undefined where its kind says nothing about that. */
  health(object: KubeObject): Health | undefined;
  /**
   * Patches the Application through the control-plane door; answers its new resourceVersion. Guarded, it throws
   * `kube-conflict` where somebody else has changed what it rests on since the pass began.
   */
  patchApplication(app: Application, patch: JsonObject, guard?: Guard): Promise<string | undefined>;
  /** What was told of health lately, and what is held back of it. */
  readonly damping: Damping;
  /** How an Application is doing, whether that is written or not: whoever measures it is told. */
  seen(app: Application, after: ApplicationStatus): void;
  /** A status was written: whoever tells people about it is told. */
  told(app: Application, after: ApplicationStatus): void;
}

/** What the policy says about an Application as a whole. */
export type Admission =
  /** Not ours to look at: no status, no event. */
  | { readonly answer: 'ignored' }
  | { readonly answer: 'refused'; readonly condition: string; readonly message: string }
  | Admitted;

export interface Admitted {
  readonly answer: 'admitted';
  /** `<namespace>/<secret>`. */
  readonly cluster: string;
  readonly identity: Identity;
  /** Asked for every object of every phase. */
  permits(object: ObjectKey, namespaced: boolean | undefined): Verdict;
  /** Whether an operation somebody wrote onto the Application may run: its own sources are checked, too. */
  permitsOperation(operation: Operation): Verdict;
  /** Whether the project's windows let it sync now, and when that changes at the earliest. */
  window(request: SyncRequest): { readonly verdict: Verdict; readonly changesAt: number | undefined };
  /** What the project says about objects that nobody manages; undefined: it does not want to know. */
  readonly orphanedResources?: OrphanedResources | undefined;
  /** For the Application's conditions: it goes on, but somebody should know. */
  readonly warnings: readonly string[];
}

/** What an operation puts in the place of the Application's own sources and revisions. */
export interface SourceOverride {
  readonly revision?: string | undefined;
  readonly revisions?: readonly string[] | undefined;
  readonly source?: ApplicationSource | undefined;
  readonly sources?: readonly ApplicationSource[] | undefined;
}

/** What could be read of an Application's sources: the newest manifests, or the last good ones beside the reason. */
export interface Reading {
  /** Undefined where nothing was ever read. */
  readonly manifests: Manifests | undefined;
  readonly unread?: Unread | undefined;
}

/** Sources that cannot be read: what was good last stays, and nothing is started on it. */
export interface Unread {
  /** Milliseconds since 1970. */
  readonly since: number;
  /** For people: why, and since when. */
  readonly message: string;
  /** False during the grace period: the status stays as it is. */
  readonly told: boolean;
}

export interface Manifests {
  /** Empty for an Application of several sources. */
  readonly revision: string;
  /** One for each source, where there are several. */
  readonly revisions?: readonly string[];
  /** For people: a key that stands twice, a link that was passed over. */
  readonly warnings?: readonly string[];
  readonly sourceType: string;
  readonly rendered: readonly Rendered[];
}

/** One cluster, seen from one Application. */
export interface ClusterAccess {
  /** The kind as the cluster serves it; undefined where it surely does not. Throws where that is not known. */
  resource(group: string, kind: string): Resource | undefined;
  /**
   * The targets and whatever else bears the Application's mark, or unknown where it could not be read. What is not kept
   * is read with the identity.
   */
  live(
    instance: string,
    targets: readonly ObjectKey[],
    known: readonly { group: string; kind: string }[],
    identity: Identity,
  ): Promise<Live>;
  /** What nothing owns in a namespace; the instance that asks is woken when that changes. */
  unowned(namespace: string, instance: string): Unowned;
  /** The door on behalf of the Application. */
  as(identity: Identity): Reader & Writer;
}
