import { ArgosyError } from '../core/errors/index.ts';
import { type Confinement, confine, detectConfinement } from './confinement.ts';
import { type ChildListener, openHelperLink } from './helper-link.ts';
import type { ChildOrder, DirectoryLimit, Ended } from './protocol.ts';
import { createScratch, type Scratch } from './scratch.ts';
import { openSession, type Session, type SessionRequest } from './session.ts';

/** What holds for all children of one spawner. */
export interface SpawnerOptions {
  /** Where programs are looked for; children get nothing else of our environment. */
  readonly path?: string | undefined;
  /** Where private directories are made. */
  readonly temporaryRoot: string;
  /** Places that no child with a `room` sees, beside the private directories of others; enforced where `confinement().files`. */
  readonly hidden?: readonly string[] | undefined;
  /** Time between the request to end and the kill. */
  readonly graceMs?: number | undefined;
  /** The helper's program, where it does not lie beside this file (a bundle). */
  readonly helperProgram?: string | undefined;
}

/** One child process to run to its end. */
export interface RunRequest {
  readonly command: string;
  readonly args: readonly string[];
  /** Exactly these variables, and PATH unless given here. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
  readonly stdin?: Buffer | string | undefined;
  readonly deadlineMs: number;
  readonly maxOutputBytes?: number | undefined;
  readonly maxErrorBytes?: number | undefined;
  /** Private memory of each process, enforced where `confinement().memory`. */
  readonly memoryBytes?: number | undefined;
  /** The private directory it works in: it sees no other one, nor other processes, where `confinement()` says so. */
  readonly room?: string | undefined;
  /** `false`: no network and no sight of other processes, enforced where `confinement()` says so. */
  readonly network?: boolean | undefined;
  /** A directory that may not grow beyond limits while the child runs. */
  readonly watch?: DirectoryLimit | undefined;
  /** Receives standard output as it comes; the result's `stdout` is then empty. */
  readonly onOutput?: ((bytes: Buffer) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How a child ended that ended by itself. */
export interface RunResult {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Runs child processes with a deadline, in a group of their own, with a clean environment. */
export interface Spawner {
  /** A child that ends by itself is a result, whatever its code; one that had to be ended is an error. */
  run(request: RunRequest): Promise<RunResult>;
  /** A long-lived child to talk to. */
  session(request: SessionRequest): Session;
  /** A private directory, removed by its `remove`. */
  scratch(): Promise<Scratch>;
  /** What this machine lets us confine. */
  confinement(): Promise<Confinement>;
  /** The process id of the helper, where one runs. */
  helperPid(): number | undefined;
  /** Ends every child. */
  close(): Promise<void>;
}

/** Where clusters put the tokens of programs that run in them. */
const tokens = ['/var/run/secrets', '/run/secrets'];
const defaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const mebibyte = 1024 * 1024;
/** How much longer than its own deadline a child may stay unheard of before the helper itself is given up. */
const helperSlackMs = 10_000;

/** Makes a spawner; its helper process starts with the first child. */
export function createSpawner(options: SpawnerOptions): Spawner {
  const link = openHelperLink(options.helperProgram);
  const sessions = new Set<Session>();
  const path = options.path ?? defaultPath;
  let closed = false;
  let found: Promise<Confinement> | undefined;
  const confinement = (): Promise<Confinement> => {
    found ??= detect();
    return found;
  };
  const detect = async (): Promise<Confinement> => {
    const [room, other] = [await createScratch(options.temporaryRoot), await createScratch(options.temporaryRoot)];
    try {
      const attempt = (command: string, args: readonly string[]): Promise<RunResult> =>
        launch({ command, args, deadlineMs: 10_000 });
      return await detectConfinement(attempt, { room: room.path, place: options.temporaryRoot });
    } finally {
      await room.remove();
      await other.remove();
    }
  };
  const hidden = [options.temporaryRoot, ...(options.hidden ?? []), ...tokens];
  const launch = async (request: RunRequest, retry = true): Promise<RunResult> => {
    if (closed) throw new ArgosyError('cancelled', 'no child process is started any more: shutting down');
    const output: Buffer[] = [];
    const errors: Buffer[] = [];
    const end = await new Promise<Ended | undefined>((resolve) => {
      const order = orderOf(request, path, options.graceMs ?? 2_000);
      const late = setTimeout(() => link.reset(), order.deadlineMs + order.graceMs + helperSlackMs);
      const settle = (how: Ended | undefined): void => {
        clearTimeout(late);
        request.signal?.removeEventListener('abort', stop);
        resolve(how);
      };
      const listener: ChildListener = {
        output: (bytes) => (request.onOutput === undefined ? void output.push(bytes) : request.onOutput(bytes)),
        errors: (bytes) => void errors.push(bytes),
        ended: settle,
        lost: () => settle(undefined),
      };
      const child = link.start(order, request.stdin === undefined ? undefined : Buffer.from(request.stdin), listener);
      const stop = (): void => child.stop();
      request.signal?.addEventListener('abort', stop);
      if (request.signal?.aborted === true) stop();
    });
    // The helper was killed under the child. What we run may be run again, unless someone has already heard half of it.
    if (end === undefined && retry && request.onOutput === undefined) return launch(request, false);
    if (end === undefined)
      throw new ArgosyError('spawn-failed', `${request.command} was lost with the process that ran it`);
    const stderr = Buffer.concat(errors).toString();
    refuseEnd(request, end);
    return { code: end.code, signal: end.signal, stdout: Buffer.concat(output), stderr };
  };
  return {
    async run(request) {
      if (!needsConfinement(request)) return launch(request);
      const result = await launch(confine(request, await confinement(), hidden));
      // The programs in front answer for one that is not there.
      if (result.code === 127 && /^(?:prlimit|unshare|setpriv): failed to execute/.test(result.stderr))
        refuseEnd(request, { reason: 'not-started', code: null, signal: null, errno: 'ENOENT' });
      return result;
    },
    session(request) {
      const session = openSession({ ...request, env: { PATH: path, ...request.env } });
      sessions.add(session);
      void session.ended.then(() => sessions.delete(session));
      return session;
    },
    scratch: () => createScratch(options.temporaryRoot),
    confinement,
    helperPid: () => link.pid(),
    async close() {
      closed = true;
      for (const session of sessions) session.kill();
      await Promise.all([...[...sessions].map((session) => session.ended), link.close()]);
    },
  };
}

function needsConfinement(request: RunRequest): boolean {
  return request.network === false || request.memoryBytes !== undefined || request.room !== undefined;
}

function orderOf(request: RunRequest, path: string, graceMs: number): ChildOrder {
  return {
    command: request.command,
    args: request.args,
    env: { PATH: path, ...request.env },
    cwd: request.cwd ?? '/',
    deadlineMs: request.deadlineMs,
    graceMs,
    maxOutputBytes: request.maxOutputBytes ?? 16 * mebibyte,
    maxErrorBytes: request.maxErrorBytes ?? 64 * 1024,
    watch: request.watch,
  };
}

/** Turns every end that was not the child's own into an error; none of them quotes what the child said. */
function refuseEnd({ command, deadlineMs }: RunRequest, end: Ended): void {
  const subject = command;
  if (end.reason === 'not-started')
    throw new ArgosyError('spawn-failed', `${command} could not be started (${end.errno ?? 'unknown reason'})`, {
      subject,
      reason: end.errno,
    });
  if (end.reason === 'deadline')
    throw new ArgosyError('spawn-deadline', `${command} ran longer than ${deadlineMs / 1000} s and was killed`, {
      subject,
    });
  if (end.reason === 'output')
    throw new ArgosyError('spawn-limit', `${command} printed more than permitted and was killed`, {
      subject,
      reason: 'output',
    });
  if (end.reason === 'disk')
    throw new ArgosyError('spawn-limit', `${command} wrote more files than permitted and was killed`, {
      subject,
      reason: 'disk',
    });
  if (end.reason === 'stopped') throw new ArgosyError('cancelled', `${command} was stopped`, { subject });
}
