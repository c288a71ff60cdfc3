import type { Command } from 'commander';
import type { CommandContext } from '../../command.ts';
import { addRelocate } from './relocate/relocate.ts';

/** Hangs the tasks of an administrator onto `argosy admin`. */
export function register(command: Command, context: CommandContext): void {
  addRelocate(command, context);
}
