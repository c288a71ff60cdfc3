import { type ChildProcess, spawn } from 'node:child_process';
import { measureDirectory } from './directory-size.ts';
import type { ChildOrder, Ended, EndReason } from './protocol.ts';

/** Where what a child says goes; `false` means: wait for `resume`. */
export interface ChildEars {
  started(pid: number): void;
  output(bytes: Buffer): boolean;
  errors(bytes: Buffer): boolean;
  ended(end: Ended): void;
}

/** A running child in the helper. */
export interface Child {
  input(bytes: Buffer): void;
  inputEnd(): void;
  /** Ends the whole group at once. */
  stop(reason: EndReason): void;
  /** Reading goes on after a pause. */
  resume(): void;
}

/** How often a watched directory is measured while the child runs. */
const watchEveryMs = 200;
/**
 * How long the pipes may stay open in silence after the exit: a grandchild that left the group may hold them for ever.
 * While anything still comes, or waits to be taken by us, the time does not run: output is never cut short by a busy machine.
 */
const lingerMs = 250;

/** Starts a child in its own process group and sees to it that the group ends: by itself, by a limit, or by force. */
export function startChild(order: ChildOrder, ears: ChildEars): Child {
  let reason: EndReason = 'exit';
  let over = false;
  const child = open(order);
  const timers = new Set<NodeJS.Timeout>();
  const end = (ended: Ended): void => {
    if (over) return;
    over = true;
    for (const timer of timers) clearTimeout(timer);
    killGroup(child, 'SIGKILL');
    for (const stream of child.stdio) stream?.destroy();
    ears.ended(ended);
  };
  const stop = (why: EndReason): void => {
    if (over) return;
    if (reason === 'exit') reason = why;
    killGroup(child, 'SIGKILL');
  };
  const after = (ms: number, act: () => void): void => {
    timers.add(setTimeout(act, ms));
  };

  child.once('error', (error: NodeJS.ErrnoException) => {
    if (child.pid === undefined) end({ reason: 'not-started', code: null, signal: null, errno: error.code });
  });
  child.once('spawn', () => {
    ears.started(child.pid ?? 0);
    after(order.deadlineMs, () => {
      if (reason === 'exit') reason = 'deadline';
      killGroup(child, 'SIGTERM');
      after(order.graceMs, () => killGroup(child, 'SIGKILL'));
    });
    if (order.watch !== undefined) watchDirectory(order.watch, after, () => stop('disk'));
  });
  child.once('exit', (code, signal) => {
    const ended = (): void => end({ reason, code, signal });
    // What the group left behind is not waited for.
    killGroup(child, 'SIGKILL');
    child.once('close', ended);
    const linger = (): void => {
      // Timers run before pipes are read: what waited in them while we were busy is heard first.
      setImmediate(() => {
        if (silentFor(child, heardAt) < lingerMs) after(lingerMs, linger);
        else ended();
      });
    };
    after(lingerMs, linger);
  });
  let heardAt = 0;
  const hear = (): void => {
    heardAt = performance.now();
  };
  child.stdout?.on('data', hear);
  child.stderr?.on('data', hear);
  listen(child, order, ears, stop);
  return {
    input: (bytes) => void child.stdin?.write(bytes),
    inputEnd: () => void child.stdin?.end(),
    stop,
    resume: () => {
      child.stdout?.resume();
      child.stderr?.resume();
    },
  };
}

/** How long nothing has come out of a child; 0 while something is waiting for us. */
function silentFor({ stdout, stderr }: ChildProcess, heardAt: number): number {
  const waiting = [stdout, stderr].some(
    (stream) => stream !== null && (stream.isPaused() || stream.readableLength > 0),
  );
  return waiting ? 0 : performance.now() - heardAt;
}

function open(order: ChildOrder): ChildProcess {
  const child = spawn(order.command, [...order.args], {
    cwd: order.cwd,
    env: { ...order.env },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // A child that ends without reading its input is no fault of ours.
  child.stdin?.on('error', () => undefined);
  return child;
}

function listen(child: ChildProcess, order: ChildOrder, ears: ChildEars, stop: (reason: EndReason) => void): void {
  let written = 0;
  let complained = 0;
  child.stdout?.on('data', (bytes: Buffer) => {
    const room = order.maxOutputBytes - written;
    written += bytes.length;
    if (room > 0 && !ears.output(bytes.subarray(0, room))) child.stdout?.pause();
    if (written > order.maxOutputBytes) stop('output');
  });
  // Complaints beyond the cap are dropped: they are for people, and people read the beginning.
  child.stderr?.on('data', (bytes: Buffer) => {
    const room = order.maxErrorBytes - complained;
    complained += bytes.length;
    if (room > 0 && !ears.errors(bytes.subarray(0, room))) child.stderr?.pause();
  });
}

function watchDirectory(
  limit: NonNullable<ChildOrder['watch']>,
  after: (ms: number, act: () => void) => void,
  exceeded: () => void,
): void {
  const look = async (): Promise<void> => {
    const size = await measureDirectory(limit.path, limit);
    if (size.exceeded) exceeded();
    else after(watchEveryMs, () => void look());
  };
  after(watchEveryMs, () => void look());
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group is gone already.
  }
}
