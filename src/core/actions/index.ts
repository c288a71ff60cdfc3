/**
 * What people can do with single objects: restart, scale, suspend, run now, and what admins write in Lua.
 *
 * Pure: an object in, the objects to make or change out. Whether the project permits them, and writing them as the member,
 * is for the server. Left out of Argo CD's built-in list: `toggle-auto-sync`, `create-workflow` and those of third parties.
 * Begin with `actions.ts`.
 */
export { type Answer, type ResourceActions, resourceActions } from './actions.ts';
export type { ActionOption, ActionParams, Impact } from './types.ts';
