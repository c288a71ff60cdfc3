import type { Command } from 'commander';
import type { CommandContext } from '../../cli/index.ts';
import { ArgosyError } from '../../core/errors/index.ts';
import { createLogger, silentLogger } from '../../telemetry/index.ts';
import { tenants } from './objects.ts';
import { tellStory } from './story.ts';
import { type Demo, startDemo } from './world.ts';

interface Flags {
  readonly once?: boolean;
  readonly json?: boolean;
  readonly verbose?: boolean;
}

/** `argosy demo`: two tenants on embedded clusters, and a repository to play with. */
export function register(command: Command, context: CommandContext): void {
  command
    .option('--once', 'walk through the story, report, and end')
    .option('--json', 'with --once: one JSON report for machines')
    .option('-v, --verbose', 'show the log lines of the controller')
    .addHelpText(
      'after',
      `
Starts an embedded control plane and a second embedded cluster, two tenants in their own namespaces, a Git repository on
disk and the controller. Needs git, no cluster. Everything is in a temporary directory and goes with Ctrl-C.

Examples:
  argosy demo
  argosy demo --once
  argosy demo --once --json`,
    )
    .action((flags: Flags) => run(flags, context));
}

async function run(flags: Flags, context: CommandContext): Promise<void> {
  if (flags.json === true && flags.once !== true) throw new ArgosyError('usage', '--json goes with --once');
  const say = (line: string): void => {
    if (flags.json !== true) context.print(`${line}\n`);
  };
  say('Starting two embedded clusters, a Git repository and the controller …');
  const demo = await startDemo(
    flags.verbose === true ? createLogger({ level: 'info' }) : silentLogger,
    context.version,
  );
  try {
    const chapters = await tellStory(demo, say);
    const ok = chapters.every((chapter) => chapter.ok);
    if (flags.json === true) {
      context.print(`${JSON.stringify({ ok, chapters, writes: demo.writes() }, null, 2)}\n`);
    }
    if (!ok) context.exitCode = 1;
    if (flags.once === true) return;
    invite(demo, say);
    await new Promise<void>((resolve) => context.signal.addEventListener('abort', () => resolve(), { once: true }));
    say('\nStopping …');
  } finally {
    await demo.stop();
  }
}

function invite({ kubeconfigs, repository }: Demo, say: (line: string) => void): void {
  const [tenant] = tenants;
  for (const line of [
    '',
    'Look around, with kubectl:',
    `  kubectl --kubeconfig ${kubeconfigs.controlPlane} get applications -A`,
    `  kubectl --kubeconfig ${kubeconfigs.workloads} get configmaps,deployments -A`,
    'Ask why one of them was refused (bin/argosy in a checkout):',
    `  argosy why denied team-${tenant}/greedy --kubeconfig ${kubeconfigs.controlPlane}`,
    'Change something; it shows up within a second:',
    `  cd ${repository.directory} && sed -i s/hello/goodbye/ ${tenant}/shop/config.yaml && git -c user.name=me -c user.email=me@example.com commit -qam goodbye`,
    `  kubectl --kubeconfig ${kubeconfigs.workloads} -n ${tenant}-prod get configmap shop -o yaml`,
    '',
    'Ctrl-C ends it and leaves nothing behind.',
  ]) {
    say(line);
  }
}
