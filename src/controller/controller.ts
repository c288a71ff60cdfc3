import type { Rhythm } from '../cache/index.ts';
import { type Application, type Cluster, keyOfInstance, projectOf, type Snapshot } from '../core/api/index.ts';
import { isArgosyError } from '../core/errors/index.ts';
import type { Git } from '../git/index.ts';
import { type Connection, type ControlDoor, controlDoor, type EventWriter } from '../kube/index.ts';
import type { Charts } from '../render/index.ts';
import type { Change, SettingsWatch } from '../settings/index.ts';
import type { Logger, Metrics } from '../telemetry/index.ts';
import { admit } from './application/admit.ts';
import { isPassing } from './application/carry-out.ts';
import { Closeups } from './application/closeup.ts';
import { Damping } from './application/damping.ts';
import { keyOfApplication } from './application/gather.ts';
import { assessWith, checksOf } from './application/health.ts';
import { OperationsSeen } from './application/operations-seen.ts';
import { bareApplication, isOwnFault, toldAfter, whereOf } from './application/own-fault.ts';
import { createPatience } from './application/patience.ts';
import { reconcile } from './application/reconcile.ts';
import { reportOwnFault } from './application/report.ts';
import { timeText } from './application/time.ts';
import type { Admission, World } from './application/world.ts';
import { applicationWrites } from './application-writes.ts';
import { type Applications, watchApplications } from './applications/index.ts';
import { type Clusters, createClusters } from './clusters/index.ts';
import { perNamespace, tellForgotten } from './forgotten.ts';
import { lending } from './lending.ts';
import { createProjectConditions, type ProjectConditions } from './project/conditions.ts';
import { createProjectFinalizers, type ProjectFinalizers } from './project/finalizer.ts';
import { Members } from './project/members.ts';
import { createQuotas, type Quotas } from './project/quota.ts';
import { createQueue, type Queue } from './queue/index.ts';
import { createReporter, type Reporter } from './reporter.ts';
import { createSources, type RenderSource, type Sources } from './sources/index.ts';
import { tenantOf } from './tenant-of.ts';
import { isTouched, type LastLook } from './touch.ts';

export interface ControllerOptions {
  /** Our own cluster, with our own account. */
  readonly connection: Connection;
  readonly controlPlane: string;
  readonly settings: SettingsWatch;
  readonly events: EventWriter;
  readonly git: Git;
  /** Charts of Helm repositories and registries. */
  readonly charts?: Pick<Charts, 'version' | 'tree' | 'forget'> | undefined;
  readonly render: RenderSource;
  /** Opens a connection to the cluster of an accepted Secret, under the outbound rules. */
  readonly connect: (cluster: Cluster) => Connection;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly workers?: number | undefined;
  /** How often each repository is asked for news; 0: only when somebody says so. */
  readonly pollMs: () => number;
  /** What of the settings decides how sources are rendered. */
  readonly renderKey?: (() => string) | undefined;
  /** Waits and periods of the cluster views, where not the usual ones. */
  readonly rhythm?: Partial<Rhythm> | undefined;
  /** How long an Application waits whose passes failed so many times in a row, where not as usual. */
  readonly backoffMs?: ((failures: number) => number) | undefined;
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

/** Starts the controller: watches, queue, and one pass for every key that something happened to. */
export function startController(options: ControllerOptions): Controller {
  return new Running(options);
}

class Running implements Controller {
  readonly ready: Promise<void>;
  readonly #options: ControllerOptions;
  readonly #control: ControlDoor;
  readonly #reporter: Reporter;
  readonly #projects: ProjectConditions;
  readonly #finalizers: ProjectFinalizers;
  readonly #quotas: Quotas;
  readonly #clusters: Clusters;
  readonly #sources: Sources;
  readonly #applications: Applications;
  readonly #queue: Queue;
  readonly #members: Members;
  readonly #looks = new Map<string, LastLook>();
  readonly #closeups = new Closeups(Date.now);
  readonly #operations = new OperationsSeen();
  readonly #damping = new Damping(Date.now);
  /** False until the settings were read: before that nobody can be judged. */
  #open = false;
  #stopping = false;

  constructor(options: ControllerOptions) {
    const { connection, controlPlane, settings, events, metrics, log } = options;
    this.#options = options;
    this.#control = controlDoor(connection);
    this.#reporter = createReporter({ events, metrics, log, controlPlane });
    this.#projects = createProjectConditions({
      door: this.#control,
      events,
      nowText: () => timeText(Date.now()),
      onError: (project, error) =>
        log.warn('the conditions of a project were not written', { project, error: String(error) }),
    });
    this.#finalizers = createProjectFinalizers({
      door: this.#control,
      snapshot: () => settings.current(),
      onError: (project, error) => log.warn('a deleted project was not let go', { project, error: String(error) }),
    });
    this.#members = new Members((project) => this.#recount(project));
    this.#clusters = createClusters({
      own: connection,
      snapshot: () => settings.current(),
      connect: options.connect,
      log,
      rhythm: options.rhythm,
      onServed: () => this.#sources.servedChanged(),
      onOpen: (clusters) => this.#queue.retry((key) => clusters.has(this.#looks.get(key)?.cluster ?? '')),
      onTouched: (instances) => this.#touch(instances.map((instance) => keyOfInstance(instance, controlPlane))),
    });
    this.#sources = createSources({
      git: options.git,
      charts: options.charts,
      snapshot: () => settings.current(),
      render: options.render,
      renderKey: options.renderKey,
      served: (app) => this.#clusters.served(this.#looks.get(this.#keyOf(app))?.cluster ?? ''),
      pollMs: options.pollMs,
      random: Math.random,
      onChange: (keys) => this.#touch(keys),
      onSweepFailed: (error) => log.warn('mirrors that nobody reads were not removed', { error: String(error) }),
    });
    this.#queue = this.#createQueue(this.#world());
    this.#applications = watchApplications({
      reader: this.#control,
      controlPlane,
      onBroken: (error) => log.warn('Applications cannot be watched; trying on', { error: error.message }),
      onChange: (key, app, moved) => {
        // Whoever stops an operation does not carry it on.
        if (moved && app?.status?.operationState?.phase !== 'Terminating')
          this.#operations.movedElsewhere(key, Date.now());
        this.#applicationChanged(key, app);
      },
      // What failed while our own API server was away failed by that.
      onBack: () => this.#queue.retry(() => true),
    });
    this.#quotas = createQuotas(
      () => settings.current(),
      () => this.#applications.all(),
    );
    settings.onChange((change) => this.#settingsChanged(change));
    this.ready = settings.ready.then((snapshot) => this.#begin(snapshot));
    // Whoever stops us before we are ready knows.
    this.ready.catch((error: unknown) => {
      if (!isArgosyError(error) || error.code !== 'cancelled')
        log.warn('the settings were not read', { error: String(error) });
    });
  }

  poll(url: string): Promise<void> {
    return this.#sources.poll(url);
  }

  healthy(): boolean {
    return this.#queue.oldestWaitingSince() === undefined || Date.now() - this.#queue.lastMoved < stuckMs;
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all([this.#applications.stop(), this.#sources.stop()]);
    await this.#queue.stop();
    await this.#clusters.stop();
    await this.#options.events.flush();
  }

  #world(): World {
    const { controlPlane, settings, log } = this.#options;
    return {
      controlPlane,
      log,
      now: Date.now,
      stopping: () => this.#stopping,
      application: (key) => this.#applications.get(key),
      settings: () => settings.current().settings,
      params: () => settings.current().params,
      closeups: this.#closeups,
      operations: this.#operations,
      damping: this.#damping,
      patience: createPatience(Date.now),
      admit: (app) => this.#admit(app),
      render: (app, override) => this.#sources.manifests(this.#keyOf(app), app, { refresh: refreshOf(app), override }),
      cluster: (key) => this.#clusters.access(key),
      health: (object) => assessWith(checksOf(settings.current().settings), object),
      patchApplication: applicationWrites({
        control: this.#control,
        controlPlane,
        applications: () => this.#applications,
        onStage: (key) => this.#queue.add(key),
      }),
      seen: (app, after) => {
        if (this.#applications.get(this.#keyOf(app)) !== undefined) this.#reporter.seen(app, after);
      },
      told: (app, after) => {
        if (this.#applications.get(this.#keyOf(app)) !== undefined) this.#reporter.told(app, after);
      },
    };
  }

  #createQueue(world: World): Queue {
    const { log } = this.#options;
    return createQueue({
      workers: this.#options.workers ?? 20,
      tenantOf: (key) => tenantOf(key, this.#members.projectOf(key), this.#options.controlPlane),
      work: async (key, failures) => {
        const from = performance.now();
        try {
          return await reconcile(
            key,
            lending(
              world,
              (wait) => this.#queue.outside(key, wait),
              () => this.#queue.moved(),
            ),
          );
        } catch (error) {
          if (isOwnFault(error) && failures + 1 >= toldAfter) await this.#tellOwnFault(key, world);
          throw error;
        } finally {
          this.#reporter.passed(key, (performance.now() - from) / 1000);
          // It may have gone meanwhile: what its last pass has noted, nobody else would take away.
          if (this.#applications.get(key) === undefined) this.#forget(key);
        }
      },
      clock: { now: Date.now, after: later },
      backoffMs: this.#options.backoffMs,
      onError: (key, error, failures) => {
        if (isArgosyError(error) && isPassing(error)) world.patience.faulted(key);
        const what = { application: key, failures, error: String(error) };
        if (!isOwnFault(error)) log.warn('a pass failed and is tried again', what);
        else log.error('a pass failed by a fault of Argosy and is tried again', { ...what, at: whereOf(error) });
      },
    });
  }

  async #tellOwnFault(key: string, world: World): Promise<void> {
    const object = this.#applications.get(key);
    try {
      if (object !== undefined) await reportOwnFault(bareApplication(object), world);
    } catch (error) {
      const { log } = this.#options;
      log.warn('a fault of ours was not told on the Application', { application: key, error: String(error) });
    }
  }

  #keyOf(app: Application): string {
    return keyOfApplication(app, this.#options.controlPlane);
  }

  #admit(app: Application): Admission {
    const admission = admit(this.#options.settings.current(), app, this.#quotas);
    const key = this.#keyOf(app);
    // A pass may outlive its Application; nobody would take away what it leaves behind.
    if (this.#applications.get(key) !== undefined)
      this.#looks.set(key, { cluster: admission.answer === 'admitted' ? admission.cluster : undefined });
    return admission;
  }

  #begin(snapshot: Snapshot): void {
    this.#open = true;
    this.#applications.watch(snapshot.appNamespaces);
    void this.#projects.update(snapshot, snapshot.projects.keys());
    for (const project of snapshot.projects.keys()) void this.#finalizers.look(project);
    for (const key of this.#applications.keys()) this.#applicationChanged(key, this.#applications.app(key));
  }

  /** What an Application reads or holds changed; whoever is gone meanwhile is left out. */
  #touch(keys: Iterable<string>): void {
    for (const key of keys) if (this.#applications.get(key) !== undefined) this.#queue.add(key);
  }

  #applicationChanged(key: string, app: Application | undefined): void {
    const gone = this.#applications.get(key) === undefined;
    this.#members.set(key, app === undefined ? undefined : projectOf(app));
    if (gone) this.#forget(key);
    if (!this.#open) return;
    this.#sources.track(key, app);
    this.#queue.add(key);
  }

  #forget(key: string): void {
    this.#looks.delete(key);
    this.#closeups.forget(key);
    this.#operations.over(key);
    this.#damping.forget(key);
    this.#reporter.gone(key);
    this.#queue.forget(key);
  }

  #settingsChanged(change: Change): void {
    const snapshot = this.#options.settings.current();
    if (change.namespaces) this.#follow(snapshot.appNamespaces);
    this.#clusters.changed(change.clusters);
    // A setting may give or take back a warning on any project.
    const widely = change.settings.size > 0 || change.namespaces;
    void this.#projects.update(snapshot, widely ? snapshot.projects.keys() : change.projects);
    for (const project of change.projects) void this.#finalizers.look(project);
    for (const key of this.#applications.keys()) {
      const app = this.#applications.app(key);
      if (app === undefined || !isTouched(change, app, this.#looks.get(key))) continue;
      this.#sources.track(key, app);
      this.#queue.add(key);
    }
  }

  /** Follows the namespaces that count now; of those that no longer do, nothing but that is said. */
  #follow(patterns: readonly string[]): void {
    const before = perNamespace(this.#applications.keys());
    this.#applications.watch(patterns);
    tellForgotten(before, perNamespace(this.#applications.keys()), this.#options);
  }

  /** Whoever waited for room in a project's quota may have it now; a deleted project may have lost its last Application. */
  #recount(project: string): void {
    if (!this.#open) return;
    void this.#finalizers.look(project);
    this.#quotas.changed(project);
    const { quota } = this.#options.settings.current().projects.get(project)?.spec ?? {};
    if (quota?.applications !== undefined) this.#touch(this.#members.of(project));
  }
}

/** Whatever is not `hard` is a normal refresh. */
function refreshOf({ metadata }: Application): 'normal' | 'hard' | undefined {
  const asked = metadata.annotations?.['argocd.argoproj.io/refresh'];
  return asked === undefined || asked === 'hard' ? asked : 'normal';
}

/** Timers hold no more, and fire at once for what is longer; a look too many in weeks harms nobody. */
const longestMs = 2 ** 31 - 1;

function later(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, Math.min(ms, longestMs));
  return () => clearTimeout(timer);
}
