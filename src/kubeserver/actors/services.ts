import { isArray, isObject, type Json, type JsonObject, objectAt, stringAt } from '../../core/json/index.ts';
import { type KubeObject, nameOf, namespaceOf, uidOf } from '../../core/objects/index.ts';
import type { Actor, Inside } from '../ports.ts';
import { controllerRef, ensure, remove, setStatus, specOf, statusOf } from './objects.ts';
import { containersOf } from './pod-status.ts';
import { isFinished, isReady } from './pods-of.ts';
import { ownKey, reconciler, splitKey } from './reconciler.ts';

/** Publishes the addresses of a Service's pods as Endpoints and an EndpointSlice. */
export function endpointsActor(): Actor {
  const watched = [{ group: '', kind: 'Service', keys: ownKey }];
  const inner = reconciler('endpoints', watched, async (inside, key) => {
    const service = inside.get('', 'Service', ...splitKey(key));
    const selector = service === undefined ? undefined : objectAt(specOf(service), 'selector');
    if (service === undefined || selector === undefined || Object.keys(selector).length === 0) return undefined;
    await publish(inside, service, selectedPods(inside, service, selector));
    return undefined;
  });
  return {
    name: inner.name,
    start: (inside) => {
      const running = inner.start(inside);
      // A changed pod concerns the Services that select it: touch those through their own key.
      const again = reconciler(
        'endpoints-of-pods',
        [{ group: '', kind: 'Pod', keys: (pod) => servicesOf(inside, pod) }],
        async (_inside, key) => {
          const service = inside.get('', 'Service', ...splitKey(key));
          if (service === undefined) return undefined;
          const selector = objectAt(specOf(service), 'selector') ?? {};
          await publish(inside, service, selectedPods(inside, service, selector));
          return undefined;
        },
      ).start(inside);
      return {
        stop: async () => {
          await running.stop();
          await again.stop();
        },
      };
    },
  };
}

function matches(selector: JsonObject | undefined, pod: KubeObject): boolean {
  const pairs = Object.entries(selector ?? {});
  return pairs.length > 0 && pairs.every(([key, value]) => pod.metadata.labels?.[key] === value);
}

function servicesOf(inside: Inside, pod: KubeObject): string[] {
  return inside
    .list('', 'Service', namespaceOf(pod))
    .filter((service) => matches(objectAt(specOf(service), 'selector'), pod))
    .map((service) => `${namespaceOf(service)}/${nameOf(service)}`);
}

function selectedPods(inside: Inside, service: KubeObject, selector: JsonObject): KubeObject[] {
  return inside
    .list('', 'Pod', namespaceOf(service))
    .filter((pod) => matches(selector, pod) && !isFinished(pod) && stringAt(statusOf(pod), 'podIP') !== undefined)
    .filter((pod) => pod.metadata.deletionTimestamp === undefined);
}

function ports(service: KubeObject, pods: readonly KubeObject[]): JsonObject[] {
  const list = specOf(service)['ports'];
  return (isArray(list) ? list : []).flatMap((port) => {
    if (!isObject(port)) return [];
    const target = port['targetPort'] ?? port['port'] ?? 0;
    const number = typeof target === 'number' ? target : namedPort(target, pods);
    if (number === undefined) return [];
    const name = stringAt(port, 'name') ?? '';
    return [{ ...(name === '' ? {} : { name }), port: number, protocol: stringAt(port, 'protocol') ?? 'TCP' }];
  });
}

function namedPort(name: Json, pods: readonly KubeObject[]): number | undefined {
  for (const pod of pods)
    for (const container of containersOf(pod)) {
      const list = container['ports'];
      const found = (isArray(list) ? list : []).find((port) => isObject(port) && port['name'] === name);
      const number = isObject(found) ? found['containerPort'] : undefined;
      if (typeof number === 'number') return number;
    }
  return undefined;
}

function reference(pod: KubeObject): JsonObject {
  return { kind: 'Pod', namespace: namespaceOf(pod), name: nameOf(pod), uid: uidOf(pod) };
}

async function publish(inside: Inside, service: KubeObject, pods: readonly KubeObject[]): Promise<void> {
  const list = ports(service, pods);
  const address = (pod: KubeObject): JsonObject => {
    const nodeName = stringAt(specOf(pod), 'nodeName') ?? '';
    return { ip: stringAt(statusOf(pod), 'podIP') ?? '', nodeName, targetRef: reference(pod) };
  };
  const [ready, rest] = [pods.filter(isReady), pods.filter((pod) => !isReady(pod))];
  const subset: { [key: string]: Json } = {};
  if (ready.length > 0) subset['addresses'] = ready.map(address);
  if (rest.length > 0) subset['notReadyAddresses'] = rest.map(address);
  subset['ports'] = list;
  const labels = { 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' };
  const name = nameOf(service);
  const namespace = namespaceOf(service);
  await replace(inside, {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: { name, namespace, labels: { ...service.metadata.labels, ...labels } },
    ...(pods.length === 0 ? {} : { subsets: [subset] }),
  });
  await publishSlice(inside, service, pods, list);
}

async function publishSlice(
  inside: Inside,
  service: KubeObject,
  pods: readonly KubeObject[],
  list: readonly JsonObject[],
): Promise<void> {
  const name = nameOf(service);
  await replace(inside, {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: `${name}-${uidOf(service).slice(0, 5)}`,
      namespace: namespaceOf(service),
      labels: {
        ...service.metadata.labels,
        'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
        'kubernetes.io/service-name': name,
      },
      ownerReferences: [controllerRef(service)],
    },
    addressType: 'IPv4',
    endpoints: pods.map((pod) => ({
      addresses: [stringAt(statusOf(pod), 'podIP') ?? ''],
      conditions: { ready: isReady(pod), serving: isReady(pod), terminating: false },
      nodeName: stringAt(specOf(pod), 'nodeName') ?? '',
      targetRef: reference(pod),
    })),
    ports: list.map((port) => ({ name: '', ...port })),
  });
}

/** Creates an object, or makes the content of the stored one equal to it. */
async function replace(inside: Inside, wanted: JsonObject): Promise<void> {
  if ((await ensure(inside, wanted)) !== undefined) return;
  const group = wanted['kind'] === 'EndpointSlice' ? 'discovery.k8s.io' : '';
  const [namespace, name] = [
    stringAt(wanted, 'metadata', 'namespace') ?? '',
    stringAt(wanted, 'metadata', 'name') ?? '',
  ];
  await inside.update(group, stringAt(wanted, 'kind') ?? '', namespace, name, (current) => {
    const next: { [key: string]: Json } = { ...wanted, metadata: { ...objectAt(current, 'metadata') } };
    const same = JSON.stringify(content(current)) === JSON.stringify(content(next));
    return same ? undefined : (next as typeof current); // the caller's own value
  });
}

function content(object: JsonObject): Json {
  return [object['subsets'] ?? null, object['endpoints'] ?? null, object['ports'] ?? null];
}

/** Gives LoadBalancers and Ingresses an address, and an ended Service's Endpoints back. */
export function loadBalancerActor(): Actor {
  const watched = [
    {
      group: '',
      kind: 'Service',
      keys: ({ kind, metadata }: KubeObject) => [`${kind} ${metadata.namespace}/${metadata.name}`],
    },
    {
      group: 'networking.k8s.io',
      kind: 'Ingress',
      keys: ({ kind, metadata }: KubeObject) => [`${kind} ${metadata.namespace}/${metadata.name}`],
    },
  ];
  return reconciler('load-balancer', watched, async (inside, key) => {
    const [kind = '', rest = ''] = key.split(' ');
    const [namespace, name] = splitKey(rest);
    const object = inside.get(kind === 'Ingress' ? 'networking.k8s.io' : '', kind, namespace, name);
    if (object === undefined && kind === 'Service') {
      const endpoints = inside.get('', 'Endpoints', namespace, name);
      if (endpoints !== undefined && name !== 'kubernetes') await remove(inside, endpoints);
    }
    if (object === undefined || (kind === 'Service' && specOf(object)['type'] !== 'LoadBalancer')) return undefined;
    const mode = kind === 'Service' ? { ipMode: 'VIP' } : {};
    await setStatus(inside, object, { loadBalancer: { ingress: [{ ip: '127.0.0.1', ...mode }] } });
    return undefined;
  });
}
