import { isArray, isObject, type Json, type JsonObject, objectAt, stringAt } from '../../core/json/index.ts';
import { type KubeObject, nameOf, namespaceOf } from '../../core/objects/index.ts';
import type { Actor, Inside } from '../ports.ts';
import { tell } from './events.ts';
import { isGone, numberAt, setStatus, specOf, statusOf, timeText, withCondition } from './objects.ts';
import {
  behaviour,
  type ContainerView,
  cannotBePulled,
  containerStatus,
  containersOf,
  phaseOf,
  podAddress,
  podConditions,
} from './pod-status.ts';
import { ownKey, reconciler, splitKey } from './reconciler.ts';

/** The one node of the embedded cluster. */
export const nodeName = 'argosy-node';

/** Plays scheduler and kubelet: pods get the node, start, become ready, end or crash as their commands say. */
export function podActor(delay: number): Actor {
  return reconciler('pod', [{ group: '', kind: 'Pod', keys: ownKey }], async (inside, key) => {
    const pod = inside.get('', 'Pod', ...splitKey(key));
    if (pod === undefined) return undefined;
    if (pod.metadata.deletionTimestamp !== undefined) return end(inside, pod);
    if (stringAt(specOf(pod), 'nodeName') === undefined) return schedule(inside, pod, delay);
    const phase = statusOf(pod)['phase'];
    if (phase === 'Succeeded' || phase === 'Failed') return undefined;
    if (stringAt(specOf(pod), 'nodeName') !== nodeName) return undefined; // another node's, which is not here
    if (stringAt(statusOf(pod), 'startTime') === undefined) return start(inside, pod, delay);
    return proceed(inside, pod, delay);
  });
}

/** A pod asked to go has nothing to shut down: its grace period ends at once. */
async function end(inside: Inside, pod: KubeObject): Promise<undefined> {
  const { uid = '', deletionGracePeriodSeconds = 0, finalizers = [] } = pod.metadata;
  if (deletionGracePeriodSeconds === 0 && finalizers.length > 0) return undefined; // it waits for others
  try {
    await inside.delete('', 'Pod', namespaceOf(pod), nameOf(pod), { uid, gracePeriod: 0 });
  } catch (error) {
    if (!isGone(error)) throw error;
  }
  return undefined;
}

async function schedule(inside: Inside, pod: KubeObject, delay: number): Promise<number | undefined> {
  const gates = specOf(pod)['schedulingGates'];
  if (isArray(gates) && gates.length > 0) return undefined;
  await inside.update('', 'Pod', namespaceOf(pod), nameOf(pod), (current) => {
    const next: { [key: string]: Json } = { ...current, spec: { ...objectAt(current, 'spec'), nodeName } };
    return next as typeof current; // a fresh copy, changed here only
  });
  return delay;
}

async function start(inside: Inside, pod: KubeObject, delay: number): Promise<number> {
  const now = timeText(inside.now());
  const views = containersOf(pod).map(
    (container): ContainerView => ({
      container,
      state: 'creating',
      behaviour: behaviour(pod, container),
      restarts: 0,
      started: now,
    }),
  );
  await write(inside, pod, views, { startTime: now });
  return delay;
}

async function proceed(inside: Inside, pod: KubeObject, delay: number): Promise<number | undefined> {
  const now = inside.now();
  const results = containersOf(pod).map((container, index) => advance(pod, container, index, now));
  const views = results.map(({ view }) => view);
  const waits = results.flatMap(({ again }) => (again === undefined ? [] : [again]));
  await write(inside, pod, views, { podIP: podAddress(pod) });
  await complain(inside, pod, views);
  return waits.length === 0 ? undefined : Math.max(delay, Math.min(...waits));
}

interface Advance {
  readonly view: ContainerView;
  readonly again: number | undefined;
}

function currentStatus(pod: KubeObject, index: number): JsonObject {
  const list = statusOf(pod)['containerStatuses'];
  const found = isArray(list) ? list[index] : undefined;
  return isObject(found) ? found : {};
}

/** Where a container is now, and when it will be somewhere else. */
function advance(pod: KubeObject, container: JsonObject, index: number, now: Date): Advance {
  const status = currentStatus(pod, index);
  const restarts = numberAt(status, 'restartCount', 0);
  const own = behaviour(pod, container);
  const running = stringAt(status, 'state', 'running', 'startedAt');
  const base = { container, behaviour: own, restarts, started: running ?? timeText(now) };
  if (cannotBePulled(stringAt(container, 'image') ?? ''))
    return { view: { ...base, state: 'no-image' }, again: undefined };
  const ended = objectAt(status, 'state', 'terminated');
  if (ended !== undefined)
    return {
      view: { ...base, started: stringAt(ended, 'startedAt') ?? base.started, state: 'ended' },
      again: undefined,
    };
  const backedOff = stringAt(status, 'state', 'waiting', 'reason') === 'CrashLoopBackOff';
  if (backedOff) return { view: { ...base, restarts, state: 'running' }, again: 0 };
  if (running === undefined)
    return { view: { ...base, state: 'running' }, again: own.exit === undefined ? undefined : 0 };
  if (own.exit === undefined) return { view: { ...base, state: 'running' }, again: undefined };
  const left = Date.parse(running) + own.seconds * 1000 - now.getTime();
  if (left > 0) return { view: { ...base, state: 'running' }, again: left };
  return ending(pod, base, own.exit);
}

/** What follows when a container's command ended: the end, a crash loop, or (a server that only echoes) nothing. */
function ending(pod: KubeObject, base: Omit<ContainerView, 'state'>, exit: number): Advance {
  const policy = stringAt(specOf(pod), 'restartPolicy') ?? 'Always';
  if (policy === 'Never' || (policy === 'OnFailure' && exit === 0))
    return { view: { ...base, state: 'ended' }, again: undefined };
  if (exit === 0) return { view: { ...base, state: 'running' }, again: undefined };
  const restarts = base.restarts + 1;
  const pause = Math.min(300_000, 1000 * 2 ** Math.min(restarts, 9));
  return { view: { ...base, restarts, state: 'crashing' }, again: pause };
}

async function write(
  inside: Inside,
  pod: KubeObject,
  views: readonly ContainerView[],
  more: { readonly [key: string]: Json },
): Promise<void> {
  const now = timeText(inside.now());
  const phase = phaseOf(views);
  let conditions = statusOf(pod)['conditions'];
  for (const condition of podConditions(views, phase))
    conditions = withCondition(conditions, { lastProbeTime: null, ...condition }, now);
  const ip = more['podIP'];
  await setStatus(inside, pod, {
    phase,
    ...more,
    ...(ip === undefined ? {} : { podIPs: [{ ip }] }),
    hostIP: '127.0.0.1',
    hostIPs: [{ ip: '127.0.0.1' }],
    conditions: conditions ?? [],
    containerStatuses: views.map((view, index) => settled(pod, index, containerStatus(view, now))),
    observedGeneration: pod.metadata.generation ?? 1,
  });
}

/** A container that has ended keeps its times. */
function settled(pod: KubeObject, index: number, next: JsonObject): JsonObject {
  const before = currentStatus(pod, index);
  return objectAt(before, 'state', 'terminated') === undefined ? next : before;
}

async function complain(inside: Inside, pod: KubeObject, views: readonly ContainerView[]): Promise<void> {
  const before = containersOf(pod).map((_container, index) =>
    stringAt(currentStatus(pod, index), 'state', 'waiting', 'reason'),
  );
  for (const [index, { state, container }] of views.entries()) {
    const image = stringAt(container, 'image') ?? '';
    if (state === 'no-image' && before[index] !== 'ImagePullBackOff') {
      const message = `Failed to pull image "${image}": image not found`;
      await tell(inside, pod, { type: 'Warning', reason: 'Failed', message, component: 'kubelet' });
    }
    if (state === 'crashing') {
      const message = `Back-off restarting failed container ${stringAt(container, 'name')} in pod ${nameOf(pod)}`;
      await tell(inside, pod, { type: 'Warning', reason: 'BackOff', message, component: 'kubelet' });
    }
  }
}
