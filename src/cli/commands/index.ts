import type { CommandEntry } from '../command.ts';

/** The commands that start no server, in the order of the help. */
export const commands: readonly CommandEntry[] = [];
