import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FaultStage } from './fault-stage.ts';
import { Nursery, type Program } from './real-processes.ts';
import { untilSynced } from './ten-waves.ts';

/** A place in a sync: the call the controller was about to make, or had made without having heard the answer. */
export interface KillPoint {
  /** Counted from 1 at the beginning of the sync. */
  readonly call: number;
  readonly when: 'before' | 'after';
}

/** `argosy run` as a process of its own, killed with SIGKILL and started again. */
export interface Sweep {
  /** Syncs ten waves undisturbed; answers how many calls that took. */
  measure(): Promise<number>;
  /**
   * Syncs ten waves, kills the controller at the point, starts it again, and proves that everything ended as without.
   * Answers the call it was killed at; undefined where the sync needed fewer calls this time.
   */
  killAt(name: string, point: KillPoint): Promise<string | undefined>;
  stop(): Promise<void>;
}

/** Starts the first controller. */
export function startSweep(faults: FaultStage): Sweep {
  const dir = mkdtempSync(join(tmpdir(), 'argosy-sweep-'));
  const nursery = new Nursery(dir);
  const start = (): Program => startProgram(nursery, faults, dir);
  let program = start();
  const calm = async (name: string): Promise<number> => {
    const from = faults.calls.calls();
    await faults.proveCalm(await faults.begin(name));
    return faults.calls.calls() - from;
  };
  return {
    async measure() {
      // The first one also tells that the controller is up.
      await calm('calm-first');
      return calm('calm');
    },
    async killAt(name, point) {
      const trap = setTrap(faults, point, program);
      const subject = await faults.begin(name);
      await Promise.race([trap.killed, untilSynced(subject)]);
      faults.calls.script(undefined);
      // It may have sprung with the very last call, after the sync was over.
      const call = trap.sprung() ? await trap.killed : undefined;
      if (call !== undefined) program = start();
      await faults.proveCalm(subject);
      // Its objects stay; the next start must not take longer with every point.
      await faults.stage.remove('Application', `${faults.tenant}-team`, name);
      return call;
    },
    async stop() {
      faults.calls.script(undefined);
      await nursery.close();
    },
  };
}

interface Trap {
  sprung(): boolean;
  /** Which call it was, once the program is gone. */
  readonly killed: Promise<string>;
}

/** Kills at the call of that number from now. */
function setTrap({ calls }: FaultStage, point: KillPoint, program: Program): Trap {
  const at = calls.calls() + point.call;
  const killed = Promise.withResolvers<string>();
  let sprung = false;
  calls.script(({ number, method, path }) => {
    if (number < at) return undefined;
    // What it still sends while it dies comes too late for everybody.
    if (number > at) return { drop: true };
    sprung = true;
    const kill = (): void => void program.stop().then(() => killed.resolve(`${method} ${path}`), killed.reject);
    if (point.when === 'after') return { lose: kill };
    kill();
    return { drop: true };
  });
  return { sprung: () => sprung, killed: killed.promise };
}

function startProgram(nursery: Nursery, { kubeconfig, tenant }: FaultStage, dir: string): Program {
  const flags = [
    `--kubeconfig=${kubeconfig}`,
    `--namespace=${tenant}-argocd`,
    `--repo-cache-dir=${join(dir, 'repos')}`,
  ];
  const more = [`--application-namespaces=${tenant}-team`, '--port=0', '--repo-poll-seconds=1', '--loglevel=warn'];
  return nursery.start('argosy', process.execPath, ['src/main/argosy.ts', 'run', ...flags, ...more], join(dir, 'log'));
}
