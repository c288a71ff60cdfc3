import { type Application, type ApplicationStatus, projectOf } from '../core/api/index.ts';
import { newErrors, type Transition, transitionBetween } from '../core/status/index.ts';
import type { EventWriter } from '../kube/index.ts';
import type { Logger, Metrics } from '../telemetry/index.ts';

/** Tells people and monitoring what became of Applications: one Event and one log line per change of meaning, and metrics as Argo CD's. */
export interface Reporter {
  /** How an Application is doing, written or not: metrics follow what is, not what was told. */
  seen(app: Application, after: ApplicationStatus): void;
  /** A status was written. */
  told(app: Application, after: ApplicationStatus): void;
  /** A pass took this long. */
  passed(key: string, seconds: number): void;
  /** An Application is gone: so are its metrics. */
  gone(key: string): void;
}

const infoLabels = ['namespace', 'name', 'project', 'sync_status', 'health_status'] as const;

export interface ReporterOptions {
  readonly events: EventWriter;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly controlPlane: string;
}

/** A reporter that writes Events and log lines, and counts. */
export function createReporter({ events, metrics, log, controlPlane }: ReporterOptions): Reporter {
  const info = metrics.gauge('argocd_app_info', 'Information about Applications.', infoLabels);
  const syncs = metrics.counter('argocd_app_sync_total', 'Syncs that ended.', [
    'namespace',
    'name',
    'project',
    'phase',
  ]);
  const passes = metrics.histogram(
    'argocd_app_reconcile',
    'How long a pass took.',
    ['namespace'],
    [0.01, 0.05, 0.25, 1, 4, 16],
  );
  const shown = new Map<string, readonly string[]>();
  const counted = new Map<string, { readonly project: string; readonly series: Set<string> }>();
  const hide = (key: string): void => {
    const labels = shown.get(key);
    if (labels !== undefined) info.remove(labels);
    shown.delete(key);
  };
  const uncount = (key: string): void => {
    const { project = '', series = [] } = counted.get(key) ?? {};
    for (const phase of series) syncs.remove([...partsOf(key), project, phase]);
    counted.delete(key);
  };
  const count = (key: string, project: string, phase: string): void => {
    // Names of Applications and projects are tenants' to invent: only those of now are counted.
    if (counted.get(key)?.project !== project) uncount(key);
    const known = counted.get(key) ?? { project, series: new Set<string>() };
    counted.set(key, known);
    known.series.add(phase);
    syncs.add([...partsOf(key), project, phase]);
  };
  const show = (app: Application, after: ApplicationStatus): void => {
    const { namespace = controlPlane, name } = app.metadata;
    const key = `${namespace}/${name}`;
    const labels = [
      namespace,
      name,
      projectOf(app),
      after.sync?.status ?? 'Unknown',
      after.health?.status ?? 'Unknown',
    ];
    if (shown.get(key)?.every((label, at) => label === labels[at]) === true) return;
    hide(key);
    info.set(labels, 1);
    shown.set(key, labels);
  };
  return {
    seen: show,
    told(app, after) {
      const { namespace = controlPlane, name } = app.metadata;
      const transition = transitionBetween(app.status, after);
      tell(log.with({ application: `${namespace}/${name}`, project: projectOf(app) }), app, after, transition);
      if (transition === undefined) return;
      if (transition.reason === 'OperationCompleted') {
        count(`${namespace}/${name}`, projectOf(app), after.operationState?.phase ?? '');
      }
      const about = {
        apiVersion: 'argoproj.io/v1alpha1',
        kind: 'Application',
        metadata: { ...app.metadata, namespace },
      };
      events.write({ ...transition, about });
    },
    passed: (key, seconds) => passes.observe([key.slice(0, key.indexOf('/'))], seconds),
    gone(key) {
      hide(key);
      uncount(key);
    },
  };
}

/** Namespace and name in the key of an Application. */
function partsOf(key: string): [string, string] {
  const slash = key.indexOf('/');
  return [key.slice(0, slash), key.slice(slash + 1)];
}

/** What an Event tells, and what is too little for one: an attempt that failed, an error in another's place. */
function tell(log: Logger, app: Application, after: ApplicationStatus, transition: Transition | undefined): void {
  if (transition !== undefined) {
    log[transition.type === 'Warning' ? 'warn' : 'info'](transition.message, { reason: transition.reason });
  }
  const { phase, message = '' } = after.operationState ?? {};
  const isRetried = phase === 'Running' && /\bRetrying attempt #/.test(message);
  if (isRetried && message !== app.status?.operationState?.message) log.warn(message, { reason: 'OperationRetried' });
  for (const error of newErrors(app.status, after)) {
    if (transition?.message.includes(error) !== true) log.warn(error, { reason: 'ConditionAdded' });
  }
}
