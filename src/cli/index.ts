/**
 * The command line: what a person types, turned into calls of the other rooms, and their answers into text or JSON.
 *
 * It decides nothing about tenants. Each command is a module under `commands/`, loaded only when it is typed; commands
 * that start servers are composed in `main`. Begin with `program.ts`.
 */
export type { CommandContext, CommandEntry } from './command.ts';
export { commands } from './commands/index.ts';
export { kubeconfigFiles } from './objects/kubeconfig-files.ts';
export { runProgram } from './program.ts';
