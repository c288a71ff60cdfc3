import type { KubeObject, ObjectKey } from '../objects/index.ts';

/** One object the sources ask for, with its namespace and the Application's mark filled in. */
export interface Target {
  readonly key: ObjectKey;
  readonly object: KubeObject;
  /** Which of the Application's sources it came from, and where in it, for messages. */
  readonly source: number;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
}

/** One object a cluster holds that concerns the Application: it is a target, or bears the Application's mark. */
export interface LiveObject {
  readonly key: ObjectKey;
  readonly object: KubeObject;
}

/**
 * What a cluster holds of an Application, and what is not known about it. A kind that could not be read is named in
 * `unknown` with the reason; its objects are neither there nor absent, so nothing is judged or removed on it.
 */
export interface Live {
  /** By `printKey`. */
  readonly objects: ReadonlyMap<string, LiveObject>;
  /** By `kindText` of the kind, or by `printKey` of a single object. */
  readonly unknown: ReadonlyMap<string, string>;
}

export type SyncCode = 'Synced' | 'OutOfSync' | 'Unknown';

/** Target and live object of one key, judged. */
export interface ComparedObject {
  readonly key: ObjectKey;
  readonly version: string;
  readonly target: Target | undefined;
  readonly live: LiveObject | undefined;
  /** Absent for hooks, skipped objects and copies of a foreign mark: they have no sync status. */
  readonly status: SyncCode | undefined;
  /** The live object differs from what applying the target would make of it. */
  readonly modified: boolean;
  readonly requiresPruning: boolean;
  readonly hook: boolean;
  readonly wave: number;
  /** Why the status is unknown. */
  readonly reason?: string | undefined;
  /** The path, in the notation of managed fields, to the first field that differs. */
  readonly difference?: readonly string[] | undefined;
  /** The instance name of another Application that has its mark on the live object. */
  readonly sharedWith?: string | undefined;
}

/** Something people should know that stops nothing. */
export interface ComparisonWarning {
  readonly type: 'SharedResourceWarning' | 'RepeatedResourceWarning' | 'ExcludedResourceWarning';
  readonly message: string;
}

/** The Application as a whole, judged from one revision and one read. */
export interface Comparison {
  readonly status: SyncCode;
  readonly objects: readonly ComparedObject[];
  /** Sentences for `ComparisonError`; not empty means nothing may be synced or removed. */
  readonly errors: readonly string[];
  /** Sentences for `InvalidSpecError`; not empty means nothing may be synced or removed, too. */
  readonly invalid?: readonly string[];
  /** Kinds that may hold more of the Application (by `kindText`) and hooks (by `printKey`) that could not be read, and why. */
  readonly unread?: ReadonlyMap<string, string>;
  readonly warnings?: readonly ComparisonWarning[];
}
