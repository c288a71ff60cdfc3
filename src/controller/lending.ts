import type { ClusterAccess, World } from './application/world.ts';

/** Waits for something outside that may not answer. */
export type Outside = <T>(wait: () => Promise<T>) => Promise<T>;

/**
 * The world of one pass: whatever it waits for outside, a repository or a cluster, it waits for without keeping others
 * from their work. Writes are not among it: they are the work.
 */
export function lending(world: World, outside: Outside): World {
  return {
    ...world,
    render: (app, override) => outside(() => world.render(app, override)),
    cluster: async (key) => patient(await outside(() => world.cluster(key)), outside),
  };
}

function patient(access: ClusterAccess, outside: Outside): ClusterAccess {
  return { ...access, live: (...question) => outside(() => access.live(...question)) };
}
