import type { Rhythm } from '../cache/index.ts';
import { type Controller, kubeConfigOf, startController } from '../controller/index.ts';
import type { Cluster } from '../core/api/index.ts';
import { type Installation, permitsConnection } from '../core/policy/index.ts';
import { type AddressGuard, type Connection, connect, controlDoor, eventWriter } from '../kube/index.ts';
import { settingsReport, watchSettings } from '../settings/index.ts';
import type { Logger, Metrics } from '../telemetry/index.ts';
import { pollMsOf } from './poll.ts';
import { renderKeyOf, renderSettingsOf, renderWith } from './render.ts';
import { openSources } from './sources.ts';
import { watchStartUp } from './start-up.ts';

export interface InstallationOptions {
  readonly connection: Connection;
  readonly installation: Installation;
  /** Where mirrors and private directories lie. */
  readonly cacheDir: string;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** How often each repository is asked for news, where a flag says so. */
  readonly pollMs?: number | undefined;
  readonly version: string;
  /** Told of every render, for whoever counts them. */
  readonly onRender?: (() => void) | undefined;
  /** Waits and periods of the cluster views, where not the usual ones. */
  readonly rhythm?: Partial<Rhythm> | undefined;
  /** How long an Application waits whose passes failed so many times in a row, where not as usual. */
  readonly backoffMs?: ((failures: number) => number) | undefined;
}

/** A controller with all it needs. */
export interface RunningInstallation extends Controller {
  /** What it waits for before it is ready, as a sentence; undefined where nothing is missing. */
  waitingFor(): string | undefined;
}

/** Puts the controller together with the real settings, git, spawner and renderer. */
export function startInstallation(options: InstallationOptions): RunningInstallation {
  const { connection, installation, log, metrics, pollMs, cacheDir, version } = options;
  const control = controlDoor(connection);
  const events = eventWriter(control, { component: 'argosy', now: Date.now });
  const settings = watchSettings({
    reader: control,
    installation,
    report: settingsReport({ events, logger: log, metrics }),
  });
  const startUp = watchStartUp(control, settings);
  const outbound = () => settings.current().settings.outbound;
  const renderSettings = renderSettingsOf(() => settings.current().settings);
  const sources = openSources({ settings, renderSettings, cacheDir, log });
  const render = renderWith(sources.renderer, installation.controlPlane);
  // Asked at every dial with the address that is really connected to.
  const guard: AddressGuard = (host, port, address) => {
    const verdict = permitsConnection(outbound(), { purpose: 'tenant-cluster', host, port, address });
    return verdict.answer === 'allowed' ? undefined : verdict.message;
  };
  const controller = startController({
    connection,
    controlPlane: installation.controlPlane,
    settings,
    events,
    git: sources.git,
    charts: sources.charts,
    render: (...input) => {
      options.onRender?.();
      return render(...input);
    },
    connect: (cluster: Cluster) =>
      connect(kubeConfigOf(cluster), { version, ...(cluster.tenant ? { allowAddress: guard } : {}) }),
    log,
    metrics,
    pollMs: () => pollMsOf(settings.current().settings, pollMs),
    renderKey: renderKeyOf(renderSettings),
    rhythm: options.rhythm,
    backoffMs: options.backoffMs,
  });
  let ending: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    startUp.stop();
    await settings.stop();
    await controller.stop();
    await sources.close();
  };
  return {
    ready: Promise.all([controller.ready, startUp.served]).then(() => undefined),
    waitingFor: () => startUp.waitingFor(),
    poll: (url) => controller.poll(url),
    healthy: () => controller.healthy(),
    // Whoever asks twice waits for the same end.
    stop: () => (ending ??= end()),
  };
}
