// The controller on a real kube-apiserver with the audit log on, in a process of its own, against floors of the same run.
// Scenarios are numbered as in the design of the benchmark (S1…S13); each has a file of its own under `controller/`.
// Progress goes to standard error.
import { type Bench, openBench } from './controller/bench.ts';
import { fairness } from './controller/fairness.ts';
import { openWriteFloor } from './controller/floors.ts';
import { giants } from './controller/giants.ts';
import { heal } from './controller/heal.ts';
import { baseOfOne, idle } from './controller/idle.ts';
import { initialSyncs } from './controller/initial-sync.ts';
import { elsewhere, push } from './controller/push.ts';
import { restart } from './controller/restart.ts';
import { secrets } from './controller/secrets.ts';
import { storm } from './controller/storm.ts';
import { tenants } from './controller/tenants.ts';
import { exactly, type Figure, inOneLine } from './probes/figures.ts';

/** How much of everything. */
interface Sizes {
  readonly applications: number;
  readonly rounds: number;
  readonly teams: number;
  readonly each: number;
  readonly noisy: number;
  readonly secrets: number;
}

const sizes: Readonly<Record<'bar' | 'full', Sizes>> = {
  bar: { applications: 100, rounds: 3, teams: 5, each: 20, noisy: 30, secrets: 20 },
  full: { applications: 1_000, rounds: 2, teams: 50, each: 100, noisy: 100, secrets: 100 },
};

/** Runs the scenarios and answers their figures. */
export async function run(options: { readonly size?: 'bar' | 'full' } = {}): Promise<readonly Figure[]> {
  const size = options.size ?? 'bar';
  const { applications, teams, each } = sizes[size];
  // A folder for everybody: of two that read one folder into one namespace each would heal what the other has applied.
  const bench = await openBench(size === 'full', Math.max(applications, teams * each));
  try {
    return await scenarios(bench, sizes[size]);
  } finally {
    await bench.close();
  }
}

async function scenarios(bench: Bench, size: Sizes): Promise<Figure[]> {
  const { applications: count, rounds } = size;
  const figures: Figure[] = [];
  const take = (name: string, from: number, found: readonly Figure[]): void => {
    figures.push(...found);
    console.error(`${name}: ${((performance.now() - from) / 1000).toFixed(0)} s`);
    for (const each of found.filter(({ bound }) => bound !== undefined)) console.error(`  ${inOneLine(each)}`);
  };
  const play = async (name: string, scenario: () => Promise<readonly Figure[]>): Promise<void> => {
    const from = performance.now();
    try {
      take(name, from, await scenario());
    } catch (error) {
      // What the others found is still worth telling.
      console.error(name, error);
      figures.push(exactly(`scenarios that failed: ${name}`, 1, 0));
    }
  };
  const floor = await openWriteFloor(bench);
  const base = await baseOfOne(bench);
  const from = performance.now();
  const {
    figures: synced,
    last,
    perAppMs,
  } = await initialSyncs(bench, floor, count, {
    rounds,
    baseOf: (name) => baseOfOne(bench, name),
  });
  take('initial sync', from, synced);
  const { contestant } = last;
  const name = `plain${rounds - 1}`;
  await play('idle', () => idle(bench, contestant, base, count));
  await play('push', () => push(bench, { contestant, name, count }));
  await play('commits elsewhere', () => elsewhere(bench, contestant));
  await play('self-heal', () => heal(bench, `${name}-shop`, count));
  await play('event storm', () => storm(bench, contestant, `${name}-shop`));
  await contestant.stop();
  await play('restart', () => restart(bench, `${name}-argocd`, count));
  await play('tenants', () => tenants(bench, size.teams, size.each, perAppMs));
  await play('noisy tenant', () => fairness(bench, size.noisy));
  await play('cluster Secrets', () => secrets(bench, size.secrets));
  await play('giants', () => giants(bench));
  return figures.toSorted((a, b) => scenarioOf(a) - scenarioOf(b));
}

const scenarioOf = ({ name }: Figure): number => Number(/^S(\d+)/.exec(name)?.[1] ?? 0);
