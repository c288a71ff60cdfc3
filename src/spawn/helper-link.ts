import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { encodeFrame, encodeJsonFrame, type Frame, frameKind, frameReader } from './frames.ts';
import type { ChildOrder, Ended, Started } from './protocol.ts';

/** What happens to one child, told to whoever asked for it. */
export interface ChildListener {
  output(bytes: Buffer): void;
  errors(bytes: Buffer): void;
  ended(end: Ended): void;
  /** The helper died under the child; the child was killed. */
  lost(): void;
}

/** A handle on a child that lives in the helper. */
export interface RemoteChild {
  stop(): void;
}

/** The big process's end of the connection to its helper, which is started when first needed and again when it dies. */
export interface HelperLink {
  start(order: ChildOrder, stdin: Buffer | undefined, listener: ChildListener): RemoteChild;
  /** The process id of the helper, where one runs. */
  pid(): number | undefined;
  /** Kills the helper; what ran in it is lost. */
  reset(): void;
  close(): Promise<void>;
}

interface Entry {
  readonly listener: ChildListener;
  pid: number | undefined;
}

interface Helper {
  readonly process: ChildProcess;
  readonly socket: Socket;
  readonly entries: Map<number, Entry>;
}

const inputChunk = 64 * 1024;
/** How long the helper may take to end its children and itself before it is ended by force. */
const closeWithinMs = 5000;

/** Opens the link; nothing is started until the first child is. */
export function openHelperLink(
  program: string = fileURLToPath(new URL('./helper.worker.ts', import.meta.url)),
): HelperLink {
  let helper: Helper | undefined;
  let next = 0;
  const gone = (which: Helper): void => {
    if (helper === which) helper = undefined;
    which.socket.destroy();
    const orphans = [...which.entries.values()];
    which.entries.clear();
    for (const { pid } of orphans) killGroup(pid);
    for (const { listener } of orphans) listener.lost();
  };
  return {
    start(order, stdin, listener) {
      helper ??= startHelper(program, gone);
      const mine = helper;
      next = (next + 1) >>> 0;
      const id = next;
      mine.entries.set(id, { listener, pid: undefined });
      mine.process.ref();
      mine.socket.ref();
      mine.socket.write(encodeJsonFrame(frameKind.start, id, order));
      sendInput(mine.socket, id, stdin);
      return { stop: () => void (mine.entries.has(id) && mine.socket.write(encodeFrame(frameKind.stop, id))) };
    },
    pid: () => helper?.process.pid,
    reset: () => void helper?.process.kill('SIGKILL'),
    async close() {
      const mine = helper;
      if (mine === undefined) return;
      // It was let go while idle; now its end is waited for.
      mine.process.ref();
      const late = setTimeout(() => mine.process.kill('SIGKILL'), closeWithinMs);
      await new Promise<void>((resolve) => {
        mine.process.once('exit', () => resolve());
        if (mine.process.exitCode !== null || mine.process.signalCode !== null) resolve();
        mine.socket.end();
      });
      clearTimeout(late);
    },
  };
}

function sendInput(socket: Socket, id: number, stdin: Buffer | undefined): void {
  for (let at = 0; stdin !== undefined && at < stdin.length; at += inputChunk)
    socket.write(encodeFrame(frameKind.input, id, stdin.subarray(at, at + inputChunk)));
  socket.write(encodeFrame(frameKind.inputEnd, id));
}

function startHelper(program: string, gone: (helper: Helper) => void): Helper {
  // An empty environment: children get what they are given, and nothing of ours by inheritance.
  const child = spawn(process.execPath, ['--no-warnings', '--max-old-space-size=64', program], {
    env: {},
    // A group of its own: a signal to our whole group (Ctrl-C, a killed session) must not stop it from ending its children.
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  // Descriptor 3 was asked for as a pipe, which Node makes a socket.
  const socket = child.stdio[3] as Socket;
  const helper: Helper = { process: child, socket, entries: new Map() };
  socket.on(
    'data',
    frameReader((frame) => receive(helper, frame)),
  );
  socket.on('error', () => gone(helper));
  child.once('error', () => gone(helper));
  child.once('exit', () => gone(helper));
  return helper;
}

function receive(helper: Helper, { kind, id, body }: Frame): void {
  const entry = helper.entries.get(id);
  if (entry === undefined) return;
  if (kind === frameKind.output) entry.listener.output(Buffer.from(body));
  else if (kind === frameKind.errors) entry.listener.errors(Buffer.from(body));
  // Both are written by our own other half.
  else if (kind === frameKind.started) entry.pid = (JSON.parse(body.toString()) as Started).pid;
  else if (kind === frameKind.ended) {
    helper.entries.delete(id);
    // An idle helper does not keep the process alive.
    if (helper.entries.size === 0) {
      helper.process.unref();
      helper.socket.unref();
    }
    entry.listener.ended(JSON.parse(body.toString()) as Ended);
  }
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined || pid === 0) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Already gone.
  }
}
