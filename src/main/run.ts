import type { Command } from 'commander';
import { type CommandContext, kubeconfigFiles } from '../cli/index.ts';
import { homeDirectory } from '../config/index.ts';
import { ArgosyError, isArgosyError } from '../core/errors/index.ts';
import type { Installation } from '../core/policy/index.ts';
import {
  type Connection,
  connect,
  controlDoor,
  inClusterConfig,
  type KubeConfig,
  readKubeconfig,
} from '../kube/index.ts';
import {
  createLogger,
  createMetrics,
  type LogFormat,
  type Logger,
  type LogLevel,
  type Metrics,
} from '../telemetry/index.ts';
import { type RunningInstallation, startInstallation } from './controller.ts';
import { wholeNumber } from './flags.ts';
import { serveHealth } from './health.ts';
import { asksTheCluster, createMetricsLogin, type MetricsLogin } from './metrics-login.ts';
import { namespaceRights } from './namespace-rights.ts';
import { type Patience, untilReached, untilReady } from './start-up.ts';

interface Flags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly applicationNamespaces?: string;
  readonly enableImpersonation?: boolean;
  readonly clusterSecretsInAnyNamespace?: string;
  readonly repoCacheDir?: string;
  readonly port: string;
  readonly metricsAuth: string;
  readonly repoPollSeconds?: string;
  readonly startupTimeoutSeconds: string;
  readonly loglevel: string;
  readonly logformat: string;
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
    .option(
      '--metrics-auth <bool>',
      'whether /metrics is told only to Kubernetes accounts that may get that path',
      'true',
    )
    .option(
      '--repo-poll-seconds <number>',
      'how often each repository is asked for news (default: timeout.reconciliation, else 10)',
    )
    .option('--startup-timeout-seconds <number>', 'how long to wait for our kinds and the settings', '120')
    .option('--loglevel <level>', 'debug, info, warn or error', 'info')
    .option('--logformat <format>', 'json for machines, text for people', 'json')
    .option('--role <role>', 'run only a part (not available yet)')
    .addHelpText(
      'after',
      `
Examples:
  kubectl apply -f deploy/crds                  once for each cluster, before the first start
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
  const deadlineMs = wholeNumber('--startup-timeout-seconds', flags.startupTimeoutSeconds, 86_400) * 1000;
  const { repoPollSeconds: poll } = flags;
  const pollMs = poll === undefined ? undefined : wholeNumber('--repo-poll-seconds', poll, 86_400) * 1000;
  const asksForLogin = truth('--metrics-auth', flags.metricsAuth);
  const log = createLogger({ level: levelOf(flags.loglevel), format: formatOf(flags.logformat) });
  const config = await configOf(flags, context);
  const installation = installationOf(flags, context, config);
  const connection = connect(config, { version: context.version });
  try {
    const patience = { deadlineMs, log, signal: context.signal };
    const version = await untilReached(connection, patience);
    if (version === undefined) return;
    log.info('connected', { server: connection.server, version, namespace: installation.controlPlane });
    await checkRights(connection, installation, log);
    const cacheDir = flags.repoCacheDir ?? `${homeDirectory()}/.cache/argosy/repos`;
    const metrics = createMetrics();
    const ask = asksTheCluster(config, context.version);
    const login = asksForLogin ? createMetricsLogin({ ask, now: Date.now }) : undefined;
    const parts = { connection, installation, cacheDir, log, metrics, pollMs, version: context.version };
    await keepRunning(startInstallation(parts), { port, metrics, login, patience });
  } finally {
    await connection.close();
  }
}

/** A list of namespaces that cannot be served is a mistake to be told now, not a silence to be found later. */
async function checkRights(connection: Connection, installation: Installation, log: Logger): Promise<void> {
  const { refusal, warnings } = await namespaceRights(controlDoor(connection), installation);
  for (const warning of warnings) log.warn(warning);
  if (refusal !== undefined) throw new ArgosyError('denied', refusal);
}

/** Runs until somebody ends it, or until it is clear that it will not become ready. */
async function keepRunning(
  controller: RunningInstallation,
  { patience, ...serving }: { port: number; metrics: Metrics; login: MetricsLogin | undefined; patience: Patience },
): Promise<void> {
  const { log, signal } = patience;
  try {
    const health = await serveHealth({ ...serving, controller });
    log.info('serving health and metrics', { port: health.port });
    try {
      await untilReady(controller, patience);
      if (!signal.aborted) {
        log.info('ready');
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      }
      log.info('stopping');
    } finally {
      await health.stop();
    }
  } finally {
    await controller.stop();
  }
}

function installationOf(flags: Flags, context: CommandContext, config: KubeConfig): Installation {
  const byEnvironment = context.env['ARGOCD_APPLICATION_CONTROLLER_ENABLE_IMPERSONATION'] === 'true';
  return {
    controlPlane: flags.namespace ?? config.namespace ?? 'argocd',
    ...namespacesOf(flags, context),
    ...tenantClustersOf(flags),
    ...(flags.enableImpersonation === true || byEnvironment ? { impersonation: true } : {}),
  };
}

async function configOf(flags: Flags, context: CommandContext): Promise<KubeConfig> {
  const files = kubeconfigFiles(flags.kubeconfig, context.env);
  if (files !== undefined) return readKubeconfig(files, { context: flags.context });
  const host = context.env['KUBERNETES_SERVICE_HOST'];
  if (host !== undefined) return inClusterConfig({ host, port: context.env['KUBERNETES_SERVICE_PORT'] ?? '443' });
  return readKubeconfig(`${homeDirectory()}/.kube/config`, { context: flags.context }).catch((error: unknown) => {
    if (!isArgosyError(error)) throw error;
    const hint = 'name a kubeconfig with --kubeconfig; in a pod none is needed';
    throw new ArgosyError(error.code, error.message, { hint });
  });
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
  return { tenantClusters: truth('--cluster-secrets-in-any-namespace', written) };
}

function truth(flag: string, written: string): boolean {
  if (written !== 'true' && written !== 'false') throw new ArgosyError('usage', `${flag} is true or false`);
  return written === 'true';
}

function levelOf(written: string): LogLevel {
  const levels: readonly string[] = ['debug', 'info', 'warn', 'error'];
  if (!levels.includes(written)) throw new ArgosyError('usage', `--loglevel is one of ${levels.join(', ')}`);
  return written as LogLevel; // it is one of the four
}

function formatOf(written: string): LogFormat {
  if (written !== 'json' && written !== 'text') throw new ArgosyError('usage', '--logformat is json or text');
  return written;
}
