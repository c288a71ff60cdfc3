// The controller on a real kube-apiserver with the audit log on, in a process of its own, against floors of the same run.
// Scenarios are numbered as in the design of the benchmark; each has a file of its own under `controller/`.
import { openBench } from './controller/bench.ts';
import { openWriteFloor } from './controller/floors.ts';
import { initialSyncs } from './controller/initial-sync.ts';
import type { Figure } from './probes/figures.ts';

/** Runs the scenarios and answers their figures. */
export async function run(options: { readonly size?: 'bar' | 'full' } = {}): Promise<readonly Figure[]> {
  const full = options.size === 'full';
  const count = full ? 1_000 : 200;
  const bench = await openBench(full, count);
  try {
    const floor = await openWriteFloor(bench);
    const { figures, last } = await initialSyncs(bench, floor, count, full ? 2 : 3);
    await last.contestant.stop();
    return figures;
  } finally {
    await bench.close();
  }
}
