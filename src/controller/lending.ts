import type { Reader, Writer } from '../kube/index.ts';
import type { ClusterAccess, World } from './application/world.ts';

/** Waits for something outside that may not answer. */
export type Outside = <T>(wait: () => Promise<T>) => Promise<T>;

/**
 * The world of one pass: whatever it waits for outside, a repository or a cluster, it waits for without keeping others
 * from their work. Writes are not among it: they are the work.
 */
export function lending(world: World, outside: Outside, moved: () => void): World {
  return {
    ...world,
    render: (app, override) => outside(() => world.render(app, override)),
    cluster: async (key) => patient(await outside(() => world.cluster(key)), outside, moved),
  };
}

function patient(access: ClusterAccess, outside: Outside, moved: () => void): ClusterAccess {
  return {
    ...access,
    live: (...question) => outside(() => access.live(...question)),
    as: (identity) => moving(access.as(identity), moved),
  };
}

/**
 * The door, telling of each answer that work moves: thousands of slow writes are one pass, and whoever has many of those
 * must not look like a controller that hangs.
 */
function moving(door: Reader & Writer, moved: () => void): Reader & Writer {
  const told = <T>(answer: Promise<T>): Promise<T> => answer.finally(moved);
  return {
    ...door,
    get: (...call) => told(door.get(...call)),
    create: (...call) => told(door.create(...call)),
    update: (...call) => told(door.update(...call)),
    patch: (...call) => told(door.patch(...call)),
    apply: (...call) => told(door.apply(...call)),
    delete: (...call) => told(door.delete(...call)),
  };
}
