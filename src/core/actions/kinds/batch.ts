import { at, isArray, isObject, type Json, type JsonObject, objectAt, stringAt } from '../../json/index.ts';
import { changed } from '../change.ts';
import type { ActionOption, Clock, Impact, KindActions } from '../types.ts';
import { actionsOf, icon, patching, timeText } from './workload.ts';

const suspend = (yes: boolean) => patching((object) => changed(object, ['spec', 'suspend'], yes));

const suspendOption: ActionOption = { name: 'suspend', iconClass: icon('pause') };
const resumeOption: ActionOption = { name: 'resume', iconClass: icon('play') };

/** Suspend, resume and terminate; a Job that is over, or about to be, offers nothing. */
export function jobActions(now: Clock): KindActions {
  return actionsOf(
    { suspend: suspend(true), resume: suspend(false), terminate: patching((object) => terminated(object, now)) },
    (object) => {
      if (isOver(object)) return [];
      return [isSuspended(object) ? resumeOption : suspendOption, { name: 'terminate', iconClass: icon('stop') }];
    },
  );
}

const ends = ['Complete', 'Failed', 'FailureTarget', 'SuccessCriteriaMet'];

function isOver(job: JsonObject): boolean {
  return conditionsOf(job).some(
    (each) => ends.includes(stringAt(each, 'type') ?? '') && stringAt(each, 'status') === 'True',
  );
}

/** Kubernetes stops all Pods of a Job that is to fail, and then lets it fail. */
function terminated(job: JsonObject, now: Clock): JsonObject {
  const target = {
    type: 'FailureTarget',
    status: 'True',
    reason: 'ManuallyTerminated',
    message: 'Job was terminated by a person',
    lastTransitionTime: timeText(now),
  };
  return changed(job, ['status', 'conditions'], [...conditionsOf(job), target]);
}

function conditionsOf(job: JsonObject): readonly Json[] {
  const conditions = at(job, 'status', 'conditions');
  return isArray(conditions) ? conditions : [];
}

function isSuspended(object: JsonObject): boolean {
  return at(object, 'spec', 'suspend') === true;
}

/** Run now, suspend and resume. */
export function cronJobActions(now: Clock): KindActions {
  return actionsOf(
    { 'create-job': (object) => [createJob(object, now)], suspend: suspend(true), resume: suspend(false) },
    (object) => [
      { name: 'create-job', displayName: 'Create Job', iconClass: icon('plus') },
      isSuspended(object) ? resumeOption : suspendOption,
    ],
  );
}

/** The names of a Job's Pods are made of its own and may have 63 characters. */
const longestName = 52;

/** The Job its schedule would start now, marked as one that a person started. */
function createJob(cronJob: JsonObject, now: Clock): Impact {
  const template = objectAt(cronJob, 'spec', 'jobTemplate') ?? {};
  const name = stringAt(cronJob, 'metadata', 'name') ?? '';
  const namespace = stringAt(cronJob, 'metadata', 'namespace');
  const stamp = new Date(now() * 1000)
    .toISOString()
    .replaceAll(/[^0-9]/g, '')
    .slice(0, 14);
  const owner = {
    apiVersion: stringAt(cronJob, 'apiVersion') ?? '',
    kind: stringAt(cronJob, 'kind') ?? '',
    name,
    uid: stringAt(cronJob, 'metadata', 'uid') ?? '',
    controller: true,
    blockOwnerDeletion: true,
  };
  const resource = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: `${name.slice(0, longestName - stamp.length - 1)}-${stamp}`,
      ...(namespace === undefined ? {} : { namespace }),
      labels: texts(template, 'labels'),
      annotations: { ...texts(template, 'annotations'), 'cronjob.kubernetes.io/instantiate': 'manual' },
      ownerReferences: [owner],
    },
    spec: objectAt(template, 'spec') ?? {},
  };
  return { operation: 'create', resource };
}

function texts(template: JsonObject, field: string): JsonObject {
  const found = at(template, 'metadata', field);
  return isObject(found) ? found : {};
}
