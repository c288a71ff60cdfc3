/**
 * Child processes under control: a deadline, a process group that is really ended, a clean environment, caps on what
 * they print and write, memory and network taken away where the machine allows it.
 *
 * They are started from a small helper process, which is quick and leaves the big one alone. What to run and what its
 * answer means is the business of `git` and `render`. Begin with `spawner.ts`; `child.ts` is what runs in the helper.
 */
export type { Confinement } from './confinement.ts';
export { type DirectorySize, measureDirectory } from './directory-size.ts';
export type { DirectoryLimit } from './protocol.ts';
export { removeTree, type Scratch } from './scratch.ts';
export type { Session, SessionRequest } from './session.ts';
export { createSpawner, type RunRequest, type RunResult, type Spawner, type SpawnerOptions } from './spawner.ts';
