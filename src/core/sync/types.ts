import type { KubeObject, ObjectKey } from '../objects/index.ts';

export type SyncPhase = 'PreSync' | 'Sync' | 'PostSync' | 'SyncFail';
export type ResultCode = 'Synced' | 'SyncFailed' | 'Pruned' | 'PruneSkipped';

/** One thing to do to one object. The executor decides nothing: everything it needs is here. */
export type Task = ApplyTask | DeleteTask | ReleaseTask;

interface TaskBase {
  readonly key: ObjectKey;
  readonly version: string;
  readonly phase: SyncPhase;
  readonly wave: number;
  readonly hook: boolean;
}

export interface ApplyTask extends TaskBase {
  readonly act: 'apply';
  readonly object: KubeObject;
  /** server: server-side apply; client: three-way with last-applied; replace: PUT, or create where nothing is there. */
  readonly mode: 'server' | 'client' | 'replace';
  /** Delete and create anew: always with `replace`, else when the API refuses the change. */
  readonly force: boolean;
  readonly validate: boolean;
  /** The manager of a former client-side apply whose fields become ours first. */
  readonly migrateFrom?: string | undefined;
  readonly live: KubeObject | undefined;
  readonly dryRun: boolean;
}

export interface DeleteTask extends TaskBase {
  readonly act: 'delete';
  /** Exactly this object and no later one of the same name. */
  readonly uid: string;
  readonly resourceVersion: string;
  readonly propagation: 'Foreground' | 'Background' | 'Orphan';
  readonly why: 'prune' | 'hook' | 'cascade' | 'terminate';
  readonly dryRun: boolean;
}

/** Takes our finalizer off a hook whose result is known, so that it can go. */
export interface ReleaseTask extends TaskBase {
  readonly act: 'release';
  readonly live: KubeObject;
}

/** What became of one task. */
export interface Outcome {
  readonly task: Task;
  readonly status: ResultCode;
  readonly message: string;
  /** What the API server answered with, for the next comparison. */
  readonly object?: KubeObject | undefined;
  /** Our error code, where it failed: decides about retry. */
  readonly code?: string | undefined;
  /** The fault was the server's or the way's, not the object's: whether it was done is not known, and may be tried again. */
  readonly passing?: boolean | undefined;
}
