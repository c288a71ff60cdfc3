import { Command, CommanderError } from 'commander';
import { isArgosyError } from '../core/errors/index.ts';
import { scrub } from '../telemetry/index.ts';
import type { CommandContext, CommandEntry } from './command.ts';

/** Usage errors: an unknown command, flag or argument. */
const usageExit = 2;

/** Runs one command line and answers with the exit code; throws nothing. */
export async function runProgram(
  argv: readonly string[],
  entries: readonly CommandEntry[],
  context: CommandContext,
): Promise<number> {
  const program = await build(argv, entries, context);
  try {
    if (argv.length === 0) program.outputHelp();
    else await program.parseAsync([...argv], { from: 'user' });
    return context.exitCode;
  } catch (error) {
    return report(error, context);
  }
}

async function build(
  argv: readonly string[],
  entries: readonly CommandEntry[],
  context: CommandContext,
): Promise<Command> {
  const program = new Command('argosy')
    .description('GitOps for Kubernetes clusters that many teams share.')
    .version(context.version, '--version', 'print the version')
    .helpCommand('help [command]', 'explain a command')
    .addHelpText('after', examples)
    .showSuggestionAfterError(true);
  harden(program, context);
  const typed = argv[0] === 'help' ? argv[1] : argv[0];
  for (const entry of entries) {
    const command = program.command(entry.name).description(entry.summary);
    harden(command, context);
    if (entry.name === typed) (await entry.load())(command, context);
  }
  // Subcommands inherit what makes them answer instead of ending the process.
  for (const command of descendants(program)) harden(command, context);
  return program;
}

const examples = `
Examples:
  argosy demo                                  two tenants on an embedded cluster, in a minute
  argosy kube --port 6443 --kubeconfig-out kc  the embedded cluster alone, for kubectl
  argosy why allowed -f ./objects team-a/shop  may this Application deploy, and if not, why

Each command explains itself: argosy <command> --help`;

function descendants(command: Command): Command[] {
  return command.commands.flatMap((child) => [child, ...descendants(child)]);
}

function harden(command: Command, context: CommandContext): void {
  command
    .exitOverride()
    .allowExcessArguments(false)
    .configureOutput({
      writeOut: (text) => context.print(text),
      writeErr: (text) => context.warn(text.trimEnd()),
      outputError: (text, write) => write(text.replace(/^error: /, 'argosy: ')),
    });
}

function report(error: unknown, context: CommandContext): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0;
    context.warn("argosy: see 'argosy --help'");
    return usageExit;
  }
  if (isArgosyError(error)) {
    context.warn(`argosy: ${scrub(error.message)}${error.hint === undefined ? '' : `\n  ${error.hint}`}`);
    return error.code === 'usage' ? usageExit : 1;
  }
  context.warn(`argosy: ${scrub(error instanceof Error ? (error.stack ?? error.message) : String(error))}`);
  context.warn('This is a defect in Argosy; please report it.');
  return 1;
}
