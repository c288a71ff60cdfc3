import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** One running program of a real cluster. */
export interface Program {
  readonly name: string;
  readonly pid: number;
  readonly log: string;
  /** Undefined while it runs. */
  ended(): string | undefined;
  /** Kills it and answers once its process group is gone: nothing here is worth a slow farewell. */
  stop(): Promise<void>;
}

/** The path of a real binary: the environment variable wins, then the tools directory. */
export function findBinary(name: string, variable: string): string {
  const named = process.env[variable];
  const tools = process.env['ARGOSY_TOOLS'] ?? join(homedir(), '.cache/argosy/tools');
  const path = named ?? join(tools, 'bin', name);
  if (!existsSync(path)) throw new Error(`${name} is not at ${path}: run \`npm run tools\` or set ${variable}.`);
  return path;
}

/**
 * Keeps programs from outliving this process, however it ends.
 *
 * Exit handlers cover an orderly end. For `kill -9` a shell holds the list of process groups and waits on a pipe from
 * us: the kernel closes the pipe with our death, and the shell kills what is on the list.
 */
export class Nursery {
  readonly #programs = new Set<Program>();
  readonly #dir: string;
  readonly #guard: ChildProcess;
  readonly #onExit = (): void => this.#killAll();
  readonly #onSignal = (signal: NodeJS.Signals): void => {
    this.#killAll();
    process.exit(signal === 'SIGINT' ? 130 : 143);
  };

  /** `dir` holds the programs' files and goes with them. */
  constructor(dir: string) {
    this.#dir = dir;
    const script = [
      'trap "" INT TERM HUP; pids=; while read -r line; do pids=$line; done',
      'for p in $pids; do kill -s KILL -- "-$p"; done; rm -rf -- "$1"; sleep 1; rm -rf -- "$1"',
    ].join('; ');
    const options: SpawnOptions = { stdio: ['pipe', 'ignore', 'ignore'], detached: true };
    this.#guard = spawn('/bin/sh', ['-c', script, 'guard', dir], options);
    this.#guard.unref();
    // The pipe alone must not keep a finished test process waiting.
    (this.#guard.stdin as unknown as { unref?(): void } | null)?.unref?.(); // a pipe is a Socket, typed as Writable
    this.#guard.stdin?.on('error', () => undefined);
    process.on('exit', this.#onExit);
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, this.#onSignal);
  }

  /** Starts a program in a process group of its own; its output goes to a log file. */
  start(name: string, binary: string, args: readonly string[], log: string): Program {
    const out = openSync(log, 'a');
    const child = spawn(binary, args, { stdio: ['ignore', out, out], detached: true });
    closeSync(out);
    let ended: string | undefined;
    child.on('error', (error) => {
      ended = error.message;
    });
    child.on('exit', (code, signal) => {
      ended ??= `ended with ${signal ?? code}`;
    });
    child.unref();
    const pid = child.pid;
    if (pid === undefined) throw new Error(`${name} could not be started from ${binary}`);
    const stop = async (): Promise<void> => {
      await endGroup(pid);
      this.#programs.delete(program);
      this.#tellGuard();
    };
    const program: Program = { name, pid, log, ended: () => ended, stop };
    this.#programs.add(program);
    this.#tellGuard();
    return program;
  }

  /** Ends everything, last started first, and the guard too; removes the directory. */
  async close(): Promise<void> {
    for (const program of [...this.#programs].reverse()) await program.stop();
    process.off('exit', this.#onExit);
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.off(signal, this.#onSignal);
    this.#guard.stdin?.end();
    rmSync(this.#dir, { recursive: true, force: true, maxRetries: 3 });
  }

  #tellGuard(): void {
    this.#guard.stdin?.write(`${[...this.#programs].map(({ pid }) => pid).join(' ')}\n`);
  }

  #killAll(): void {
    for (const { pid } of this.#programs) signalGroup(pid, 'SIGKILL');
  }
}

function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    return false;
  }
}

async function endGroup(pid: number): Promise<void> {
  for (let waited = 0; waited < 10_000; waited += 20) {
    if (!signalGroup(pid, 'SIGKILL')) return;
    await sleep(20);
  }
  throw new Error(`process group ${pid} did not end`);
}

/** Asks again until `probe` says yes; fails with the end of the program's log at the deadline or when it has ended. */
export async function untilReady(program: Program, probe: () => Promise<boolean>, deadline = 180_000): Promise<void> {
  const end = Date.now() + deadline;
  for (;;) {
    if (await probe().catch(() => false)) return;
    const ended = program.ended();
    if (ended !== undefined) throw new Error(`${program.name} ${ended}:\n${tail(program.log)}`);
    if (Date.now() > end) throw new Error(`${program.name} not ready after ${deadline} ms:\n${tail(program.log)}`);
    await sleep(100);
  }
}

function tail(file: string): string {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '(no log)';
  return text.split('\n').slice(-25).join('\n');
}

/** Below the ports that the system gives to outgoing connections: one of those could take a port before its server does. */
const lowestPort = 10_000;
const highestPort = 32_000;

/** Loopback ports nobody listens on now, all different. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  for (let tries = 0; ports.size < count; tries++) {
    if (tries > 1000) throw new Error(`no free port between ${lowestPort} and ${highestPort}`);
    const port = randomInt(lowestPort, highestPort);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
