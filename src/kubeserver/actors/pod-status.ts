import { createHash } from 'node:crypto';
import { isArray, isObject, type Json, type JsonObject, stringAt } from '../../core/json/index.ts';
import { type KubeObject, uidOf } from '../../core/objects/index.ts';
import { type Behaviour, behaviourOf } from './command.ts';
import { specOf } from './objects.ts';

/** How a container fares. */
export type ContainerState = 'creating' | 'no-image' | 'running' | 'ended' | 'crashing';

export interface ContainerView {
  readonly container: JsonObject;
  readonly state: ContainerState;
  readonly behaviour: Behaviour;
  readonly restarts: number;
  /** When it started, as text. */
  readonly started: string;
}

export function containersOf(pod: KubeObject, field: 'containers' | 'initContainers' = 'containers'): JsonObject[] {
  const list = specOf(pod)[field];
  return isArray(list) ? list.filter((item) => isObject(item)) : [];
}

/** Images ending so cannot be pulled: a way to show what a broken rollout looks like. */
export function cannotBePulled(image: string): boolean {
  return /:(broken|missing)$/.test(image);
}

/** A pod's annotation may say how its containers end. */
const exitCode = 'kubeserver.argosy.io/exit-code';

export function behaviour(pod: KubeObject, container: JsonObject): Behaviour {
  const read = behaviourOf(container);
  const given = pod.metadata.annotations?.[exitCode];
  const forced = given === undefined ? read.exit : Number(given);
  if (forced !== undefined) return { ...read, exit: forced };
  // Without a command to read, what is not restarted always is taken for a task that succeeds at once.
  const task = specOf(pod)['restartPolicy'] === 'Never' || specOf(pod)['restartPolicy'] === 'OnFailure';
  return task && read.seconds === 0 ? { ...read, exit: 0 } : read;
}

/** A stable address for a pod. */
export function podAddress(pod: KubeObject): string {
  const [high = 0, low = 0] = createHash('sha256').update(uidOf(pod)).digest();
  return `10.244.${high}.${Math.max(1, low)}`;
}

/** One entry of `containerStatuses`. */
export function containerStatus(view: ContainerView, now: string): JsonObject {
  const { container, state, restarts } = view;
  const image = stringAt(container, 'image') ?? '';
  const running = state === 'running';
  return {
    name: stringAt(container, 'name') ?? '',
    image,
    imageID: state === 'no-image' || state === 'creating' ? '' : `sha256:${digest(image)}`,
    containerID: state === 'no-image' || state === 'creating' ? '' : `embedded://${digest(`${image} ${restarts}`)}`,
    ready: running,
    started: running,
    restartCount: restarts,
    state: stateOf(view, now),
    lastState: state === 'crashing' ? { terminated: terminated(view, now) } : {},
  };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function stateOf(view: ContainerView, now: string): JsonObject {
  const { state, container, started } = view;
  if (state === 'running') return { running: { startedAt: started } };
  if (state === 'ended') return { terminated: terminated(view, now) };
  if (state === 'creating') return { waiting: { reason: 'ContainerCreating' } };
  const name = stringAt(container, 'name') ?? '';
  if (state === 'crashing') {
    const message = `back-off 10s restarting failed container=${name}`;
    return { waiting: { reason: 'CrashLoopBackOff', message } };
  }
  const image = stringAt(container, 'image') ?? '';
  return { waiting: { reason: 'ImagePullBackOff', message: `Back-off pulling image "${image}": image not found` } };
}

function terminated({ behaviour: { exit = 0 }, started }: ContainerView, now: string): JsonObject {
  const reason = exit === 0 ? 'Completed' : 'Error';
  return { exitCode: exit, reason, startedAt: started, finishedAt: now };
}

/** The phase that follows from the containers. */
export function phaseOf(views: readonly ContainerView[]): string {
  if (views.every(({ state }) => state === 'ended'))
    return views.some(({ behaviour: { exit } }) => exit !== 0) ? 'Failed' : 'Succeeded';
  return views.some(({ state }) => state === 'creating' || state === 'no-image') ? 'Pending' : 'Running';
}

/** The conditions of a pod whose containers fare so. */
export function podConditions(views: readonly ContainerView[], phase: string): JsonObject[] {
  const ready = phase === 'Running' && views.every(({ state }) => state === 'running');
  const names = views
    .filter(({ state }) => state !== 'running')
    .map(({ container }) => stringAt(container, 'name') ?? '');
  const why: { [key: string]: Json } = {};
  if (phase === 'Succeeded') why['reason'] = 'PodCompleted';
  else if (phase === 'Failed') why['reason'] = 'PodFailed';
  else if (!ready) {
    why['reason'] = 'ContainersNotReady';
    why['message'] = `containers with unready status: [${names.join(' ')}]`;
  }
  const status = ready ? 'True' : 'False';
  const done = phase === 'Succeeded' ? { reason: 'PodCompleted' } : {};
  return [
    { type: 'PodReadyToStartContainers', status: phase === 'Succeeded' || phase === 'Failed' ? 'False' : 'True' },
    { type: 'Initialized', status: 'True', ...done },
    { type: 'Ready', status, ...why },
    { type: 'ContainersReady', status, ...why },
    { type: 'PodScheduled', status: 'True' },
  ];
}
