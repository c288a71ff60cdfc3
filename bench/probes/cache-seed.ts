import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '../../src/core/objects/index.ts';
import type { RealCluster } from '../../test/support/real-cluster.ts';

const batch = 64; // etcd takes up to 128 operations at once
const spaces = 50;

/** What can be put into a cluster for the cache to look at; `managed` kinds bear the mark of an Application each ten. */
export type Crop = 'pods' | 'configMaps' | 'managedConfigMaps' | 'managedDeployments' | 'ownedPods';

const registry: Record<Crop, string> = {
  pods: 'pods',
  ownedPods: 'pods',
  configMaps: 'configmaps',
  managedConfigMaps: 'configmaps',
  managedDeployments: 'deployments',
};

/** Puts objects straight into etcd, numbered from `from` to before `to`; watches hear of them at once. */
export async function grow(cluster: RealCluster, crop: Crop, from: number, to: number): Promise<void> {
  const { etcdUrl } = JSON.parse(readFileSync(join(cluster.dir, 'cluster.json'), 'utf8')) as { etcdUrl: string }; // written by the cluster's helper
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  for (let at = from; at < to; at += batch) {
    const puts = Array.from({ length: Math.min(batch, to - at) }, (_, offset) => {
      const object = make[crop](at + offset) as { metadata: { namespace: string; name: string } }; // made below
      const key = `/registry/${registry[crop]}/${object.metadata.namespace}/${object.metadata.name}`;
      return { requestPut: { key: base64(key), value: base64(JSON.stringify(object)) } };
    });
    const answer = await fetch(`${etcdUrl}/v3/kv/txn`, { method: 'POST', body: JSON.stringify({ success: puts }) });
    if (!answer.ok) throw new Error(`etcd: ${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
  }
}

/** The Application that the n-th managed object belongs to, as its mark names it. */
export function applicationOf(index: number): string {
  return `team-${Math.floor(index / 10) % 50}_app-${Math.floor(index / 10)}`;
}

/** Repeatable, and different for every object, so that nothing looks better by being alike. */
function word(index: number, salt: number): string {
  return ((Math.imul(index * 31 + salt, 2654435761) >>> 0) * 4096 + salt).toString(36);
}

function uid(index: number, salt: number): string {
  const hex = [1, 2, 3, 4]
    .map((n) => (Math.imul(index * 4 + n, 2654435761 + salt * 2) >>> 0).toString(16).padStart(8, '0'))
    .join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}

interface Named {
  readonly name: string;
  readonly namespace: string;
  readonly [field: string]: unknown;
}

function metadata(prefix: string, index: number, salt: number): Named {
  return {
    name: `${prefix}-${word(index, 1)}-${index}`,
    namespace: `bench-${index % spaces}`,
    uid: uid(index, salt),
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: { 'app.kubernetes.io/name': word(index, 2), tier: word(index % 5, 4) },
  };
}

function marked(kind: string, named: Named, index: number): Named {
  const id = `${applicationOf(index)}:${kind}:${named.namespace}/${named.name}`;
  const fieldsV1 = {
    'f:metadata': { 'f:annotations': { 'f:argocd.argoproj.io/tracking-id': {} } },
    'f:spec': { 'f:replicas': {}, 'f:template': { 'f:spec': { 'f:containers': {} } } },
  };
  const entry = {
    manager: 'argocd-controller',
    operation: 'Apply',
    apiVersion: 'v1',
    fieldsType: 'FieldsV1',
    fieldsV1,
  };
  return { ...named, annotations: { 'argocd.argoproj.io/tracking-id': id }, managedFields: [entry] };
}

function values(index: number, count: number): { [key: string]: string } {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`setting-${n}.conf`, `${word(index, n)} ${n}`]));
}

function podSpec(index: number): object {
  const container = (n: number): object => ({
    name: `c${n}`,
    image: `registry.example/${word(index, n)}:${index}`,
    env: Array.from({ length: 6 }, (_, v) => ({ name: `V${v}`, value: word(index, v + n) })),
    resources: { limits: { cpu: '1', memory: '64Mi' } },
    imagePullPolicy: 'IfNotPresent',
  });
  return { containers: [container(1), container(2)], nodeName: `node-${index % 100}`, restartPolicy: 'Always' };
}

function pod(named: Named, index: number): object {
  const conditions = ['Initialized', 'Ready', 'PodScheduled'].map((type) => ({ type, status: 'True' }));
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: named,
    spec: podSpec(index),
    status: { phase: 'Running', conditions },
  };
}

function deployment(index: number): object {
  const labels = { app: word(index, 1) };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { ...marked('apps/Deployment', metadata('web', index, 5), index), generation: 1 },
    spec: { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec(index) } },
    status: { observedGeneration: 1, replicas: 2, updatedReplicas: 2, availableReplicas: 2, readyReplicas: 2 },
  };
}

/** Every pod belongs to one of the managed Deployments. */
function ownedPod(index: number): object {
  const named = metadata('web', index % 500, 5);
  const own = metadata(`${named.name}-pod`, index, 7);
  const owner = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    name: named.name,
    uid: String(named['uid']),
    controller: true,
  };
  return pod({ ...own, namespace: named.namespace, ownerReferences: [owner] }, index);
}

/** The n-th object of a sort, as a server would send it. */
export function objectOf(crop: Crop, index: number): KubeObject {
  const object = JSON.parse(JSON.stringify(make[crop](index))) as KubeObject; // made here
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(1_000 + index) } };
}

const make: Record<Crop, (index: number) => object> = {
  pods: (index) => pod(metadata('pod', index, 1), index),
  configMaps: (index) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: metadata('cm', index, 2),
    data: values(index, 12),
  }),
  managedConfigMaps: (index) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: marked('/ConfigMap', metadata('mine', index, 3), index),
    data: values(index, 12),
  }),
  managedDeployments: deployment,
  ownedPods: ownedPod,
};
