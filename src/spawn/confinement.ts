import { isArgosyError } from '../core/errors/index.ts';
import type { RunRequest, RunResult } from './spawner.ts';

/** What this machine lets us take away from a child. */
export interface Confinement {
  /** Memory can be capped (`prlimit`). */
  readonly memory: boolean;
  /** The network can be taken away (`unshare`). */
  readonly network: boolean;
  /** Other processes are out of sight, and none of the child's outlives it (a process namespace). */
  readonly processes: boolean;
  /** Private directories of others, mirrors and the cluster's token are out of sight (a mount namespace). */
  readonly files: boolean;
  /** What is missing and why, in a sentence for the status page. */
  readonly why?: string | undefined;
}

type Try = (command: string, args: readonly string[]) => Promise<RunResult>;

const user = ['--user', '--map-root-user'];
const offline = ['--net'];
// The child is process 1 of its own namespace: when it goes, the kernel ends everything it ever started, sessions or not.
const alone = ['--pid', '--fork', '--kill-child', '--mount', '--mount-proc'];
// In its namespace the child is an admin who could lift the veil again; without capabilities it is not.
const powerless = ['setpriv', '--no-new-privs', '--inh-caps=-all', '--bounding-set=-all', '--'];

/**
 * Lays an empty directory over each hidden place and puts the room back where it was. We stand in the room while it
 * vanishes under the veil, so that `.` still leads there; `-c` keeps mount from asking for its name, which is gone.
 */
const veil = `
room=$1 place=$2
shift 2
cd "$room" || exit 125
while [ "$1" != -- ]; do
  if [ -d "$1" ]; then mount -t tmpfs -o size=1m,mode=755 none "$1" || exit 125; fi
  shift
done
shift
mkdir -p "$room" && mount -c --bind . "$room" && cd "$place" || exit 125
exec "$@"`;

/** Tries what the machine allows, once. `room` is a private directory beside which another one lies, both in `place`. */
export async function detectConfinement(
  attempt: Try,
  { room, place }: { readonly room: string; readonly place: string },
): Promise<Confinement> {
  const works = async ([command = '', ...args]: readonly string[]): Promise<boolean> => {
    try {
      return (await attempt(command, args)).code === 0;
    } catch (error) {
      // Whoever shuts down in the meantime has found out nothing.
      if (isArgosyError(error) && error.code === 'cancelled') throw error;
      return false;
    }
  };
  const sees = ['sh', '-c', 'touch "$1/mine" && [ "$(ls "$2" | wc -l)" = 1 ]', 'sh', room, place];
  const [memory, network, processes, files] = await Promise.all([
    works(['prlimit', '--data=1000000000', '--', 'true']),
    works(['unshare', ...user, ...offline, '--', 'true']),
    works(['unshare', ...user, ...offline, ...alone, '--', 'true']),
    works(['unshare', ...user, ...alone, '--', ...veiled(room, room, [place]), ...sees]),
  ]);
  const missing = [
    ...(memory ? [] : ['memory is not capped (prlimit is missing)']),
    ...(network ? [] : ['the network stays reachable (unshare or user namespaces are not allowed)']),
    ...(processes ? [] : ['other processes stay visible (process namespaces are not allowed)']),
    ...(files ? [] : ['files of other renders stay visible (mount namespaces are not allowed, or setpriv is missing)']),
  ];
  return { memory, network, processes, files, ...(missing.length > 0 && { why: missing.join('; ') }) };
}

function veiled(room: string, place: string, hidden: readonly string[]): string[] {
  return ['sh', '-c', veil, 'sh', room, place, ...hidden, '--', ...powerless];
}

/** The same request behind the programs that take memory, network and sight away, as far as the machine allows. */
export function confine(request: RunRequest, able: Confinement, hidden: readonly string[]): RunRequest {
  const { room, network, memoryBytes, cwd = '/' } = request;
  const isAlone = able.processes && (room !== undefined || network === false);
  const isOffline = able.network && network === false;
  const prefix = [
    ...(isAlone || isOffline
      ? ['unshare', ...user, ...(isOffline ? offline : []), ...(isAlone ? alone : []), '--']
      : []),
    ...(isAlone && able.files && room !== undefined ? veiled(room, cwd, hidden) : []),
    // RLIMIT_DATA counts private writable memory; RLIMIT_AS would also count what Go programs merely reserve.
    ...(memoryBytes !== undefined && able.memory ? ['prlimit', `--data=${memoryBytes}`, '--core=0', '--'] : []),
  ];
  const [command, ...args] = [...prefix, request.command, ...request.args];
  return { ...request, command: command ?? request.command, args };
}
