import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'js-yaml';
import type { JsonObject } from '../json/index.ts';
import { aggregateHealth, assess, type HealthCode } from './index.ts';

/** Kind, the rest of the object as YAML, and what it should be. */
type Row = readonly [kind: string, yaml: string, status: HealthCode | undefined, message?: RegExp];

const deployment = 'apps/v1 Deployment';
const stateful = 'apps/v1 StatefulSet';
const daemon = 'apps/v1 DaemonSet';
const rows: readonly Row[] = [
  [deployment, '{spec: {paused: true}}', 'Suspended'],
  [
    deployment,
    '{metadata: {generation: 2}, status: {observedGeneration: 1}}',
    'Progressing',
    /observed deployment generation/,
  ],
  [
    deployment,
    '{status: {conditions: [{type: Progressing, reason: ProgressDeadlineExceeded}]}}',
    'Degraded',
    /exceeded its progress deadline/,
  ],
  [deployment, '{spec: {replicas: 3}, status: {updatedReplicas: 1}}', 'Progressing', /1 out of 3 new replicas/],
  [deployment, '{spec: {replicas: 1}, status: {updatedReplicas: 1, replicas: 2}}', 'Progressing', /1 old replicas/],
  [deployment, '{spec: {replicas: 1}, status: {updatedReplicas: 1, replicas: 1}}', 'Progressing', /0 of 1 updated/],
  [deployment, '{spec: {replicas: 1}, status: {updatedReplicas: 1, replicas: 1, availableReplicas: 1}}', 'Healthy'],
  [deployment, '{spec: {replicas: 0}}', 'Healthy'],
  [stateful, '{metadata: {generation: 1}, status: {}}', 'Progressing', /spec update/],
  [stateful, '{spec: {replicas: 2}, status: {observedGeneration: 1, readyReplicas: 1}}', 'Progressing', /1 pods/],
  [
    stateful,
    '{spec: {replicas: 2, updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: 1}}}, status: {observedGeneration: 1, readyReplicas: 2}}',
    'Progressing',
    /0 out of 1/,
  ],
  [
    stateful,
    '{spec: {replicas: 2, updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: 1}}}, status: {observedGeneration: 1, readyReplicas: 2, updatedReplicas: 1}}',
    'Healthy',
  ],
  [
    stateful,
    '{spec: {replicas: 1, updateStrategy: {type: OnDelete}}, status: {observedGeneration: 1, readyReplicas: 1, updateRevision: b, currentRevision: a}}',
    'Healthy',
  ],
  [
    stateful,
    '{spec: {replicas: 1}, status: {observedGeneration: 1, readyReplicas: 1, updateRevision: b, currentRevision: a}}',
    'Progressing',
    /revision b/,
  ],
  [
    stateful,
    '{spec: {replicas: 1}, status: {observedGeneration: 1, readyReplicas: 1, updateRevision: a, currentRevision: a}}',
    'Healthy',
  ],
  [daemon, '{metadata: {generation: 2}, status: {observedGeneration: 1}}', 'Progressing'],
  [daemon, '{spec: {updateStrategy: {type: OnDelete}}, status: {desiredNumberScheduled: 2}}', 'Healthy'],
  [daemon, '{status: {desiredNumberScheduled: 2, updatedNumberScheduled: 1}}', 'Progressing', /1 out of 2/],
  [
    daemon,
    '{status: {desiredNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 1}}',
    'Progressing',
    /1 of 2/,
  ],
  [daemon, '{status: {desiredNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 2}}', 'Healthy'],
  ['apps/v1 ReplicaSet', '{metadata: {generation: 2}, status: {observedGeneration: 1}}', 'Progressing'],
  [
    'apps/v1 ReplicaSet',
    '{status: {conditions: [{type: ReplicaFailure, status: "True", message: quota}]}}',
    'Degraded',
    /quota/,
  ],
  ['apps/v1 ReplicaSet', '{spec: {replicas: 2}, status: {availableReplicas: 1}}', 'Progressing', /1 out of 2/],
  ['apps/v1 ReplicaSet', '{spec: {replicas: 2}, status: {availableReplicas: 2}}', 'Healthy'],
  ['v1 Pod', '{status: {phase: Pending}}', 'Progressing'],
  [
    'v1 Pod',
    '{status: {phase: Pending, containerStatuses: [{state: {waiting: {reason: ImagePullBackOff, message: no such image}}}]}}',
    'Degraded',
    /no such image/,
  ],
  [
    'v1 Pod',
    '{status: {phase: Running, containerStatuses: [{state: {waiting: {reason: ErrImagePull}}}]}}',
    'Degraded',
    /ErrImagePull/,
  ],
  [
    'v1 Pod',
    '{spec: {restartPolicy: Never}, status: {phase: Pending, containerStatuses: [{state: {waiting: {reason: ImagePullBackOff}}}]}}',
    'Progressing',
  ],
  ['v1 Pod', '{status: {phase: Succeeded}}', 'Healthy'],
  ['v1 Pod', '{status: {phase: Failed, message: evicted}}', 'Degraded', /evicted/],
  [
    'v1 Pod',
    '{status: {phase: Failed, containerStatuses: [{name: c, state: {terminated: {exitCode: 3}}}]}}',
    'Degraded',
    /container "c" failed with exit code 3/,
  ],
  [
    'v1 Pod',
    '{status: {phase: Failed, containerStatuses: [{name: c, state: {terminated: {reason: OOMKilled, exitCode: 137}}}]}}',
    'Degraded',
    /^OOMKilled$/,
  ],
  ['v1 Pod', '{status: {phase: Running, conditions: [{type: Ready, status: "True"}]}}', 'Healthy'],
  ['v1 Pod', '{status: {phase: Running, containerStatuses: [{lastState: {terminated: {exitCode: 1}}}]}}', 'Degraded'],
  ['v1 Pod', '{status: {phase: Running}}', 'Progressing'],
  [
    'v1 Pod',
    '{spec: {restartPolicy: OnFailure}, status: {phase: Running, conditions: [{type: Ready, status: "True"}]}}',
    'Progressing',
  ],
  ['v1 Pod', '{status: {phase: Odd}}', 'Unknown'],
  [
    'batch/v1 Job',
    '{status: {conditions: [{type: Complete}, {type: Failed, message: backoff}]}}',
    'Degraded',
    /backoff/,
  ],
  ['batch/v1 Job', '{status: {conditions: [{type: Suspended, status: "True"}]}}', 'Suspended'],
  ['batch/v1 Job', '{status: {conditions: [{type: Suspended, status: "False"}]}}', 'Healthy'],
  ['batch/v1 Job', '{status: {conditions: [{type: Complete, status: "True"}]}}', 'Healthy'],
  ['batch/v1 Job', '{}', 'Progressing'],
  ['batch/v1 CronJob', '{spec: {suspend: true}}', 'Healthy'],
  ['batch/v1 CronJob', '{}', 'Progressing'],
  ['batch/v1 CronJob', '{status: {}}', 'Healthy', /not been scheduled/],
  ['batch/v1 CronJob', '{status: {lastScheduleTime: "2026-01-02T00:00:00Z"}}', 'Healthy'],
  [
    'batch/v1 CronJob',
    '{status: {lastScheduleTime: "2026-01-02T00:00:00Z", lastSuccessfulTime: "2026-01-01T00:00:00Z", active: [{}]}}',
    'Healthy',
  ],
  [
    'batch/v1 CronJob',
    '{status: {lastScheduleTime: "2026-01-02T00:00:00Z", lastSuccessfulTime: "2026-01-01T00:00:00Z"}}',
    'Degraded',
  ],
  [
    'batch/v1 CronJob',
    '{status: {lastScheduleTime: "2026-01-02T00:00:00Z", lastSuccessfulTime: "2026-01-02T00:00:09Z"}}',
    'Healthy',
  ],
  ['networking.k8s.io/v1 Ingress', '{}', 'Progressing'],
  ['networking.k8s.io/v1 Ingress', '{status: {loadBalancer: {ingress: [{ip: 10.0.0.1}]}}}', 'Healthy'],
  ['v1 Service', '{spec: {type: ClusterIP}}', 'Healthy'],
  ['v1 Service', '{spec: {type: LoadBalancer}}', 'Progressing'],
  ['v1 Service', '{spec: {type: LoadBalancer}, status: {loadBalancer: {ingress: [{}]}}}', 'Healthy'],
  ['v1 PersistentVolumeClaim', '{status: {phase: Bound}}', 'Healthy'],
  ['v1 PersistentVolumeClaim', '{status: {phase: Pending}}', 'Progressing'],
  ['v1 PersistentVolumeClaim', '{status: {phase: Lost}}', 'Degraded'],
  ['v1 PersistentVolumeClaim', '{}', 'Unknown'],
  ['autoscaling/v2 HorizontalPodAutoscaler', '{}', 'Progressing'],
  [
    'autoscaling/v2 HorizontalPodAutoscaler',
    '{status: {conditions: [{type: ScalingActive, status: "False", reason: FailedGetResourceMetric, message: no metrics}]}}',
    'Degraded',
    /no metrics/,
  ],
  [
    'autoscaling/v2 HorizontalPodAutoscaler',
    '{status: {conditions: [{type: AbleToScale, status: "True"}]}}',
    'Healthy',
  ],
  ['apiregistration.k8s.io/v1 APIService', '{status: {conditions: [{type: Available, status: "True"}]}}', 'Healthy'],
  [
    'apiregistration.k8s.io/v1 APIService',
    '{status: {conditions: [{type: Available, status: "False"}]}}',
    'Progressing',
  ],
  [
    'apiextensions.k8s.io/v1 CustomResourceDefinition',
    '{status: {conditions: [{type: Established, status: "True"}]}}',
    'Healthy',
  ],
  [
    'apiextensions.k8s.io/v1 CustomResourceDefinition',
    '{status: {conditions: [{type: NamesAccepted, status: "False"}]}}',
    'Degraded',
  ],
  [
    'apiextensions.k8s.io/v1 CustomResourceDefinition',
    '{status: {conditions: [{type: Established, status: "False", reason: Installing}]}}',
    'Progressing',
  ],
  [
    'policy/v1 PodDisruptionBudget',
    '{status: {conditions: [{type: DisruptionAllowed, status: "False", reason: InsufficientPods}]}}',
    'Healthy',
  ],
  [
    'policy/v1 PodDisruptionBudget',
    '{status: {conditions: [{type: DisruptionAllowed, status: "False", reason: SyncFailed}]}}',
    'Degraded',
  ],
  ['argoproj.io/v1alpha1 Workflow', '{status: {phase: Error}}', 'Degraded'],
  [
    'argoproj.io/v1alpha1 Rollout',
    '{metadata: {generation: 2}, status: {observedGeneration: "1", phase: Healthy}}',
    'Progressing',
    /spec update/,
  ],
  ['argoproj.io/v1alpha1 Rollout', '{metadata: {generation: 2}, status: {}}', 'Progressing', /spec update/],
  [
    'argoproj.io/v1alpha1 Rollout',
    '{metadata: {annotations: {rollout.argoproj.io/workload-generation: "3"}}, spec: {workloadRef: {}}, status: {observedGeneration: "1", workloadObservedGeneration: "2", phase: Healthy}}',
    'Progressing',
    /spec update/,
  ],
  [
    'argoproj.io/v1alpha1 Rollout',
    '{metadata: {generation: 2}, status: {observedGeneration: "2", phase: Paused, message: CanaryPauseStep}}',
    'Suspended',
    /CanaryPauseStep/,
  ],
  ['argoproj.io/v1alpha1 Rollout', '{status: {observedGeneration: "1", phase: Degraded}}', 'Degraded'],
  ['argoproj.io/v1alpha1 Rollout', '{status: {observedGeneration: "1", phase: Odd}}', 'Unknown', /Odd/],
  [
    'argoproj.io/v1alpha1 Rollout',
    '{status: {conditions: [{type: InvalidSpec, status: "True", message: no steps}]}}',
    'Degraded',
    /no steps/,
  ],
  ['argoproj.io/v1alpha1 Rollout', '{status: {observedGeneration: 7c8f, abort: true}}', 'Degraded', /aborted/],
  ['argoproj.io/v1alpha1 Rollout', '{status: {observedGeneration: 7c8f, pauseConditions: [{}]}}', 'Suspended'],
  [
    'argoproj.io/v1alpha1 Rollout',
    '{status: {observedGeneration: 7c8f, updatedReplicas: 1, replicas: 2}}',
    'Progressing',
    /old replicas/,
  ],
  [
    'argoproj.io/v1alpha1 Rollout',
    '{status: {observedGeneration: 7c8f, updatedReplicas: 1, replicas: 1, availableReplicas: 1}}',
    'Healthy',
  ],
  [
    'argoproj.io/v1alpha1 ApplicationSet',
    '{status: {conditions: [{type: ResourcesUpToDate, status: "True"}]}}',
    'Healthy',
  ],
  ['argoproj.io/v1alpha1 Application', '{status: {health: {status: Degraded}}}', undefined],
  ['cert-manager.io/v1 Certificate', '{}', 'Progressing'],
  [
    'cert-manager.io/v1 Certificate',
    '{status: {conditions: [{type: Ready, status: "True"}, {type: Issuing, status: "True", message: renewing}]}}',
    'Progressing',
    /renewing/,
  ],
  [
    'cert-manager.io/v1 Certificate',
    '{status: {conditions: [{type: Ready, status: "False", message: no issuer}]}}',
    'Degraded',
    /no issuer/,
  ],
  ['source.toolkit.fluxcd.io/v1 GitRepository', '{spec: {suspend: true}}', 'Suspended'],
  ['source.toolkit.fluxcd.io/v1 GitRepository', '{status: {conditions: [{type: Ready, status: "True"}]}}', 'Healthy'],
  ['bitnami.com/v1alpha1 SealedSecret', '{status: {conditions: [{type: Synced, status: "True"}]}}', 'Healthy'],
  ['v1 ConfigMap', '{data: {a: b}}', undefined],
  ['v1 ConfigMap', '{metadata: {deletionTimestamp: "2026-01-01T00:00:00Z"}}', 'Progressing', /Pending deletion/],
  [
    'batch/v1 Job',
    '{metadata: {deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [argocd.argoproj.io/hook-finalizer]}, status: {conditions: [{type: Complete}]}}',
    'Healthy',
  ],
];

for (const [kind, yaml, status, message] of rows) {
  test(`${kind} ${yaml} is ${status ?? 'without health'}`, () => {
    const [apiVersion = '', name = ''] = kind.split(' ');
    const health = assess({ apiVersion, kind: name, ...(load(yaml) as JsonObject) });
    assert.equal(health?.status, status);
    if (message !== undefined) assert.match(health?.message ?? '', message);
  });
}

test('a custom check wins over the built-in one, and one that throws is unknown', () => {
  const object = { apiVersion: 'v1', kind: 'Pod', status: { phase: 'Succeeded' } };
  assert.equal(assess(object, () => ({ status: 'Degraded' }))?.status, 'Degraded');
  const broken = assess(object, () => {
    throw new Error('line 3: boom');
  });
  assert.deepEqual(broken, { status: 'Unknown', message: 'line 3: boom', failed: true });
});

test('an Application is as well as its worst managed object, and missing only if nothing is there', () => {
  const part = (status: HealthCode | undefined, live = true, counts = true) => ({
    live,
    counts,
    health: status === undefined ? undefined : { status },
  });
  const table: [ReturnType<typeof part>[], HealthCode][] = [
    [[], 'Healthy'],
    [[part('Healthy'), part(undefined)], 'Healthy'],
    [[part('Suspended'), part('Progressing')], 'Progressing'],
    [[part('Degraded'), part('Progressing')], 'Degraded'],
    [[part('Unknown'), part('Degraded')], 'Unknown'],
    [[part('Healthy'), part(undefined, false)], 'Healthy'],
    [[part(undefined, false)], 'Missing'],
    [[part('Degraded', true, false), part('Healthy')], 'Healthy'],
  ];
  for (const [parts, wanted] of table) assert.equal(aggregateHealth(parts).status, wanted);
});
