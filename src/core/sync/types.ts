import type { KubeObject, ObjectKey } from '../objects/index.ts';

export type SyncPhase = 'PreSync' | 'Sync' | 'PostSync' | 'SyncFail';
export type OperationPhase = 'Running' | 'Terminating' | 'Succeeded' | 'Failed' | 'Error';
export type ResultCode = 'Synced' | 'SyncFailed' | 'Pruned' | 'PruneSkipped';

/** One thing to do to one object. The executor decides nothing: everything it needs is here. */
export type Task = ApplyTask | DeleteTask;

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
  /** server: server-side apply; client: three-way with last-applied; replace: PUT; create: POST. */
  readonly mode: 'server' | 'client' | 'replace' | 'create';
  /** Delete and create anew when the API refuses the change. */
  readonly force: boolean;
  readonly validate: boolean;
  /** Managers whose fields become ours first (a former client-side apply). */
  readonly migrateFrom?: string | undefined;
  readonly live: KubeObject | undefined;
}

export interface DeleteTask extends TaskBase {
  readonly act: 'delete';
  /** Exactly this object and no later one of the same name. */
  readonly uid: string;
  readonly resourceVersion: string;
  readonly propagation: 'Foreground' | 'Background' | 'Orphan';
  readonly why: 'prune' | 'hook-policy' | 'cascade' | 'recreate' | 'terminate';
}

/** What became of one task. */
export interface Outcome {
  readonly task: Task;
  readonly status: ResultCode;
  readonly message: string;
  /** What the API server answered with, for the next comparison. */
  readonly object?: KubeObject | undefined;
  /** The right to do it was refused, or the connection failed: decides about retry. */
  readonly code?: string | undefined;
}
