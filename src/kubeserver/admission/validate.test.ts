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
import { container, rbac, refused, selector, template } from './testdata/refused-objects.ts';
import { validateObjects } from './validate.ts';

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
