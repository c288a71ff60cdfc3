import assert from 'node:assert/strict';
import { test } from 'node:test';
import { embeddedInside } from '../../../test/support/embedded-inside.ts';
import type { Json, JsonObject, MutableJsonObject } from '../../core/json/index.ts';
import { objectAt, stringAt, thaw } from '../../core/json/index.ts';
import type { KubeObject } from '../../core/objects/index.ts';
import { parseRequest } from '../access/index.ts';
import { type Admission, type Inside, type ResourceInfo, StatusError } from '../ports.ts';
import { each } from './cause.ts';
import { namespaceLifecycle } from './namespaces.ts';
import { prepareNew } from './prepare.ts';
import { serviceAddresses } from './service-addresses.ts';
import { validateObjects } from './validate.ts';

/** The messages below were said by a kube-apiserver 1.36 to the same bodies. */
const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const namePart =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const value =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

const container = { name: 'a', image: 'x' };
const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } };
const selector = { matchLabels: { a: 'b' } };
const rbac = 'rbac.authorization.k8s.io';

/** Kind.group, body (a name is added), message. */
const refused: [string, JsonObject, string][] = [
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

interface Asked {
  readonly inside: Inside;
  readonly steps: readonly Admission[];
}

async function cluster(): Promise<Asked> {
  const inside = await embeddedInside();
  await inside.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } });
  await inside.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: 'n' } });
  return {
    inside,
    steps: [namespaceLifecycle(inside), prepareNew(inside), validateObjects(), serviceAddresses(inside)],
  };
}

function resourceOf(inside: Inside, key: string): ResourceInfo {
  const [kind = '', ...group] = key.split('.');
  return inside.resourceFor(group.join('.'), kind) ?? assert.fail(`no ${key}`);
}

async function admit({ inside, steps }: Asked, key: string, body: JsonObject, old?: JsonObject): Promise<JsonObject> {
  const resource = resourceOf(inside, key);
  const object: MutableJsonObject = thaw({ metadata: { name: 'd' }, ...body });
  const name = stringAt(objectAt(object, 'metadata'), 'name') ?? '';
  const prefix = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  const space = resource.namespaced ? '/namespaces/n' : '';
  const url = `${prefix}${space}/${resource.plural}${old === undefined ? '' : `/${name}`}`;
  const request = {
    operation: old === undefined ? ('CREATE' as const) : ('UPDATE' as const),
    info: parseRequest(old === undefined ? 'POST' : 'PUT', url),
    resource,
    user: { name: 'admin', uid: '', groups: ['system:masters'], extra: {} },
    object,
    old: old as unknown as KubeObject | undefined,
    dryRun: false,
  };
  for (const step of steps) await step.mutate?.(request);
  for (const step of steps) await step.validate?.(request);
  return object;
}

async function refusal(action: Promise<unknown>): Promise<StatusError['status']> {
  try {
    await action;
  } catch (error) {
    if (error instanceof StatusError) return error.status;
    throw error;
  }
  return assert.fail('nothing was refused');
}

for (const [key, body, message] of refused)
  test(`a wrong ${key.replace(/\.$/, '')} is refused: ${message.slice(0, 90)}`, async () => {
    assert.equal((await refusal(admit(await cluster(), key, body))).message, message);
  });

/** Kind.group, what is stored, what is sent, message. */
const unchangeable: [string, JsonObject, { readonly [key: string]: Json }, string][] = [
  [
    'ConfigMap.',
    { immutable: true, data: { a: 'b' } },
    { immutable: true, data: { a: 'c' } },
    'ConfigMap "d" is invalid: data: Forbidden: field is immutable when `immutable` is set',
  ],
  [
    'ConfigMap.',
    { immutable: true, data: { a: 'b' } },
    { data: { a: 'b' } },
    'ConfigMap "d" is invalid: immutable: Forbidden: field is immutable when `immutable` is set',
  ],
  ['Secret.', { type: 'Opaque' }, { type: 'x' }, 'Secret "d" is invalid: type: Invalid value: "x": field is immutable'],
  [
    'Service.',
    { spec: { clusterIP: '10.96.0.9', clusterIPs: ['10.96.0.9'], ports: [{ port: 1 }] } },
    { spec: { clusterIP: '10.96.0.77', clusterIPs: ['10.96.0.9'], ports: [{ port: 1 }] } },
    'Service "d" is invalid: spec.clusterIPs[0]: Invalid value: ["10.96.0.77"]: may not change once set',
  ],
  [
    'Deployment.apps',
    { spec: { selector: { matchLabels: { c: 'd' } }, template } },
    { spec: { selector, template } },
    'Deployment.apps "d" is invalid: spec.selector: Invalid value: {"matchLabels":{"a":"b"}}: field is immutable',
  ],
  [
    'StatefulSet.apps',
    { spec: { selector, template } },
    { spec: { selector, template, serviceName: 'x' } },
    "StatefulSet.apps \"d\" is invalid: spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
  ],
  [
    `ClusterRoleBinding.${rbac}`,
    { roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'a' } },
    { roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'b' } },
    `ClusterRoleBinding.${rbac} "d" is invalid: roleRef: Invalid value: {"APIGroup":"${rbac}","Kind":"ClusterRole","Name":"b"}: cannot change roleRef`,
  ],
];

for (const [key, old, body, message] of unchangeable)
  test(`a ${key.replace(/\.$/, '')} keeps what is settled: ${message.slice(0, 80)}`, async () => {
    const stored = { metadata: { name: 'd', namespace: 'n' }, ...old };
    assert.equal((await refusal(admit(await cluster(), key, body, stored))).message, message);
  });

test('content needs a namespace that is there and stays', async () => {
  const asked = await cluster();
  const { inside } = asked;
  await inside.update('', 'Namespace', '', 'n', (object) => ({ ...object, spec: { finalizers: ['kubernetes'] } }));
  await inside.delete('', 'Namespace', '', 'n');
  assert.deepEqual(await refusal(admit(asked, 'ConfigMap.', {})), {
    code: 403,
    reason: 'Forbidden',
    message: 'configmaps "d" is forbidden: unable to create new content in namespace n because it is being terminated',
    details: {
      name: 'd',
      kind: 'configmaps',
      causes: [
        { reason: 'NamespaceTerminating', message: 'namespace n is being terminated', field: 'metadata.namespace' },
      ],
    },
  });
  await inside.update('', 'Namespace', '', 'n', (object) => ({
    ...object,
    spec: { finalizers: [] },
  }));
  assert.equal((await refusal(admit(asked, 'ConfigMap.', {}))).message, 'namespaces "n" not found');
});

test('Services get distinct addresses and node ports', async () => {
  const asked = await cluster();
  const made = new Set<unknown>();
  for (let index = 0; index < 20; index += 1) {
    const body = { metadata: { name: `s${index}`, namespace: 'n' }, spec: { type: 'NodePort', ports: [{ port: 80 }] } };
    const service = await admit(asked, 'Service.', body);
    await asked.inside.create({ apiVersion: 'v1', kind: 'Service', ...service } as unknown as KubeObject);
    const spec = objectAt(service, 'spec');
    made.add(spec?.['clusterIP']).add(each(spec?.['ports'], '')[0]?.item['nodePort']);
  }
  assert.equal(made.size, 40);
  const ip = [...made][0] as string;
  assert.match(
    (await refusal(admit(asked, 'Service.', { spec: { clusterIP: ip, ports: [{ port: 1 }] } }))).message,
    /already allocated$/,
  );
});

test('a Job selects its pods by its uid', async () => {
  const spec = { template: { spec: { restartPolicy: 'Never', containers: [container] } } };
  const job = await admit(await cluster(), 'Job.batch', { spec });
  const uid = stringAt(job, 'metadata', 'uid');
  assert.equal(stringAt(job, 'spec', 'selector', 'matchLabels', 'batch.kubernetes.io/controller-uid'), uid);
  assert.equal(stringAt(job, 'spec', 'template', 'metadata', 'labels', 'job-name'), 'd');
});

test('a StatefulSet may mount the volumes of its claim templates', async () => {
  const mounting = { ...container, volumeMounts: [{ name: 'data', mountPath: '/d' }] };
  const volumeClaimTemplates = [{ metadata: { name: 'data' } }];
  const pods = { ...template, spec: { containers: [mounting] } };
  await admit(await cluster(), 'StatefulSet.apps', { spec: { selector, template: pods, volumeClaimTemplates } });
});

test('a pod gets its account and the account’s token, unless it declines', async () => {
  const asked = await cluster();
  const pod = await admit(asked, 'Pod.', { spec: { containers: [container] } });
  assert.equal(stringAt(pod, 'spec', 'serviceAccountName'), 'default');
  const [mount] = each(each(objectAt(pod, 'spec')?.['containers'], '')[0]?.item['volumeMounts'], '');
  assert.equal(mount?.item['mountPath'], '/var/run/secrets/kubernetes.io/serviceaccount');
  assert.equal(each(objectAt(pod, 'spec')?.['volumes'], '')[0]?.item['name'], mount?.item['name']);
  const plain = await admit(asked, 'Pod.', { spec: { containers: [container], automountServiceAccountToken: false } });
  assert.equal(objectAt(plain, 'spec')?.['volumes'], undefined);
});

test('the finalizers of a namespace are let go by nobody but the cluster itself', async () => {
  const asked = await cluster();
  const old = { metadata: { name: 'x' }, spec: { finalizers: ['kubernetes'] } };
  const kept = await admit(asked, 'Namespace.', { metadata: { name: 'x' }, spec: { finalizers: [] } }, old);
  assert.deepEqual(objectAt(kept, 'spec')?.['finalizers'], ['kubernetes']);
});
