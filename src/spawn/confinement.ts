import type { RunRequest, RunResult } from './spawner.ts';

/** What this machine lets us take away from a child. */
export interface Confinement {
  /** Memory can be capped (`prlimit`). */
  readonly memory: boolean;
  /** The network can be taken away (`unshare`). */
  readonly network: boolean;
  /** Other processes are out of sight, and none of the child's outlives it (a process namespace). */
  readonly processes: boolean;
  /** What is missing and why, in a sentence for the status page. */
  readonly why?: string | undefined;
}

type Try = (command: string, args: readonly string[]) => Promise<RunResult>;

const namespaces = ['--user', '--map-root-user', '--net'];
// The child is process 1 of its own namespace: when it goes, the kernel ends everything it ever started, sessions or not.
const alone = ['--pid', '--fork', '--kill-child', '--mount', '--mount-proc'];

/** Tries what the machine allows, once. */
export async function detectConfinement(attempt: Try): Promise<Confinement> {
  const works = async (command: string, args: readonly string[]): Promise<boolean> => {
    try {
      return (await attempt(command, args)).code === 0;
    } catch {
      return false;
    }
  };
  const [memory, network, processes] = await Promise.all([
    works('prlimit', ['--data=1000000000', '--', 'true']),
    works('unshare', [...namespaces, '--', 'true']),
    works('unshare', [...namespaces, ...alone, '--', 'true']),
  ]);
  const missing = [
    ...(memory ? [] : ['memory is not capped (prlimit is missing)']),
    ...(network ? [] : ['the network stays reachable (unshare or user namespaces are not allowed)']),
    ...(processes ? [] : ['other processes stay visible (process namespaces are not allowed)']),
  ];
  return { memory, network, processes, ...(missing.length > 0 && { why: missing.join('; ') }) };
}

/** The same request behind the programs that take memory, network and sight away, as far as the machine allows. */
export function confine(request: RunRequest, able: Confinement): RunRequest {
  const prefix = [
    ...(request.network === false && able.network
      ? ['unshare', ...namespaces, ...(able.processes ? alone : []), '--']
      : []),
    // RLIMIT_DATA counts private writable memory; RLIMIT_AS would also count what Go programs merely reserve.
    ...(request.memoryBytes !== undefined && able.memory
      ? ['prlimit', `--data=${request.memoryBytes}`, '--core=0', '--']
      : []),
  ];
  const [command, ...args] = [...prefix, request.command, ...request.args];
  return { ...request, command: command ?? request.command, args };
}
