import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Doc, items, text } from '../../support/raw-client.ts';
import { admin, eventually, namespace, ok } from './cluster.ts';

type Api = Awaited<ReturnType<typeof admin>>;

const template = (app: string): object => ({
  metadata: { labels: { app } },
  // A selector no node has: neither cluster starts these pods, so that both show the controllers alone.
  spec: { containers: [{ name: 'c', image: 'i' }], nodeSelector: { 'e.com/none': 'true' } },
});

async function create(
  kind: string,
  resource: string,
  spec: object,
): Promise<{ api: Api; ns: string; path: string; made: Doc }> {
  const [api, ns] = [await admin(), await namespace()];
  const base = `/apis/${resource}`.replace('NS', ns);
  const group = resource.split('/').slice(0, 2).join('/');
  const made = ok(await api.create(base, { apiVersion: group, kind, metadata: { name: 'w' }, spec }), 201);
  return { api, ns, path: `${base}/w`, made };
}

const deployment = (replicas: number) =>
  create('Deployment', 'apps/v1/namespaces/NS/deployments', {
    replicas,
    selector: { matchLabels: { app: 'w' } },
    template: template('w'),
  });

describe('workloads', { concurrency: 12 }, () => {
  test('a deployment is defaulted', async () => {
    const { made } = await create('Deployment', 'apps/v1/namespaces/NS/deployments', {
      selector: { matchLabels: { app: 'w' } },
      template: template('w'),
    });
    assert.equal(made.spec?.replicas, 1);
    assert.deepEqual(made.spec?.strategy, {
      type: 'RollingUpdate',
      rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' },
    });
    assert.equal(made.spec?.revisionHistoryLimit, 10);
    assert.equal(made.spec?.progressDeadlineSeconds, 600);
    assert.equal(made.metadata?.generation, 1);
    const pod = made.spec?.template?.spec;
    assert.equal(pod?.restartPolicy, 'Always');
    assert.equal(pod?.dnsPolicy, 'ClusterFirst');
    assert.equal(pod?.terminationGracePeriodSeconds, 30);
    assert.equal(pod?.schedulerName, 'default-scheduler');
    const container = items(pod?.containers)[0];
    assert.equal(container?.imagePullPolicy, 'Always');
    assert.equal(container?.terminationMessagePath, '/dev/termination-log');
    assert.deepEqual(container?.resources, {});
  });

  test('a deployment makes a replica set that it controls', async () => {
    const { api, ns, made } = await deployment(0);
    const set = await eventually(async () => {
      const found = items(ok(await api.get(`/apis/apps/v1/namespaces/${ns}/replicasets`)).items);
      assert.equal(found.length, 1);
      return found[0];
    });
    const hash = text(set?.metadata?.labels?.['pod-template-hash']);
    assert.equal(set?.metadata?.name, `w-${hash}`);
    assert.equal(set?.metadata?.labels?.app, 'w');
    assert.deepEqual(set?.metadata?.ownerReferences, [
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        name: 'w',
        uid: made.metadata?.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    assert.equal(set?.metadata?.annotations?.['deployment.kubernetes.io/revision'], '1');
    assert.deepEqual(set?.spec?.selector, { matchLabels: { app: 'w', 'pod-template-hash': hash } });
  });

  test('a deployment says which generation it has seen', async () => {
    const { api, path } = await deployment(0);
    await eventually(async () => {
      const got = ok(await api.get(path));
      assert.equal(got.status?.observedGeneration, 1);
      assert.equal(got.metadata?.annotations?.['deployment.kubernetes.io/revision'], '1');
    });
  });

  test('a deployment of nothing is available', async () => {
    const { api, path } = await deployment(0);
    await eventually(async () => {
      const conditions = Object.fromEntries(
        items(ok(await api.get(path)).status?.conditions).map((c) => [text(c.type), c]),
      );
      assert.equal(conditions['Available']?.status, 'True');
      assert.equal(conditions['Available']?.reason, 'MinimumReplicasAvailable');
      assert.equal(conditions['Progressing']?.status, 'True');
      assert.equal(conditions['Progressing']?.reason, 'NewReplicaSetAvailable');
    });
  });

  test('a new template makes a second replica set and a second revision', async () => {
    const { api, ns, path } = await deployment(0);
    await eventually(async () => assert.equal(ok(await api.get(path)).status?.observedGeneration, 1));
    ok(await api.strategicPatch(path, { spec: { template: { spec: { containers: [{ name: 'c', image: 'j' }] } } } }));
    await eventually(async () => {
      const sets = items(ok(await api.get(`/apis/apps/v1/namespaces/${ns}/replicasets`)).items);
      assert.deepEqual(
        sets.map((set) => text(set.metadata?.annotations?.['deployment.kubernetes.io/revision'])).sort(),
        ['1', '2'],
      );
      assert.equal(ok(await api.get(path)).metadata?.annotations?.['deployment.kubernetes.io/revision'], '2');
    });
  });

  test('deleting a deployment takes its replica sets along', async () => {
    const { api, ns, path } = await deployment(0);
    const sets = `/apis/apps/v1/namespaces/${ns}/replicasets`;
    await eventually(async () => assert.equal(items(ok(await api.get(sets)).items).length, 1));
    ok(await api.delete(path));
    await eventually(async () => assert.equal(items(ok(await api.get(sets)).items).length, 0));
  });

  test('a replica set makes its pods, owned and named after it', async () => {
    const { api, ns } = await deployment(2);
    const pods = await eventually(async () => {
      const found = items(ok(await api.get(`/api/v1/namespaces/${ns}/pods`)).items);
      assert.equal(found.length, 2);
      return found;
    });
    const set = items(ok(await api.get(`/apis/apps/v1/namespaces/${ns}/replicasets`)).items)[0];
    for (const pod of pods) {
      assert.match(text(pod.metadata?.name), new RegExp(`^${text(set?.metadata?.name)}-[a-z0-9]{5}$`));
      assert.equal(items(pod.metadata?.ownerReferences)[0]?.uid, set?.metadata?.uid);
      assert.equal(pod.metadata?.labels?.app, 'w');
      assert.equal(pod.status?.phase, 'Pending');
      assert.equal(pod.spec?.serviceAccountName, 'default');
    }
  });

  test('scaling down removes pods, scaling to zero all', async () => {
    const { api, ns, path } = await deployment(3);
    const count = async (): Promise<number> => items(ok(await api.get(`/api/v1/namespaces/${ns}/pods`)).items).length;
    await eventually(async () => assert.equal(await count(), 3));
    ok(await api.mergePatch(`${path}/scale`, { spec: { replicas: 0 } }));
    await eventually(async () => assert.equal(await count(), 0));
  });

  test('a deleted pod is replaced', async () => {
    const { api, ns } = await deployment(1);
    const pods = `/api/v1/namespaces/${ns}/pods`;
    const list = async (): Promise<Doc[]> => items(ok(await api.get(pods)).items);
    await eventually(async () => assert.equal((await list()).length, 1));
    const first = (await list())[0]?.metadata;
    ok(await api.delete(`${pods}/${text(first?.name)}`, { body: { gracePeriodSeconds: 0 } }));
    await eventually(async () => {
      const now = await list();
      assert.equal(now.length, 1);
      assert.notEqual(now[0]?.metadata?.uid, first?.uid);
    });
  });

  test('a paused deployment makes no new replica set', async () => {
    const { api, ns, path } = await deployment(0);
    await eventually(async () => assert.equal(ok(await api.get(path)).status?.observedGeneration, 1));
    ok(await api.mergePatch(path, { spec: { paused: true } }));
    const patched = ok(
      await api.strategicPatch(path, { spec: { template: { spec: { containers: [{ name: 'c', image: 'j' }] } } } }),
    );
    await eventually(async () =>
      assert.equal(ok(await api.get(path)).status?.observedGeneration, patched.metadata?.generation),
    );
    assert.equal(items(ok(await api.get(`/apis/apps/v1/namespaces/${ns}/replicasets`)).items).length, 1);
  });

  test('a stateful set numbers its pods', async () => {
    const spec = { replicas: 1, serviceName: 's', selector: { matchLabels: { app: 'w' } }, template: template('w') };
    const { api, ns } = await create('StatefulSet', 'apps/v1/namespaces/NS/statefulsets', spec);
    const pod = await eventually(async () => ok(await api.get(`/api/v1/namespaces/${ns}/pods/w-0`)));
    assert.equal(pod.metadata?.labels?.['statefulset.kubernetes.io/pod-name'], 'w-0');
    assert.equal(pod.metadata?.labels?.['apps.kubernetes.io/pod-index'], '0');
  });

  test('a job gets its selector, its labels and a pod', async () => {
    const job = {
      template: {
        spec: {
          restartPolicy: 'Never',
          nodeSelector: { 'e.com/none': 'true' },
          containers: [{ name: 'c', image: 'i' }],
        },
      },
    };
    const { api, ns, made } = await create('Job', 'batch/v1/namespaces/NS/jobs', job);
    assert.equal(made.spec?.completions, 1);
    assert.equal(made.spec?.parallelism, 1);
    assert.equal(made.spec?.backoffLimit, 6);
    assert.deepEqual(made.spec?.selector, {
      matchLabels: { 'batch.kubernetes.io/controller-uid': made.metadata?.uid },
    });
    const pod = await eventually(async () => {
      const found = items(ok(await api.get(`/api/v1/namespaces/${ns}/pods`)).items);
      assert.equal(found.length, 1);
      return found[0];
    });
    assert.equal(pod?.metadata?.labels?.['batch.kubernetes.io/job-name'], 'w');
    assert.equal(pod?.metadata?.labels?.['job-name'], 'w');
  });

  test('a service gets a cluster address and keeps it', async () => {
    const [api, ns] = [await admin(), await namespace()];
    const base = `/api/v1/namespaces/${ns}/services`;
    const made = ok(await api.create(base, { metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } }), 201);
    assert.match(text(made.spec?.clusterIP), /^\d+\.\d+\.\d+\.\d+$/);
    assert.deepEqual(made.spec?.clusterIPs, [made.spec?.clusterIP]);
    assert.equal(made.spec?.type, 'ClusterIP');
    assert.deepEqual(items(made.spec?.ports)[0], { protocol: 'TCP', port: 80, targetPort: 80 });
    const put = ok(await api.put(`${base}/s`, { ...made, spec: { ports: [{ port: 81 }] } }));
    assert.equal(put.spec?.clusterIP, made.spec?.clusterIP);
  });

  test('a pod without a service account gets the default one', async () => {
    const [api, ns] = [await admin(), await namespace()];
    await eventually(async () => ok(await api.get(`/api/v1/namespaces/${ns}/serviceaccounts/default`)));
    const spec = { containers: [{ name: 'c', image: 'i' }], nodeSelector: { 'e.com/none': 'true' } };
    const made = ok(await api.create(`/api/v1/namespaces/${ns}/pods`, { metadata: { name: 'p' }, spec }), 201);
    assert.equal(made.spec?.serviceAccountName, 'default');
    assert.equal(made.status?.phase, 'Pending');
    assert.equal(made.status?.qosClass, 'BestEffort');
  });

  test('a pod of a service account that is not there is refused', async () => {
    const [api, ns] = [await admin(), await namespace()];
    const spec = { containers: [{ name: 'c', image: 'i' }], serviceAccountName: 'ghost' };
    const answer = await api.create(`/api/v1/namespaces/${ns}/pods`, { metadata: { name: 'p' }, spec });
    assert.equal(answer.status, 403, answer.text);
    assert.equal(
      answer.body.message,
      `pods "p" is forbidden: error looking up service account ${ns}/ghost: serviceaccount "ghost" not found`,
    );
  });
});
