import { type Application, type Cluster, parseApplication, projectOf } from '../core/api/index.ts';
import type { Json } from '../core/json/index.ts';
import type { KubeObject } from '../core/objects/index.ts';
import type { Git } from '../git/index.ts';
import { type Connection, controlDoor, type EventWriter, type Resource } from '../kube/index.ts';
import type { SettingsWatch } from '../settings/index.ts';
import type { Logger, Metrics } from '../telemetry/index.ts';
import { admit } from './application/admit.ts';
import { assessWith, checksOf } from './application/health.ts';
import { reconcile } from './application/reconcile.ts';
import { timeText } from './application/time.ts';
import type { World } from './application/world.ts';
import { watchApplications } from './applications/index.ts';
import { createClusters } from './clusters/index.ts';
import { createProjectConditions } from './project/conditions.ts';
import { createQuotas } from './project/quota.ts';
import { createQueue } from './queue/index.ts';
import { createReporter } from './reporter.ts';
import { createSources, type RenderSource } from './sources/index.ts';
import { isTouched, type LastLook } from './touch.ts';

export interface ControllerOptions {
  /** Our own cluster, with our own account. */
  readonly connection: Connection;
  readonly controlPlane: string;
  readonly settings: SettingsWatch;
  readonly events: EventWriter;
  readonly git: Git;
  readonly render: RenderSource;
  /** Opens a connection to the cluster of an accepted Secret, under the outbound rules. */
  readonly connect: (cluster: Cluster) => Connection;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly workers?: number | undefined;
  /** How often each repository is asked for news. */
  readonly pollMs: number;
}

/** A running controller. */
export interface Controller {
  /** Resolves when the settings have been read and Applications are being looked at. */
  readonly ready: Promise<void>;
  /** Asks a repository for news now, as after a webhook. */
  poll(url: string): Promise<void>;
  /** False once due work has not moved for a while. */
  healthy(): boolean;
  stop(): Promise<void>;
}

/** No pass may be due for longer than this without any pass beginning or ending. */
const stuckMs = 120_000;

const applicationKind: Resource = {
  group: 'argoproj.io',
  version: 'v1alpha1',
  kind: 'Application',
  plural: 'applications',
  namespaced: true,
  verbs: [],
};

/** Starts the controller: watches, queue, and one pass for every key that something happened to. */
export function startController(options: ControllerOptions): Controller {
  const { connection, controlPlane, settings, log } = options;
  const control = controlDoor(connection);
  const reporter = createReporter(options.events, options.metrics, controlPlane);
  const projects = createProjectConditions({
    door: control,
    events: options.events,
    nowText: () => timeText(Date.now()),
    onError: (project, error) =>
      log.warn('the conditions of a project were not written', { project, error: String(error) }),
  });
  /** Which project each Application was last seen to ask for. */
  const memberOf = new Map<string, string>();
  const looks = new Map<string, LastLook>();
  const parsed = new WeakMap<KubeObject, Application | null>();
  const clusters = createClusters({
    own: connection,
    snapshot: () => settings.current(),
    connect: options.connect,
    log,
    onTouched: (instances) => {
      for (const instance of instances) {
        const key = keyOfInstance(instance, controlPlane);
        if (applications.get(key) !== undefined) queue.add(key);
      }
    },
  });
  const sources = createSources({
    git: options.git,
    snapshot: () => settings.current(),
    render: options.render,
    pollMs: options.pollMs,
    random: Math.random,
    onChange: (keys) => {
      for (const key of keys) queue.add(key);
    },
  });
  const world: World = {
    controlPlane,
    log,
    now: Date.now,
    application: (key) => applications.get(key),
    settings: () => settings.current().settings,
    admit: (app) => admit(settings.current(), app, quotas),
    render: (app, override) => sources.manifests(keyOfApp(app), app, { fresh: isRefresh(app), override }),
    cluster: (key) => clusters.access(key),
    health: (object) => assessWith(checksOf(settings.current().settings), object),
    async patchApplication(app, patch) {
      const { namespace = controlPlane, name } = app.metadata;
      applications.accept(await control.patch(applicationKind, namespace, name, 'merge', patch));
    },
    told: (app, after) => reporter.told(app, after),
  };
  const keyOfApp = (app: Application): string => `${app.metadata.namespace ?? controlPlane}/${app.metadata.name}`;
  const read = (object: KubeObject): Application | undefined => {
    const known = parsed.get(object);
    if (known !== undefined) return known ?? undefined;
    const result = parseApplication(object as unknown as Json); // objects come from a watch as parsed JSON
    parsed.set(object, result.ok ? result.value : null);
    return result.ok ? result.value : undefined;
  };
  const quotas = createQuotas(
    () => settings.current(),
    function* () {
      for (const key of applications.keys()) {
        const object = applications.get(key);
        const app = object === undefined ? undefined : read(object);
        if (app !== undefined) yield app;
      }
    },
  );
  /** Whoever waited for room in a project's quota may have it now. */
  const recount = (project: string): void => {
    quotas.changed(project);
    if (!ready || settings.current().projects.get(project)?.spec.quota?.applications === undefined) return;
    for (const key of applications.keys()) if (memberOf.get(key) === project) queue.add(key);
  };
  const queue = createQueue({
    workers: options.workers ?? 16,
    tenantOf: (key) => key.slice(0, key.indexOf('/')),
    work: async (key) => {
      const from = performance.now();
      try {
        return await reconcile(key, world);
      } finally {
        reporter.passed(key, (performance.now() - from) / 1000);
      }
    },
    clock: { now: Date.now, after: later },
    onError: (key, error, failures) =>
      log.warn('a pass failed and is tried again', { application: key, failures, error: String(error) }),
  });
  const member = (key: string, app: Application | undefined): void => {
    const before = memberOf.get(key);
    const now = app === undefined ? undefined : projectOf(app);
    if (before === now) return;
    if (now === undefined) memberOf.delete(key);
    else memberOf.set(key, now);
    for (const project of [before, now]) if (project !== undefined) recount(project);
  };
  const applications = watchApplications({
    reader: control,
    controlPlane,
    onBroken: (error) => log.warn('Applications cannot be watched; trying on', { error: error.message }),
    onChange: (key, object) => {
      const app = object === undefined ? undefined : read(object);
      member(key, app);
      if (ready) sources.track(key, app);
      if (object === undefined) {
        looks.delete(key);
        reporter.gone(key);
        queue.forget(key);
      }
      if (ready) queue.add(key);
    },
  });
  let ready = false;
  const started = settings.ready.then((snapshot) => {
    ready = true;
    applications.watch(snapshot.appNamespaces);
    void projects.update(snapshot, snapshot.projects.keys());
    for (const key of applications.keys()) begin(key);
  });
  const begin = (key: string): void => {
    const object = applications.get(key);
    sources.track(key, object === undefined ? undefined : read(object));
    queue.add(key);
  };
  settings.onChange((change) => {
    if (change.namespaces) applications.watch(settings.current().appNamespaces);
    clusters.changed(change.clusters);
    void projects.update(settings.current(), change.projects);
    for (const key of applications.keys()) {
      const object = applications.get(key);
      const app = object === undefined ? undefined : read(object);
      if (app === undefined || !isTouched(change, app, looks.get(key))) continue;
      sources.track(key, app);
      queue.add(key);
    }
  });
  started.catch((error: unknown) => log.warn('the settings were not read', { error: String(error) }));
  return {
    ready: started,
    poll: (url) => sources.poll(url),
    healthy: () => queue.oldestWaitingSince() === undefined || Date.now() - queue.lastMoved < stuckMs,
    async stop() {
      await Promise.all([applications.stop(), sources.stop()]);
      await queue.stop();
      await clusters.stop();
      await options.events.flush();
    },
  };
}

/** An Application's key from its name in marks; a name alone is one of the control plane's. */
function keyOfInstance(instance: string, controlPlane: string): string {
  const line = instance.indexOf('_');
  return line < 0 ? `${controlPlane}/${instance}` : `${instance.slice(0, line)}/${instance.slice(line + 1)}`;
}

function isRefresh(app: Application): boolean {
  return app.metadata.annotations?.['argocd.argoproj.io/refresh'] !== undefined;
}

function later(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}
