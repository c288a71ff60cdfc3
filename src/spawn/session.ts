import { spawn } from 'node:child_process';

/** A long-lived child to talk to. */
export interface SessionRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
  readonly onOutput: (bytes: Buffer) => void;
}

/** A child that answers what it is written. */
export interface Session {
  /** `false`: the child reads slower than we write; wait for `drained`. */
  write(bytes: Buffer | string): boolean;
  drained(): Promise<void>;
  /** Ends the child and its group at once. */
  kill(): void;
  /** Keeps the process alive while something is awaited, or lets it go. */
  hold(awaited: boolean): void;
  /** Resolves when the child is gone, never rejects. */
  readonly ended: Promise<{
    readonly code: number | null;
    readonly errno?: string | undefined;
    readonly stderr: string;
  }>;
}

const maxErrorBytes = 16 * 1024;

/**
 * Opens a session. It is started from this process, not from the helper: it happens once per repository,
 * and its answers then reach us without a second copy. A child that reads its input ends when we do.
 */
export function openSession(request: SessionRequest): Session {
  const child = spawn(request.command, [...request.args], {
    cwd: request.cwd ?? '/',
    env: { ...request.env },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stdout.on('data', request.onOutput);
  child.stderr.on('data', (bytes: Buffer) => {
    if (stderr.length < maxErrorBytes) stderr += bytes.toString();
  });
  child.stdin.on('error', () => undefined);
  const ended = new Promise<Awaited<Session['ended']>>((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      resolve({ code: null, errno: error.code ?? 'unknown', stderr }),
    );
    child.once('close', (code) => resolve({ code, stderr }));
  });
  return {
    write: (bytes) => child.stdin.write(bytes),
    drained: () =>
      new Promise((resolve) => {
        child.stdin.once('drain', resolve);
        void ended.then(() => resolve());
      }),
    kill: () => {
      child.ref();
      killGroup(child.pid);
      child.stdin.destroy();
    },
    hold: (awaited) => {
      // stdio streams of a child are sockets, which can be let go; their declared type does not say so.
      const holders = [child, child.stdin, child.stdout, child.stderr] as unknown as { ref(): void; unref(): void }[];
      for (const holder of holders)
        if (awaited) holder.ref();
        else holder.unref();
    },
    ended,
  };
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Already gone.
  }
}
