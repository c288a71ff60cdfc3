import type { JsonObject } from '../../core/json/index.ts';
import { bootstrapPolicy } from '../access/index.ts';
import type { Inside } from '../ports.ts';
import { ensure, setStatus, timeText } from './objects.ts';
import { nodeName } from './pod.ts';

/** What a cluster is born with: its namespaces, roles, node and the `kubernetes` service. Safe to call again. */
export async function bootstrapCluster(inside: Inside): Promise<void> {
  for (const name of ['default', 'kube-system', 'kube-public', 'kube-node-lease'])
    if (inside.get('', 'Namespace', '', name) === undefined)
      await ensure(inside, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  await bootstrapPolicy(inside);
  if (inside.get('', 'Service', 'default', 'kubernetes') === undefined) await ensure(inside, apiService);
  await ensureNode(inside);
}

const apiService: JsonObject = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {
    name: 'kubernetes',
    namespace: 'default',
    labels: { component: 'apiserver', provider: 'kubernetes' },
  },
  spec: {
    type: 'ClusterIP',
    clusterIP: '10.96.0.1',
    clusterIPs: ['10.96.0.1'],
    ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 6443 }],
  },
};

async function ensureNode(inside: Inside): Promise<void> {
  if (inside.get('', 'Node', '', nodeName) !== undefined) return;
  const labels = {
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/hostname': nodeName,
    'kubernetes.io/os': 'linux',
  };
  const metadata = { name: nodeName, labels };
  const node = await ensure(inside, { apiVersion: 'v1', kind: 'Node', metadata, spec: {} });
  if (node === undefined) return;
  const now = timeText(inside.now());
  const resources = { cpu: '8', memory: '16Gi', pods: '110', 'ephemeral-storage': '100Gi' };
  const condition = { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'the embedded node is ready' };
  await setStatus(inside, node, {
    capacity: resources,
    allocatable: resources,
    conditions: [{ ...condition, lastHeartbeatTime: now, lastTransitionTime: now }],
    addresses: [
      { type: 'InternalIP', address: '127.0.0.1' },
      { type: 'Hostname', address: nodeName },
    ],
    nodeInfo: {
      architecture: 'amd64',
      bootID: '',
      containerRuntimeVersion: 'embedded://1',
      kernelVersion: '',
      kubeProxyVersion: '',
      kubeletVersion: 'v1.36.3',
      machineID: '',
      operatingSystem: 'linux',
      osImage: 'embedded',
      systemUUID: '',
    },
  });
}
