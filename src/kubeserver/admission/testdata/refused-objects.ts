import type { JsonObject } from '../../../core/json/index.ts';

/** The messages below were said by a kube-apiserver 1.36 to the same bodies. */
const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const namePart =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const value =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

export const container = { name: 'a', image: 'x' };
export const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } };
export const selector = { matchLabels: { a: 'b' } };
export const rbac = 'rbac.authorization.k8s.io';

/** Kind.group, body (a name is added), message. */
export const refused: [string, JsonObject, string][] = [
  [
    'ConfigMap.',
    { metadata: { name: 'A_b' } },
    `ConfigMap "A_b" is invalid: metadata.name: Invalid value: "A_b": ${subdomain}`,
  ],
  [
    'ConfigMap.',
    { metadata: {} },
    'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
  ],
  [
    'ConfigMap.',
    { metadata: { name: 'a', labels: { 'a b': 'x', ok: 'bad value!' } } },
    `ConfigMap "a" is invalid: [metadata.labels: Invalid value: "a b": ${namePart}, metadata.labels: Invalid value: "bad value!": ${value}]`,
  ],
  [
    'ConfigMap.',
    {
      metadata: {
        name: 'a',
        finalizers: ['bad'],
        ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: '', uid: '' }],
      },
    },
    'ConfigMap "a" is invalid: [metadata.ownerReferences.name: Invalid value: "": must not be empty, metadata.ownerReferences.uid: Invalid value: "": must not be empty, metadata.finalizers[0]: Invalid value: "bad": name is neither a standard finalizer name nor is it fully qualified]',
  ],
  [
    'ConfigMap.',
    { data: { 'bad key': 'x' } },
    `ConfigMap "d" is invalid: data[bad key]: Invalid value: "bad key": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')`,
  ],
  [
    'ConfigMap.',
    { metadata: { name: 'x', finalizers: ['orphan', 'foregroundDeletion'] } },
    'ConfigMap "x" is invalid: metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
  ],
  [
    'ConfigMap.',
    { data: { a: 'x' }, binaryData: { a: 'eA==' } },
    'ConfigMap "d" is invalid: data[a]: Invalid value: "a": duplicate of key present in binaryData',
  ],
  [
    'Namespace.',
    { metadata: { name: 'Bad.ns' } },
    `Namespace "Bad.ns" is invalid: metadata.name: Invalid value: "Bad.ns": ${label}`,
  ],
  ['Service.', { spec: {} }, 'Service "d" is invalid: spec.ports: Required value'],
  [
    'Service.',
    {
      spec: {
        ports: [
          { port: 0, targetPort: 0 },
          { port: 70000, targetPort: 70000, name: 'a' },
        ],
      },
    },
    'Service "d" is invalid: [spec.ports[0].name: Required value, spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive, spec.ports[0].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive, spec.ports[1].port: Invalid value: 70000: must be between 1 and 65535, inclusive, spec.ports[1].targetPort: Invalid value: 70000: must be between 1 and 65535, inclusive]',
  ],
  [
    'Service.',
    { spec: { type: 'Foo', ports: [{ port: 80, protocol: 'X' }] } },
    'Service "d" is invalid: [spec.ports[0].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP", spec.type: Unsupported value: "Foo": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"]',
  ],
  [
    'Service.',
    { spec: { clusterIP: '1.2.3.4', ports: [{ port: 80 }] } },
    'Service "d" is invalid: spec.clusterIPs: Invalid value: ["1.2.3.4"]: failed to allocate IP 1.2.3.4: the provided network does not match the current range',
  ],
  [
    'Service.',
    { spec: { type: 'NodePort', ports: [{ port: 80, nodePort: 80 }] } },
    'Service "d" is invalid: spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767',
  ],
  ['Service.', { spec: { type: 'ExternalName' } }, 'Service "d" is invalid: spec.externalName: Required value'],
  ['Pod.', { spec: { containers: [] } }, 'Pod "d" is invalid: spec.containers: Required value'],
  [
    'Pod.',
    {
      spec: {
        containers: [
          { name: 'A', image: '' },
          { name: 'b' },
          {
            name: 'b',
            image: 'x',
            ports: [{ containerPort: 0 }, { containerPort: 99999 }],
            volumeMounts: [{ name: 'v', mountPath: '/x' }],
            imagePullPolicy: 'Foo',
            resources: { requests: { cpu: '2' }, limits: { cpu: '1' } },
          },
        ],
        restartPolicy: 'Foo',
      },
    },
    `Pod "d" is invalid: [spec.containers[0].name: Invalid value: "A": ${label}, spec.containers[0].image: Required value, spec.containers[1].image: Required value, spec.containers[2].ports[0].containerPort: Required value, spec.containers[2].ports[1].containerPort: Invalid value: 99999: must be between 1 and 65535, inclusive, spec.containers[2].volumeMounts[0].name: Not found: "v", spec.containers[2].imagePullPolicy: Unsupported value: "Foo": supported values: "Always", "IfNotPresent", "Never", spec.containers[2].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1, spec.containers[2].name: Duplicate value: "b", spec.restartPolicy: Unsupported value: "Foo": supported values: "Always", "OnFailure", "Never"]`,
  ],
  [
    'Pod.',
    { spec: { containers: [{ ...container, resources: { limits: { cpu: 'abc' } } }] } },
    'Pod in version "v1" cannot be handled as a Pod: quantities must match the regular expression \'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$\'',
  ],
  [
    'Pod.',
    { spec: { serviceAccountName: 'nope', containers: [container] } },
    'pods "d" is forbidden: error looking up service account n/nope: serviceaccount "nope" not found',
  ],
  [
    'Deployment.apps',
    { spec: { template } },
    'Deployment.apps "d" is invalid: [spec.selector: Required value, spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`]',
  ],
  [
    'Deployment.apps',
    { spec: { selector: { matchLabels: { a: 'c' } }, template } },
    'Deployment.apps "d" is invalid: spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
  ],
  [
    'Deployment.apps',
    { spec: { replicas: -1, selector: {}, template: { metadata: { labels: { a: 'b' } }, spec: { containers: [] } } } },
    'Deployment.apps "d" is invalid: [spec.replicas: Invalid value: -1: must be greater than or equal to 0, spec.selector: Invalid value: {}: empty selector is invalid for deployment, spec.template.spec.containers: Required value]',
  ],
  [
    'Deployment.apps',
    { spec: { selector, template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } } } },
    'Deployment.apps "d" is invalid: spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
  ],
  [
    'Deployment.apps',
    { spec: { selector, template, strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } } },
    'Deployment.apps "d" is invalid: spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is \'Recreate\'',
  ],
  [
    'Deployment.apps',
    { spec: { selector, template, strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } } },
    'Deployment.apps "d" is invalid: spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0',
  ],
  [
    'StatefulSet.apps',
    { metadata: { name: 'a.b' }, spec: { selector, template } },
    'StatefulSet.apps "a.b" is invalid: metadata.name: Invalid value: "a.b": must not contain dots',
  ],
  [
    'Job.batch',
    { spec: { template: { spec: { containers: [container] } } } },
    'Job.batch "d" is invalid: spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
  ],
  [
    'CronJob.batch',
    {
      spec: {
        schedule: 'bad',
        jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } } } },
      },
    },
    'CronJob.batch "d" is invalid: spec.schedule: Invalid value: "bad": expected exactly 5 fields, found 1: [bad]',
  ],
  [
    'PersistentVolumeClaim.',
    { spec: {} },
    'PersistentVolumeClaim "d" is invalid: [spec.accessModes: Required value: at least 1 access mode is required, spec.resources[storage]: Required value]',
  ],
  [
    'PersistentVolumeClaim.',
    { spec: { accessModes: ['Foo'], resources: { requests: { storage: '-1Gi' } } } },
    'PersistentVolumeClaim "d" is invalid: [spec.accessModes: Unsupported value: "Foo": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod", spec.resources[storage]: Invalid value: "-1Gi": must be greater than zero]',
  ],
  [
    'Secret.',
    { type: 'kubernetes.io/tls', data: {} },
    'Secret "d" is invalid: [data[tls.crt]: Required value, data[tls.key]: Required value]',
  ],
  [
    'Secret.',
    { type: 'kubernetes.io/service-account-token' },
    'Secret "d" is invalid: metadata.annotations[kubernetes.io/service-account.name]: Required value',
  ],
  [
    'Ingress.networking.k8s.io',
    { spec: {} },
    'Ingress.networking.k8s.io "d" is invalid: spec: Invalid value: null: either `defaultBackend` or `rules` must be specified',
  ],
  [
    `ClusterRoleBinding.${rbac}`,
    {
      metadata: { name: 'Bad' },
      roleRef: { apiGroup: rbac, kind: 'Foo' },
      subjects: [{ kind: 'User' }, { kind: 'ServiceAccount', name: 'x' }, { kind: 'Bar', name: 'x' }],
    },
    `ClusterRoleBinding.${rbac} "Bad" is invalid: [roleRef.kind: Unsupported value: "Foo": supported values: "ClusterRole", roleRef.name: Required value, subjects[0].name: Required value, subjects[1].namespace: Required value, subjects[2].kind: Unsupported value: "Bar": supported values: "ServiceAccount", "User", "Group"]`,
  ],
  [
    `Role.${rbac}`,
    { rules: [{ apiGroups: [''], resources: ['pods'] }, { verbs: ['get'] }] },
    `Role.${rbac} "d" is invalid: [rules[0].verbs: Required value: verbs must contain at least one value, rules[1].apiGroups: Required value: resource rules must supply at least one api group, rules[1].resources: Required value: resource rules must supply at least one resource]`,
  ],
  [
    'Event.',
    { metadata: { name: 'e', namespace: 'n' }, involvedObject: { namespace: 'other' } },
    'Event "e" is invalid: involvedObject.namespace: Invalid value: "other": does not match event.namespace',
  ],
];
