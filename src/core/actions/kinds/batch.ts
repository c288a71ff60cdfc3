import { at, isArray, isObject, type JsonObject, objectAt, stringAt } from '../../json/index.ts';
import { changed } from '../change.ts';
import type { Clock, Impact, KindActions } from '../types.ts';
import { actionsOf, patching } from './workload.ts';

const suspend = (yes: boolean) => patching((object) => changed(object, ['spec', 'suspend'], yes));

/** Suspend, resume, and terminate: a Job past its deadline is stopped with all its Pods. */
export function jobActions(): KindActions {
  return actionsOf(
    {
      suspend: suspend(true),
      resume: suspend(false),
      terminate: patching((object) => changed(object, ['spec', 'activeDeadlineSeconds'], 1)),
    },
    (object) => {
      const [over, suspended] = [isOver(object), at(object, 'spec', 'suspend') === true];
      return [
        { name: 'suspend', disabled: over || suspended },
        { name: 'resume', disabled: over || !suspended },
        { name: 'terminate', disabled: over },
      ];
    },
  );
}

function isOver(job: JsonObject): boolean {
  const conditions = at(job, 'status', 'conditions');
  if (!isArray(conditions)) return false;
  return conditions.some(
    (each) => ['Complete', 'Failed'].includes(stringAt(each, 'type') ?? '') && stringAt(each, 'status') === 'True',
  );
}

/** Run now, suspend and resume. */
export function cronJobActions(now: Clock): KindActions {
  return actionsOf(
    { 'create-job': (object) => [createJob(object, now)], suspend: suspend(true), resume: suspend(false) },
    (object) => {
      const suspended = at(object, 'spec', 'suspend') === true;
      return [
        { name: 'create-job', displayName: 'Create Job' },
        { name: 'suspend', disabled: suspended },
        { name: 'resume', disabled: !suspended },
      ];
    },
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
