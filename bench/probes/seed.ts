import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RealCluster } from '../../test/support/real-cluster.ts';

const batch = 64; // etcd takes up to 128 operations at once

/** How many objects of each kind; no two are alike, and three managers have written on each. */
export interface Seed {
  readonly configMaps: number;
  readonly secrets: number;
  readonly pods: number;
}

/** Puts objects straight into etcd, which is many times quicker than creating them; the API server reads JSON there too. */
export async function seed(cluster: RealCluster, wanted: Seed): Promise<void> {
  const { etcdUrl } = JSON.parse(readFileSync(join(cluster.dir, 'cluster.json'), 'utf8')) as { etcdUrl: string }; // written by the cluster's helper
  await put(etcdUrl, 'configmaps', wanted.configMaps, configMap);
  await put(etcdUrl, 'secrets', wanted.secrets, secret);
  await put(etcdUrl, 'pods', wanted.pods, pod);
  // Newest reads wait for the server's cache: after them it has taken everything in.
  for (const plural of ['configmaps', 'secrets', 'pods'])
    await cluster.kubectl(['get', '--raw', `/api/v1/${plural}?limit=1`]);
}

async function put(etcdUrl: string, plural: string, count: number, make: (index: number) => object): Promise<void> {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  for (let from = 0; from < count; from += batch) {
    const puts = Array.from({ length: Math.min(batch, count - from) }, (_, offset) => {
      const object = make(from + offset) as { metadata: { namespace: string; name: string } }; // made below
      const key = `/registry/${plural}/${object.metadata.namespace}/${object.metadata.name}`;
      return { requestPut: { key: base64(key), value: base64(JSON.stringify(object)) } };
    });
    const answer = await fetch(`${etcdUrl}/v3/kv/txn`, { method: 'POST', body: JSON.stringify({ success: puts }) });
    if (!answer.ok) throw new Error(`etcd: ${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
  }
}

/** Repeatable, and different for every object, so that nothing looks better by being alike. */
function word(index: number, salt: number): string {
  return ((Math.imul(index * 31 + salt, 2654435761) >>> 0) * 4096 + salt).toString(36);
}

/** Key names repeat, as they do where 500 charts are installed forty times each; what stands under them does not. */
const charts = 500;

function words(index: number, count: number): { [key: string]: string } {
  const chart = index % charts;
  const value = (at: number): string => Array.from({ length: 6 + (at % 9) }, (_, n) => word(index + n, at)).join(' ');
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`${word(chart, at)}.conf`, value(at)]));
}

function metadata(prefix: string, index: number): object {
  const managers = ['kubectl-client-side-apply', 'argosy', 'kube-controller-manager'];
  return {
    name: `${prefix}-${word(index, 1)}-${index}`,
    namespace: `bench-${index % 50}`,
    uid: `00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`,
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: {
      'app.kubernetes.io/name': word(index, 2),
      'app.kubernetes.io/instance': word(index, 3),
      tier: word(index % 5, 4),
    },
    annotations: {
      'argocd.argoproj.io/tracking-id': `${word(index, 5)}:/${prefix}:bench-${index % 50}/${word(index, 1)}`,
      note: 'x'.repeat(index % 200),
    },
    managedFields: managers.map((manager, at) => ({
      manager,
      operation: at === 1 ? 'Apply' : 'Update',
      apiVersion: 'v1',
      time: '2026-01-01T00:00:00Z',
      fieldsType: 'FieldsV1',
      fieldsV1: {
        'f:metadata': { 'f:labels': { [`f:${word(index % charts, at)}`]: {} } },
        'f:spec': { [`f:${word(at, index % charts)}`]: { '.': {}, 'f:x': {} } },
      },
    })),
  };
}

function configMap(index: number): object {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: metadata('cm', index),
    data: words(index, 2 + ((index % charts) % 30)),
  };
}

function secret(index: number): object {
  const data = Object.fromEntries(
    Object.entries(words(index, 2 + ((index % charts) % 5))).map(([key, value]) => [
      key,
      Buffer.from(value).toString('base64'),
    ]),
  );
  return { apiVersion: 'v1', kind: 'Secret', type: 'Opaque', metadata: metadata('secret', index), data };
}

function pod(index: number): object {
  const container = (at: number): object => ({
    name: `c${at}`,
    image: `registry.example/${word(index, at)}:${index}`,
    env: Array.from({ length: 8 }, (_, n) => ({ name: `V${n}`, value: word(index, n + at) })),
    resources: { limits: { cpu: '1', memory: '64Mi' }, requests: { cpu: '10m', memory: '32Mi' } },
    volumeMounts: [{ name: 'data', mountPath: `/data/${word(index, at)}` }],
    imagePullPolicy: 'IfNotPresent',
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
  });
  const condition = (type: string): object => ({
    type,
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: '2026-01-01T00:00:00Z',
  });
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: metadata('pod', index),
    spec: {
      containers: [container(1), container(2)],
      volumes: [{ name: 'data', emptyDir: {} }],
      nodeName: `node-${index % 100}`,
      restartPolicy: 'Always',
      dnsPolicy: 'ClusterFirst',
      schedulerName: 'default-scheduler',
      terminationGracePeriodSeconds: 30,
    },
    status: {
      phase: 'Running',
      podIP: `10.0.${index % 250}.${index % 199}`,
      conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(condition),
      containerStatuses: [1, 2].map((at) => ({
        name: `c${at}`,
        ready: true,
        restartCount: index % 3,
        image: `registry.example/${word(index, at)}:${index}`,
        imageID: word(index, at + 9),
        containerID: `containerd://${word(index, at)}`,
        started: true,
        state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
      })),
    },
  };
}
