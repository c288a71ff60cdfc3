import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { CommandContext } from '../cli/index.ts';
import { ArgosyError } from '../core/errors/index.ts';
import { startCluster } from '../kubeserver/index.ts';
import { wholeNumber } from './flags.ts';

interface Flags {
  readonly port: string;
  readonly dataDir?: string;
  readonly kubeconfigOut?: string;
  readonly auditLog?: string;
  readonly actorsOff?: string;
  readonly actors: boolean;
}

/** `argosy kube`: the embedded cluster alone. */
export function register(command: Command, context: CommandContext): void {
  command
    .option('--port <number>', 'port on 127.0.0.1; 0 for a free one', '6443')
    .option('--data-dir <dir>', 'keep the state here across restarts (default: in memory)')
    .option('--kubeconfig-out <file>', 'write a kubeconfig for the administrator here')
    .option('--audit-log <file>', 'append audit events here, as kube-apiserver writes them')
    .option('--actors-off <list>', 'leave out these actors, comma-separated (deployment, job, pod, …)')
    .option('--no-actors', 'leave out all actors: objects stay as they are written')
    .addHelpText(
      'after',
      `
For the first minute, for tests and for trying out policies; never for production.

Examples:
  argosy kube --kubeconfig-out ./kubeconfig
  kubectl --kubeconfig ./kubeconfig get namespaces
  argosy kube --port 0 --data-dir ./state --kubeconfig-out ./kubeconfig --audit-log ./audit.log`,
    )
    .action((flags: Flags) => run(flags, context));
}

async function run(flags: Flags, context: CommandContext): Promise<void> {
  const port = wholeNumber('--port', flags.port, 65_535);
  const off = (flags.actorsOff ?? '').split(',').filter((name) => name !== '');
  const cluster = await startCluster({
    port,
    actors: flags.actors ? { off } : false,
    ...(flags.dataDir === undefined ? {} : { dataDir: resolve(context.cwd, flags.dataDir) }),
    ...(flags.auditLog === undefined ? {} : { auditLog: resolve(context.cwd, flags.auditLog) }),
    onFault: (error) => context.warn(`argosy: ${String(error)}`),
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    throw new ArgosyError('usage', `port ${port} is in use`, {
      hint: 'choose another one, or --port 0 for a free one',
    });
  });
  context.print(`The embedded cluster serves at ${cluster.url}.\n`);
  if (flags.kubeconfigOut !== undefined) {
    writeFileSync(resolve(context.cwd, flags.kubeconfigOut), cluster.adminKubeconfig(), { mode: 0o600 });
    context.print(`Try: kubectl --kubeconfig ${flags.kubeconfigOut} get namespaces\n`);
  } else context.print('Name a file with --kubeconfig-out to reach it with kubectl.\n');
  context.print('It is for trying out and for tests, never for production. Ctrl-C ends it.\n');
  await new Promise<void>((done) => context.signal.addEventListener('abort', () => done(), { once: true }));
  await cluster.stop();
}
