import type { Command } from 'commander';
import type { CommandContext } from '../cli/index.ts';
import { homeDirectory } from '../config/index.ts';
import { ArgosyError } from '../core/errors/index.ts';
import { connect, inClusterConfig, type KubeConfig, readKubeconfig } from '../kube/index.ts';
import { createLogger, createMetrics, type LogLevel } from '../telemetry/index.ts';
import { startInstallation } from './controller.ts';
import { wholeNumber } from './flags.ts';
import { serveHealth } from './health.ts';

interface Flags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly applicationNamespaces?: string;
  readonly enableImpersonation?: boolean;
  readonly clusterSecretsInAnyNamespace?: string;
  readonly repoCacheDir?: string;
  readonly port: string;
  readonly repoPollSeconds: string;
  readonly loglevel: string;
  readonly role?: string;
}

/** `argosy run`: the product on a real cluster. */
export function register(command: Command, context: CommandContext): void {
  command
    .option(
      '--kubeconfig <file>',
      'kubeconfig of the control-plane cluster (default: KUBECONFIG, then the pod’s own account)',
    )
    .option('--context <name>', 'context of the kubeconfig')
    .option('-n, --namespace <name>', 'control-plane namespace (default: the context’s or the pod’s, else argocd)')
    .option(
      '--application-namespaces <list>',
      'namespaces whose Applications count besides: globs or /regexes/, comma-separated',
    )
    .option('--enable-impersonation', 'make every request for an Application as the account its project names')
    .option(
      '--cluster-secrets-in-any-namespace <bool>',
      'whether tenants may bring cluster Secrets (default: true where namespaces are given)',
    )
    .option('--repo-cache-dir <dir>', 'where mirrors of repositories lie (default: ~/.cache/argosy/repos)')
    .option('--port <number>', 'port of /healthz, /readyz and /metrics; 0 for a free one', '8082')
    .option('--repo-poll-seconds <number>', 'how often each repository is asked for news', '10')
    .option('--loglevel <level>', 'debug, info, warn or error', 'info')
    .option('--role <role>', 'run only a part (not available yet)')
    .addHelpText(
      'after',
      `
Examples:
  argosy run --kubeconfig ~/.kube/config --namespace argocd
  argosy run --application-namespaces 'team-*' --enable-impersonation
  argosy run --application-namespaces team-a,team-b --cluster-secrets-in-any-namespace=false`,
    )
    .action((flags: Flags) => run(flags, context));
}

async function run(flags: Flags, context: CommandContext): Promise<void> {
  if (flags.role !== undefined)
    throw new ArgosyError('usage', '--role is not available yet: one process runs everything');
  const port = wholeNumber('--port', flags.port, 65_535);
  const pollMs = wholeNumber('--repo-poll-seconds', flags.repoPollSeconds, 86_400) * 1000;
  const log = createLogger({ level: levelOf(flags.loglevel) });
  const config = await configOf(flags, context);
  const controlPlane = flags.namespace ?? config.namespace ?? 'argocd';
  const connection = connect(config, { version: context.version });
  const metrics = createMetrics();
  const { gitVersion } = await connection.version();
  log.info('connected', { server: connection.server, version: gitVersion, namespace: controlPlane });
  const controller = startInstallation({
    connection,
    installation: {
      controlPlane,
      ...namespacesOf(flags, context),
      ...tenantClustersOf(flags),
      ...(flags.enableImpersonation === true ||
      context.env['ARGOCD_APPLICATION_CONTROLLER_ENABLE_IMPERSONATION'] === 'true'
        ? { impersonation: true }
        : {}),
    },
    cacheDir: flags.repoCacheDir ?? `${homeDirectory()}/.cache/argosy/repos`,
    log,
    metrics,
    pollMs,
    version: context.version,
  });
  const health = await serveHealth({ port, controller, metrics });
  log.info('serving health and metrics', { port: health.port });
  await new Promise<void>((resolve) => context.signal.addEventListener('abort', () => resolve(), { once: true }));
  log.info('stopping');
  await health.stop();
  await controller.stop();
  await connection.close();
}

async function configOf(flags: Flags, context: CommandContext): Promise<KubeConfig> {
  const named = flags.kubeconfig ?? context.env['KUBECONFIG'];
  if (named !== undefined && named !== '') {
    const files = flags.kubeconfig === undefined ? named.split(':').filter((file) => file !== '') : named;
    return readKubeconfig(files, { context: flags.context });
  }
  const host = context.env['KUBERNETES_SERVICE_HOST'];
  if (host !== undefined) return inClusterConfig({ host, port: context.env['KUBERNETES_SERVICE_PORT'] ?? '443' });
  return readKubeconfig(`${homeDirectory()}/.kube/config`, { context: flags.context });
}

function namespacesOf(flags: Flags, context: CommandContext): { appNamespaces?: readonly string[] } {
  const written = flags.applicationNamespaces ?? context.env['ARGOCD_APPLICATION_NAMESPACES'];
  if (written === undefined) return {};
  return {
    appNamespaces: written
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  };
}

function tenantClustersOf({ clusterSecretsInAnyNamespace: written }: Flags): { tenantClusters?: boolean } {
  if (written === undefined) return {};
  if (written !== 'true' && written !== 'false') {
    throw new ArgosyError('usage', '--cluster-secrets-in-any-namespace is true or false');
  }
  return { tenantClusters: written === 'true' };
}

function levelOf(written: string): LogLevel {
  const levels: readonly string[] = ['debug', 'info', 'warn', 'error'];
  if (!levels.includes(written)) throw new ArgosyError('usage', `--loglevel is one of ${levels.join(', ')}`);
  return written as LogLevel; // it is one of the four
}
