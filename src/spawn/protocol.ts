/** What the helper is told about a child it should start. */
export interface ChildOrder {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** When the group is asked to end. */
  readonly deadlineMs: number;
  /** How long after that it is killed. */
  readonly graceMs: number;
  readonly maxOutputBytes: number;
  readonly maxErrorBytes: number;
  /** A directory whose size is looked at while the child runs. */
  readonly watch?: DirectoryLimit | undefined;
}

/** A directory and how much may lie in it. */
export interface DirectoryLimit {
  readonly path: string;
  readonly maxBytes: number;
  readonly maxFiles: number;
}

/** The child runs; `pid` is also the id of its process group. */
export interface Started {
  readonly pid: number;
}

/** Why a child came to its end. `exit` is its own doing. */
export type EndReason = 'exit' | 'deadline' | 'output' | 'disk' | 'stopped' | 'not-started';

/** How a child ended. */
export interface Ended {
  readonly reason: EndReason;
  readonly code: number | null;
  readonly signal: string | null;
  /** The system's word where it could not be started, such as `ENOENT`. */
  readonly errno?: string | undefined;
}
