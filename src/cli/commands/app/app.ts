import type { Command } from 'commander';
import type { CommandContext } from '../../command.ts';
import { registerManifests } from './manifests.ts';

/** Hangs its verbs onto `argosy app`. */
export function register(command: Command, context: CommandContext): void {
  registerManifests(command.command('manifests').description('what an Application renders to'), context);
}
