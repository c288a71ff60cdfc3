import type { World } from './world.ts';

/** So many tasks of one Application are under way at once. */
const mostAtOnce = 8;
/**
 * So many more than one for each Application are under way in one cluster: with 20 workers at most 64 calls. The connection
 * has a limit of its own, which follows the server's pace, but the deadline of a call runs while it waits for that. Here
 * nobody waits: whoever finds nothing left goes on with what he has, one at a time if need be, so that a crowd in a slow
 * cluster makes nobody's calls expire, and a tenant with slow calls takes nothing from the others.
 */
const mostSpare = 44;

// By the controller's watch: each pass may get a copy of the world, and all of them look through the same watch.
const taken = new WeakMap<World['application'], Map<string, number>>();

/** What may be under way besides the first task of an Application, shared by all that work in one cluster. */
export interface Spare {
  /** False where nothing is left. */
  take(): boolean;
  give(): void;
}

/** What is to spare in a cluster. */
export function spareIn(cluster: string, { application }: Pick<World, 'application'>): Spare {
  const known = taken.get(application);
  const all = known ?? new Map<string, number>();
  if (known === undefined) taken.set(application, all);
  return {
    take() {
      const count = all.get(cluster) ?? 0;
      if (count < mostSpare) all.set(cluster, count + 1);
      return count < mostSpare;
    },
    give() {
      const count = (all.get(cluster) ?? 0) - 1;
      if (count > 0) all.set(cluster, count);
      else all.delete(cluster);
    },
  };
}

/** How wide a piece of work may be; asked again before each task is begun. */
export interface Width {
  readonly spare: Spare;
  /** Less than the most, for as long as one wants to be careful. */
  readonly most: () => number;
}

/**
 * Runs tasks side by side, begun in order; the answers stand in the order of the tasks. Where one throws, no other is begun,
 * and it is thrown once those under way are over.
 */
export async function inLanes<T, R>(
  tasks: readonly T[],
  run: (task: T) => Promise<R>,
  { spare, most }: Width,
): Promise<R[]> {
  const [only] = tasks;
  if (only !== undefined && tasks.length === 1) return [await run(only)];
  const answers = new Map<number, R>();
  const thrown: unknown[] = [];
  const others = new Set<Promise<void>>();
  let begun = 0;
  let lanes = 1;
  const lane = async (): Promise<void> => {
    while (begun < tasks.length && thrown.length === 0) {
      const place = begun++;
      const running = run(tasks[place] as T); // there are more than have begun
      widen();
      await running.then(
        (answer) => answers.set(place, answer),
        (error: unknown) => thrown.push(error),
      );
    }
  };
  const widen = (): void => {
    if (lanes >= Math.min(most(), mostAtOnce) || begun >= tasks.length || !spare.take()) return;
    lanes++;
    const other = lane().finally(() => {
      lanes--;
      spare.give();
      others.delete(other);
    });
    others.add(other);
  };
  await lane();
  await Promise.all(others);
  if (thrown.length > 0) throw thrown[0];
  return tasks.map((_, place) => answers.get(place) as R); // each was run
}
