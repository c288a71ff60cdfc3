import { at, type Json, type JsonObject, stringAt } from '../../core/json/index.ts';
import { ageOf, nameOf, type Printer, template } from './printer.ts';
import { age, containers, count, duration, labels, list, selector } from './text.ts';

function replicated(print: (selector: Json | undefined) => Json): Printer {
  return {
    columns: [
      'Desired:integer',
      'Current:integer',
      'Ready:integer',
      'Age',
      'Containers:string:1',
      'Images:string:1',
      'Selector:string:1',
    ],
    cells: (object, now) => [
      nameOf(object),
      count(object, 'spec', 'replicas'),
      count(object, 'status', 'replicas'),
      count(object, 'status', 'readyReplicas'),
      ageOf(object, now),
      ...template(object),
      print(at(object, 'spec', 'selector')),
    ],
  };
}

function jobStatus(job: JsonObject): string {
  const is = (type: string): boolean =>
    list(at(job, 'status', 'conditions')).some((one) => one['type'] === type && one['status'] === 'True');
  if (is('Complete')) return 'Complete';
  if (is('Failed')) return 'Failed';
  if (stringAt(job, 'metadata', 'deletionTimestamp') !== undefined) return 'Terminating';
  return is('Suspended') ? 'Suspended' : 'Running';
}

function completions(job: JsonObject): string {
  const wanted = at(job, 'spec', 'completions');
  return typeof wanted === 'number' ? String(wanted) : `1 of ${count(job, 'spec', 'parallelism')}`;
}

function jobDuration(job: JsonObject, now: Date): string {
  const start = stringAt(job, 'status', 'startTime');
  if (start === undefined) return '';
  const end = stringAt(job, 'status', 'completionTime');
  return duration((end === undefined ? now.getTime() : Date.parse(end)) - Date.parse(start));
}

/** The printers of kinds that run pods. */
export const workloads: { readonly [storage: string]: Printer } = {
  'deployments.apps': {
    columns: ['Ready', 'Up-to-date', 'Available', 'Age', 'Containers:string:1', 'Images:string:1', 'Selector:string:1'],
    cells: (object, now) => [
      nameOf(object),
      `${count(object, 'status', 'readyReplicas')}/${count(object, 'spec', 'replicas')}`,
      count(object, 'status', 'updatedReplicas'),
      count(object, 'status', 'availableReplicas'),
      ageOf(object, now),
      ...template(object),
      selector(at(object, 'spec', 'selector')),
    ],
  },
  'replicasets.apps': replicated(selector),
  // Older than selectors with expressions: its own is a plain map.
  replicationcontrollers: replicated(labels),
  'statefulsets.apps': {
    columns: ['Ready', 'Age', 'Containers:string:1', 'Images:string:1'],
    cells: (object, now) => [
      nameOf(object),
      `${count(object, 'status', 'readyReplicas')}/${count(object, 'spec', 'replicas')}`,
      ageOf(object, now),
      ...template(object),
    ],
  },
  'daemonsets.apps': {
    columns: [
      'Desired:integer',
      'Current:integer',
      'Ready:integer',
      'Up-to-date:integer',
      'Available:integer',
      'Node Selector',
      'Age',
      'Containers:string:1',
      'Images:string:1',
      'Selector:string:1',
    ],
    cells: (object, now) => [
      nameOf(object),
      count(object, 'status', 'desiredNumberScheduled'),
      count(object, 'status', 'currentNumberScheduled'),
      count(object, 'status', 'numberReady'),
      count(object, 'status', 'updatedNumberScheduled'),
      count(object, 'status', 'numberAvailable'),
      labels(at(object, 'spec', 'template', 'spec', 'nodeSelector')),
      ageOf(object, now),
      ...template(object),
      selector(at(object, 'spec', 'selector')),
    ],
  },
  'jobs.batch': {
    columns: [
      'Status',
      'Completions',
      'Duration',
      'Age',
      'Containers:string:1',
      'Images:string:1',
      'Selector:string:1',
    ],
    cells: (object, now) => [
      nameOf(object),
      jobStatus(object),
      `${count(object, 'status', 'succeeded')}/${completions(object)}`,
      jobDuration(object, now),
      ageOf(object, now),
      ...template(object),
      selector(at(object, 'spec', 'selector')),
    ],
  },
  'cronjobs.batch': {
    columns: [
      'Schedule',
      'Timezone',
      'Suspend:boolean',
      'Active:integer',
      'Last Schedule',
      'Age',
      'Containers:string:1',
      'Images:string:1',
      'Selector:string:1',
    ],
    cells: (object, now) => {
      const last = stringAt(object, 'status', 'lastScheduleTime');
      return [
        nameOf(object),
        stringAt(object, 'spec', 'schedule') ?? '',
        stringAt(object, 'spec', 'timeZone') ?? '<none>',
        at(object, 'spec', 'suspend') === true ? 'True' : 'False',
        list(at(object, 'status', 'active')).length,
        last === undefined ? '<none>' : age(last, now),
        ageOf(object, now),
        ...containers(at(object, 'spec', 'jobTemplate', 'spec', 'template', 'spec')),
        '<none>',
      ];
    },
  },
};
