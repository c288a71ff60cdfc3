import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultStage } from './fault-stage.ts';
import { proveHooksAskedOnce, untilSynced } from './ten-waves.ts';

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
  const start = (): ChildProcess => startProgram(faults.kubeconfig, faults.tenant);
  let program = start();
  const measure = async (name: string): Promise<number> => {
    const from = faults.calls.calls();
    await faults.proveCalm(await faults.begin(name));
    return faults.calls.calls() - from;
  };
  return {
    async measure() {
      // The first one also tells that the controller is up.
      await measure('calm-first');
      return measure('calm');
    },
    async killAt(name, point) {
      const killed = setTrap(faults, point, program);
      const subject = await faults.begin(name);
      const call = await Promise.race([killed, untilSynced(subject).then(() => undefined)]);
      faults.calls.script(undefined);
      if (call !== undefined) program = start();
      await faults.proveCalm(subject);
      proveHooksAskedOnce(subject);
      return call;
    },
    async stop() {
      faults.calls.script(undefined);
      await killed(program);
    },
  };
}

/** Kills at the call of that number from now; answers which call it was once the program is gone. */
function setTrap({ calls }: FaultStage, point: KillPoint, program: ChildProcess): Promise<string> {
  const at = calls.calls() + point.call;
  return new Promise((resolve) => {
    calls.script(({ number, method, path }) => {
      if (number < at) return undefined;
      // What it still sends while it dies comes too late for everybody.
      if (number > at) return { drop: true };
      const kill = (): void => void killed(program).then(() => resolve(`${method} ${path}`));
      if (point.when === 'after') return { lose: kill };
      kill();
      return { drop: true };
    });
  });
}

async function killed(program: ChildProcess): Promise<void> {
  program.kill('SIGKILL');
  for (let waited = 0; program.exitCode === null && program.signalCode === null; waited += 10) {
    assert.ok(waited < 30_000, 'the controller does not end');
    await sleep(10);
  }
}

function startProgram(kubeconfig: string, tenant: string): ChildProcess {
  const cache = join(kubeconfig, '..', 'repos');
  const flags = [`--kubeconfig=${kubeconfig}`, `--namespace=${tenant}-argocd`, `--repo-cache-dir=${cache}`];
  const more = [`--application-namespaces=${tenant}-team`, '--port=0', '--repo-poll-seconds=1', '--loglevel=error'];
  return spawn(process.execPath, ['src/main/argosy.ts', 'run', ...flags, ...more], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
