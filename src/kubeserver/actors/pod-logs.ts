import { setTimeout as sleep } from 'node:timers/promises';
import { stringAt } from '../../core/json/index.ts';
import { type asJson, type KubeObject, nameOf, namespaceOf } from '../../core/objects/index.ts';
import type { Inside } from '../ports.ts';
import { badRequest, notFound } from '../status.ts';
import { statusOf } from './objects.ts';
import { behaviour, containersOf } from './pod-status.ts';

export interface PodLogOptions {
  readonly namespace: string;
  readonly pod: string;
  /** Empty: the pod's only container, or the one its annotation names. */
  readonly container: string;
  readonly follow: boolean;
  readonly tailLines?: number;
  readonly timestamps?: boolean;
  readonly previous?: boolean;
  readonly sinceSeconds?: number;
  readonly sinceTime?: Date;
  readonly limitBytes?: number;
  readonly signal?: AbortSignal;
}

/**
 * The lines a pod's container has written, each with its newline; with `follow` it goes on until the pod ends or the
 * reader does. Throws a StatusError before the first line where the real server would refuse.
 */
export async function* podLogs(inside: Inside, options: PodLogOptions): AsyncGenerator<string> {
  const pod = inside.get('', 'Pod', options.namespace, options.pod);
  if (pod === undefined) throw notFound({ group: '', plural: 'pods' }, options.pod);
  const container = chosen(pod, options.container);
  if (options.previous === true)
    throw badRequest(`previous terminated container "${container}" in pod "${options.pod}" not found`);
  const started = await startOf(inside, pod, container, options);
  let left = options.limitBytes ?? Number.POSITIVE_INFINITY;
  for (const line of linesOf(pod, container, started, options)) {
    const cut = Buffer.from(`${line}\n`).subarray(0, left);
    left -= cut.length;
    if (cut.length > 0) yield cut.toString('utf8');
  }
  if (options.follow) await ended(inside, pod, options.signal);
}

function chosen(pod: KubeObject, wanted: string): string {
  const names = (field: 'containers' | 'initContainers'): string[] =>
    containersOf(pod, field).map((container) => stringAt(container, 'name') ?? '');
  const containers = names('containers');
  if (wanted !== '') {
    if ([...containers, ...names('initContainers')].includes(wanted)) return wanted;
    throw badRequest(`container ${wanted} is not valid for pod ${nameOf(pod)}`);
  }
  const annotated = pod.metadata.annotations?.['kubectl.kubernetes.io/default-container'];
  if (annotated !== undefined && containers.includes(annotated)) return annotated;
  const [first = '', ...more] = containers;
  if (more.length === 0) return first;
  const list = containers.join(' ');
  throw badRequest(`a container name must be specified for pod ${nameOf(pod)}, choose one of: [${list}]`);
}

/** When the container started; one that has not is refused, or waited for a while if the reader follows. */
async function startOf(inside: Inside, pod: KubeObject, container: string, options: PodLogOptions): Promise<Date> {
  for (let tries = 0; ; tries += 1) {
    const now = inside.get('', 'Pod', namespaceOf(pod), nameOf(pod)) ?? pod;
    const status = statusNamed(now, container);
    const started =
      stringAt(status, 'state', 'running', 'startedAt') ??
      stringAt(status, 'state', 'terminated', 'startedAt') ??
      stringAt(status, 'lastState', 'terminated', 'startedAt');
    if (started !== undefined) return new Date(started);
    const reason = stringAt(status, 'state', 'waiting', 'reason') ?? 'ContainerCreating';
    const text = reason === 'ImagePullBackOff' ? 'trying and failing to pull image' : `waiting to start: ${reason}`;
    if (tries >= 40 || !options.follow || options.signal?.aborted === true) {
      const state = reason === 'ImagePullBackOff' ? `is ${'waiting to start'}: ${text}` : `is ${text}`;
      throw badRequest(`container "${container}" in pod "${nameOf(pod)}" ${state}`);
    }
    await sleep(50);
  }
}

function statusNamed(pod: KubeObject, container: string): ReturnType<typeof asJson> | undefined {
  const list = statusOf(pod)['containerStatuses'];
  if (!Array.isArray(list)) return undefined;
  return (list as ReturnType<typeof asJson>[]).find((status) => status['name'] === container); // statuses are objects
}

function linesOf(pod: KubeObject, name: string, started: Date, options: PodLogOptions): string[] {
  const containers = [...containersOf(pod), ...containersOf(pod, 'initContainers')];
  const container = containers.find((item) => stringAt(item, 'name') === name) ?? {};
  const echoed = behaviour(pod, container).lines;
  const image = stringAt(container, 'image') ?? '';
  const all = echoed.length > 0 ? [...echoed] : [`${name} started (${image})`];
  const since = options.sinceTime?.getTime() ?? Date.now() - (options.sinceSeconds ?? Number.POSITIVE_INFINITY) * 1000;
  const seen = started.getTime() >= since ? all : [];
  const tail = options.tailLines === undefined ? seen : seen.slice(Math.max(0, seen.length - options.tailLines));
  return options.timestamps === true
    ? tail.map((line) => `${started.toISOString().replace('Z', '000000Z')} ${line}`)
    : tail;
}

/** Waits until a pod ends or goes, or the reader does. */
function ended(inside: Inside, pod: KubeObject, signal: AbortSignal | undefined): Promise<void> {
  const over = (object: KubeObject | undefined): boolean => {
    const phase = object === undefined ? 'Failed' : statusOf(object)['phase'];
    return phase === 'Succeeded' || phase === 'Failed' || object?.metadata.deletionTimestamp !== undefined;
  };
  return new Promise((resolve) => {
    const watch = inside.watch('', 'Pod', ({ type, object }) => {
      if (object.metadata.uid === pod.metadata.uid && (type === 'DELETED' || over(object))) finish();
    });
    const finish = (): void => {
      watch.stop();
      signal?.removeEventListener('abort', finish);
      resolve();
    };
    signal?.addEventListener('abort', finish);
    if (signal?.aborted === true || over(inside.get('', 'Pod', namespaceOf(pod), nameOf(pod)))) finish();
  });
}
