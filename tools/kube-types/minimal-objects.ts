import type { JsonObject } from '../../src/core/json/index.ts';

/** What is recorded from a real API server: an object as little as one may say, and what is stored of it. */
export interface MinimalObject {
  readonly title: string;
  readonly object: JsonObject;
}

const container = { name: 'main', image: 'nginx' };
const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [container] } };
const selector = { matchLabels: { app: 'a' } };
const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };

function make(apiVersion: string, kind: string, rest: JsonObject, title = 'as little as possible'): MinimalObject {
  return {
    title: `${kind}: ${title}`,
    object: { apiVersion, kind, metadata: { name: 'example', namespace: 'default' }, ...rest },
  };
}

function clusterWide(apiVersion: string, kind: string, rest: JsonObject, title?: string): MinimalObject {
  const { title: full, object } = make(apiVersion, kind, rest, title);
  return { title: full, object: { ...object, metadata: { name: 'example' } } };
}

const pods: readonly MinimalObject[] = [
  make('v1', 'Pod', { spec: { containers: [container] } }),
  make(
    'v1',
    'Pod',
    {
      spec: {
        serviceAccountName: 'robot',
        hostNetwork: true,
        initContainers: [{ name: 'first', image: 'nginx:1.27' }],
        containers: [
          {
            name: 'main',
            image:
              'registry.example:5000/nginx@sha256:9b7cc10a1e9ba1d9a5b0a0a5b9cf9f3d7a4ab1c6a4ab1c6a4ab1c6a4ab1c6a4a',
            ports: [{ containerPort: 80 }, { containerPort: 53, protocol: 'UDP' }],
            livenessProbe: { httpGet: { port: 80 } },
            readinessProbe: { tcpSocket: { port: 80 }, periodSeconds: 5 },
            startupProbe: { exec: { command: ['true'] } },
            lifecycle: { preStop: { httpGet: { port: 80 } } },
            env: [
              { name: 'NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
              { name: 'KEY', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
            ],
            resources: { limits: { cpu: '1', memory: '64Mi' } },
            volumeMounts: [{ name: 'config', mountPath: '/config' }],
          },
          { name: 'second', image: 'nginx:latest', livenessProbe: { grpc: { port: 90 } } },
        ],
        volumes: [
          { name: 'config', configMap: { name: 'c' } },
          { name: 'secret', secret: { secretName: 's' } },
          { name: 'empty', emptyDir: {} },
          { name: 'nothing' },
          { name: 'host', hostPath: { path: '/tmp' } },
          { name: 'down', downwardAPI: { items: [{ path: 'l', fieldRef: { fieldPath: 'metadata.labels' } }] } },
          {
            name: 'all',
            projected: {
              sources: [
                { serviceAccountToken: { path: 't' } },
                { configMap: { name: 'c' } },
                { downwardAPI: { items: [{ path: 'n', fieldRef: { fieldPath: 'metadata.name' } }] } },
              ],
            },
          },
          { name: 'claimed', persistentVolumeClaim: { claimName: 'c' } },
          { name: 'fresh', ephemeral: { volumeClaimTemplate: { spec: claim } } },
        ],
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: selector },
        ],
        tolerations: [{ key: 'a', operator: 'Exists' }],
        securityContext: { runAsUser: 1 },
      },
    },
    'with all that has defaults',
  ),
  make(
    'v1',
    'Pod',
    {
      spec: {
        serviceAccountName: 'robot',
        containers: [
          {
            ...container,
            livenessProbe: { httpGet: { port: 80, path: '/x', scheme: 'HTTPS' } },
            resources: { requests: { cpu: 0.5, memory: 1024 } },
          },
        ],
        volumes: [
          { name: 'iscsi', iscsi: { targetPortal: '1.2.3.4:3260', iqn: 'iqn.2000-01.com.example:a', lun: 0 } },
          { name: 'rbd', rbd: { monitors: ['a'], image: 'i' } },
          { name: 'disk', azureDisk: { diskName: 'd', diskURI: 'https://blob/d' } },
          { name: 'io', scaleIO: { gateway: 'g', system: 's', secretRef: { name: 's' }, volumeName: 'v' } },
        ],
      },
    },
    'with a service account, numbers as quantities and old volumes',
  ),
];

const workloads: readonly MinimalObject[] = [
  make('apps/v1', 'Deployment', { spec: { selector, template } }),
  make(
    'apps/v1',
    'Deployment',
    { spec: { selector, template, strategy: { type: 'Recreate' }, replicas: 0 } },
    'recreated',
  ),
  make(
    'apps/v1',
    'Deployment',
    { spec: { selector, template, strategy: { rollingUpdate: { maxSurge: 1 } } } },
    'rolling, half said',
  ),
  make('apps/v1', 'StatefulSet', {
    spec: { selector, template, serviceName: 's', volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claim }] },
  }),
  make(
    'apps/v1',
    'StatefulSet',
    { spec: { selector, template, serviceName: 's', updateStrategy: { type: 'OnDelete' } } },
    'updated on delete',
  ),
  make('apps/v1', 'DaemonSet', { spec: { selector, template } }),
  make(
    'apps/v1',
    'DaemonSet',
    { spec: { selector, template, updateStrategy: { type: 'OnDelete' } } },
    'updated on delete',
  ),
  make('apps/v1', 'ReplicaSet', { spec: { selector, template } }),
  make('v1', 'ReplicationController', { spec: { template } }),
  make('batch/v1', 'Job', { spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } } } }),
  make(
    'batch/v1',
    'Job',
    { spec: { completions: 3, template: { spec: { restartPolicy: 'OnFailure', containers: [container] } } } },
    'with completions',
  ),
  make(
    'batch/v1',
    'Job',
    {
      spec: {
        parallelism: 3,
        completionMode: 'Indexed',
        completions: 3,
        backoffLimitPerIndex: 1,
        template: { spec: { restartPolicy: 'Never', containers: [container] } },
      },
    },
    'indexed',
  ),
  make('batch/v1', 'CronJob', {
    spec: {
      schedule: '* * * * *',
      jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } } } },
    },
  }),
  {
    title: 'PodTemplate: as little as possible',
    object: { apiVersion: 'v1', kind: 'PodTemplate', metadata: { name: 'example', namespace: 'default' }, template },
  },
];

const network: readonly MinimalObject[] = [
  make('v1', 'Service', { spec: { selector: { app: 'a' }, ports: [{ port: 80 }] } }),
  make(
    'v1',
    'Service',
    { spec: { clusterIP: 'None', selector: { app: 'a' }, ports: [{ port: 80, targetPort: 'http', name: 'a' }] } },
    'headless',
  ),
  make('v1', 'Service', { spec: { clusterIP: 'None', ports: [{ port: 80 }] } }, 'headless, without selector'),
  make(
    'v1',
    'Service',
    { spec: { type: 'NodePort', selector: { app: 'a' }, ports: [{ port: 80, nodePort: 30080 }] } },
    'on a node port',
  ),
  make(
    'v1',
    'Service',
    { spec: { type: 'LoadBalancer', selector: { app: 'a' }, ports: [{ port: 80, nodePort: 30081 }] } },
    'load balanced',
  ),
  make('v1', 'Service', { spec: { type: 'ExternalName', externalName: 'example.org' } }, 'an external name'),
  make('v1', 'Service', { spec: { sessionAffinity: 'ClientIP', ports: [{ port: 80 }] } }, 'with affinity'),
  make('v1', 'Endpoints', { subsets: [{ addresses: [{ ip: '1.2.3.4' }], ports: [{ port: 80 }] }] }),
  make('discovery.k8s.io/v1', 'EndpointSlice', {
    addressType: 'IPv4',
    endpoints: [{ addresses: ['1.2.3.4'] }],
    ports: [{ port: 80 }],
  }),
  make('networking.k8s.io/v1', 'Ingress', {
    spec: {
      rules: [
        {
          http: {
            paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 's', port: { number: 80 } } } }],
          },
        },
      ],
    },
  }),
  clusterWide('networking.k8s.io/v1', 'IngressClass', { spec: { controller: 'example.com/c' } }),
  clusterWide(
    'networking.k8s.io/v1',
    'IngressClass',
    { spec: { controller: 'example.com/c', parameters: { kind: 'K', name: 'n' } } },
    'with parameters',
  ),
  make('networking.k8s.io/v1', 'NetworkPolicy', { spec: { podSelector: {} } }),
  make(
    'networking.k8s.io/v1',
    'NetworkPolicy',
    { spec: { podSelector: {}, egress: [{ ports: [{ port: 53 }] }], ingress: [{ ports: [{ port: 'http' }] }] } },
    'with egress',
  ),
  make('autoscaling/v2', 'HorizontalPodAutoscaler', {
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' }, maxReplicas: 3 },
  }),
  make(
    'autoscaling/v2',
    'HorizontalPodAutoscaler',
    {
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' },
        maxReplicas: 3,
        behavior: { scaleUp: { stabilizationWindowSeconds: 10 }, scaleDown: {} },
      },
    },
    'with behaviour',
  ),
  make(
    'autoscaling/v2',
    'HorizontalPodAutoscaler',
    {
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' },
        maxReplicas: 3,
        metrics: [
          { type: 'Resource', resource: { name: 'memory', target: { type: 'Utilization', averageUtilization: 50 } } },
        ],
      },
    },
    'with metrics',
  ),
  make(
    'autoscaling/v1',
    'HorizontalPodAutoscaler',
    { spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' }, maxReplicas: 3 } },
    'in version 1',
  ),
];

const rest: readonly MinimalObject[] = [
  clusterWide('v1', 'Namespace', {}),
  clusterWide('v1', 'Node', {}),
  make('v1', 'ConfigMap', { data: { a: 'b' } }),
  make('v1', 'Secret', { data: { a: 'Yg==' } }),
  make('v1', 'Secret', { stringData: { a: 'b' } }, 'in plain text'),
  make('v1', 'ServiceAccount', {}),
  make('v1', 'LimitRange', { spec: { limits: [{ type: 'Container', max: { cpu: '2' }, min: { cpu: '1' } }] } }),
  make('v1', 'ResourceQuota', { spec: { hard: { pods: '2' } } }),
  make('v1', 'PersistentVolumeClaim', { spec: claim }),
  clusterWide('v1', 'PersistentVolume', {
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/tmp' } },
  }),
  make('v1', 'Event', { involvedObject: { kind: 'Pod', name: 'a', namespace: 'default' }, reason: 'r', message: 'm' }),
  clusterWide('storage.k8s.io/v1', 'StorageClass', { provisioner: 'example.com/p' }),
  clusterWide('storage.k8s.io/v1', 'CSIDriver', { spec: {} }),
  make('policy/v1', 'PodDisruptionBudget', { spec: { selector, minAvailable: 1 } }),
  clusterWide('scheduling.k8s.io/v1', 'PriorityClass', { value: 1 }),
  make('rbac.authorization.k8s.io/v1', 'Role', { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] }),
  make('rbac.authorization.k8s.io/v1', 'RoleBinding', {
    roleRef: { kind: 'Role', name: 'r', apiGroup: 'rbac.authorization.k8s.io' },
    subjects: [
      { kind: 'ServiceAccount', name: 'a', namespace: 'default' },
      { kind: 'User', name: 'u' },
      { kind: 'Group', name: 'g' },
    ],
  }),
  clusterWide('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', {
    roleRef: { kind: 'ClusterRole', name: 'r' },
    subjects: [{ kind: 'User', name: 'u' }],
  }),
  clusterWide('rbac.authorization.k8s.io/v1', 'ClusterRole', {}),
  make('coordination.k8s.io/v1', 'Lease', { spec: {} }),
  clusterWide('node.k8s.io/v1', 'RuntimeClass', { handler: 'h' }),
  clusterWide('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', {
    webhooks: [
      {
        name: 'a.example.com',
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        clientConfig: { service: { name: 's', namespace: 'n' } },
        rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
      },
    ],
  }),
  clusterWide('admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration', {
    webhooks: [
      {
        name: 'a.example.com',
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        clientConfig: { url: 'https://example.org' },
        rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
      },
    ],
  }),
  {
    title: 'CustomResourceDefinition: as little as possible',
    object: {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'things.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'things', kind: 'Thing' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    },
  },
];

/** The objects whose defaults are recorded. */
export const minimalObjects: readonly MinimalObject[] = [...pods, ...workloads, ...network, ...rest];
