import { isObject, type MutableJsonObject, thaw } from '../../../core/json/index.ts';
import { child, each, ensure, fill } from './fill.ts';
import { defaultTemplate } from './pod.ts';

/** The defaults of a Deployment. */
export function defaultDeployment(object: MutableJsonObject): void {
  const spec = ensure(object, 'spec');
  const strategy = ensure(spec, 'strategy');
  fill(strategy, { type: 'RollingUpdate' });
  if (strategy['type'] === 'RollingUpdate')
    fill(ensure(strategy, 'rollingUpdate'), { maxUnavailable: '25%', maxSurge: '25%' });
  fill(spec, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 });
  defaultTemplate(child(spec, 'template'));
}

/** The defaults of a StatefulSet; its claims are whole objects, with their own. */
export function defaultStatefulSet(object: MutableJsonObject): void {
  const spec = ensure(object, 'spec');
  fill(spec, { podManagementPolicy: 'OrderedReady', replicas: 1, revisionHistoryLimit: 10 });
  const strategy = ensure(spec, 'updateStrategy');
  fill(strategy, { type: 'RollingUpdate' });
  if (strategy['type'] === 'RollingUpdate') fill(ensure(strategy, 'rollingUpdate'), { partition: 0 });
  fill(ensure(spec, 'persistentVolumeClaimRetentionPolicy'), { whenDeleted: 'Retain', whenScaled: 'Retain' });
  for (const claim of each(spec, 'volumeClaimTemplates')) {
    fill(claim, { apiVersion: 'v1', kind: 'PersistentVolumeClaim' });
    fill(ensure(claim, 'spec'), { volumeMode: 'Filesystem' });
    fill(ensure(claim, 'status'), { phase: 'Pending' });
  }
  defaultTemplate(child(spec, 'template'));
}

/** The defaults of a DaemonSet. */
export function defaultDaemonSet(object: MutableJsonObject): void {
  const spec = ensure(object, 'spec');
  const strategy = ensure(spec, 'updateStrategy');
  fill(strategy, { type: 'RollingUpdate' });
  if (strategy['type'] === 'RollingUpdate') fill(ensure(strategy, 'rollingUpdate'), { maxUnavailable: 1, maxSurge: 0 });
  fill(spec, { revisionHistoryLimit: 10 });
  defaultTemplate(child(spec, 'template'));
}

/** The defaults of a ReplicaSet. */
export function defaultReplicaSet(object: MutableJsonObject): void {
  const spec = ensure(object, 'spec');
  fill(spec, { replicas: 1 });
  defaultTemplate(child(spec, 'template'));
}

/** The defaults of a ReplicationController, whose template also tells its labels and selector. */
export function defaultReplicationController(object: MutableJsonObject): void {
  const spec = ensure(object, 'spec');
  const labels = child(spec, 'template', 'metadata', 'labels');
  if (labels !== undefined) {
    const metadata = ensure(object, 'metadata');
    if (Object.keys(child(spec, 'selector') ?? {}).length === 0) spec['selector'] = thaw(labels);
    if (Object.keys(child(metadata, 'labels') ?? {}).length === 0) metadata['labels'] = thaw(labels);
  }
  fill(spec, { replicas: 1 });
  defaultTemplate(child(spec, 'template'));
}

/** The defaults of a Job. */
export function defaultJob(object: MutableJsonObject): void {
  const spec = ensure(object, 'spec');
  const isOpen = (key: string): boolean => spec[key] === undefined || spec[key] === null;
  // Neither number given: one pod. Otherwise a missing `completions` means "until one succeeds".
  if (isOpen('completions') && isOpen('parallelism')) spec['completions'] = 1;
  fill(spec, {
    parallelism: 1,
    backoffLimit: isOpen('backoffLimitPerIndex') ? 6 : 2 ** 31 - 1,
    completionMode: 'NonIndexed',
    suspend: false,
    manualSelector: false,
    podReplacementPolicy: isObject(spec['podFailurePolicy']) ? 'Failed' : 'TerminatingOrFailed',
  });
  defaultTemplate(child(spec, 'template'));
}

/** The defaults of a CronJob; the job it makes gets its own when it is made. */
export function defaultCronJob(object: MutableJsonObject): void {
  const spec = ensure(object, 'spec');
  fill(spec, { concurrencyPolicy: 'Allow', suspend: false, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 });
  const job = ensure(spec, 'jobTemplate');
  ensure(job, 'metadata');
  defaultTemplate(child(job, 'spec', 'template'));
}
