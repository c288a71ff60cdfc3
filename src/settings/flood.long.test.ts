import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startRealCluster } from '../../test/support/real-cluster.ts';
import { connect, controlDoor, eventWriter, secrets } from '../kube/index.ts';
import { createMetrics, silentLogger } from '../telemetry/index.ts';
import { settingsReport, watchSettings } from './index.ts';
import { heldBytes } from './testdata/heap.ts';

const used = (): number => heldBytes() / 1024 / 1024;

const total = 10_000;

test('T-100: ten thousand bad Secrets on a real API server cost at most 64 MiB and delay no neighbour', async () => {
  const cluster = await startRealCluster({ controllers: false, audit: false });
  const credential = { type: 'token', token: cluster.adminToken } as const;
  const connection = connect({ server: cluster.url, caData: Buffer.from(cluster.ca), credential });
  const door = controlDoor(connection);
  try {
    await cluster.kubectl(['apply', '-f', 'deploy/crds']);
    await cluster.kubectl(['wait', '--for=condition=Established', '--timeout=60s', 'crd/appprojects.argoproj.io']);
    for (const name of ['argocd', 'tenant-a', 'tenant-b']) await cluster.kubectl(['create', 'namespace', name]);
    const bad = (namespace: string, name: string) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name,
        namespace,
        labels: { 'argocd.argoproj.io/secret-type': 'cluster' },
        annotations: { a: name.repeat(100) },
      },
      stringData: { server: `https://${name}.example.com`, config: JSON.stringify({ bearerToken: name.repeat(100) }) },
    });
    let next = 0;
    const create = async (): Promise<void> => {
      while (next < total) await door.create(secrets, bad('tenant-a', `bad-${next++}`));
    };
    await Promise.all(Array.from({ length: 40 }, create));

    const before = used();
    const events = eventWriter(door, { component: 'argosy', now: Date.now });
    const report = settingsReport({ events, logger: silentLogger, metrics: createMetrics() });
    const installation = { controlPlane: 'argocd', appNamespaces: ['tenant-a', 'tenant-b'] };
    const settings = watchSettings({ reader: door, installation, report });
    const snapshot = await settings.ready;
    assert.equal(snapshot.clusters.filter(({ acceptance }) => acceptance.accepted).length, 0);
    const cost = used() - before;
    assert.ok(cost <= 64, `${cost.toFixed(1)} MiB`);

    // The neighbour's refusal does not queue behind ten thousand others.
    await door.create(secrets, bad('tenant-b', 'mine'));
    let found = '';
    for (let tries = 0; tries < 200 && found === ''; tries++) {
      found = (await cluster.kubectl(['get', 'events', '-n', 'tenant-b', '-o', 'name'])).stdout;
      await sleep(50);
    }
    const { stdout } = await cluster.kubectl(['get', 'events', '-n', 'tenant-a', '-o', 'name']);
    assert.notEqual(found, '');
    assert.ok(stdout.split('\n').length < total, 'while the flood is still being told');
    await settings.stop();
  } finally {
    await connection.close();
    await cluster.stop();
  }
});
