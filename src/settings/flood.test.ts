import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../core/objects/index.ts';
import type { Following, FollowSink, Reader, Resource, SelectOptions } from '../kube/index.ts';
import { type SettingsReport, watchSettings } from './index.ts';
import { heldBytes } from './testdata/heap.ts';

const silent: SettingsReport = {
  invalid: () => undefined,
  rejected: () => undefined,
  unreadable: () => undefined,
  counted: () => undefined,
};

const fat = 'x'.repeat(50_000);
const encoded = (data: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, btoa(value)]));

/** What a tenant may try who tries everything: fat logins, fat annotations, many keys, no project. */
const attempts: readonly ((n: number) => Record<string, string>)[] = [
  { server: 'https://x', config: `{"bearerToken":"${fat}` },
  { server: 'https://x', config: JSON.stringify({ execProviderConfig: { command: fat } }) },
  { server: 'https://x', config: JSON.stringify({ bearerToken: fat }) },
  { server: 'https://x', config: JSON.stringify({ bearerToken: 'x', ['k'.repeat(40_000)]: 1 }) },
]
  .map((data) => encoded(data))
  .map((data) => () => data);
const smallAttempts: typeof attempts = [
  (n) => encoded({ server: 'https://x', project: `p${n}` }),
  (n) => encoded(Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`key-${n}-${i}`, 'x']))),
  (n) => encoded({ server: `https://x-${n}.example.com`, namespaces: `n${n}-1,`.repeat(300) }),
];
const all = [...attempts, ...smallAttempts];

/** The n-th bad Secret of the flood. */
function badSecret(n: number): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: `bad-${n}`,
      namespace: 'tenant-a',
      uid: `uid-${n}`,
      resourceVersion: `${n}`,
      creationTimestamp: '2026-01-02T03:04:05Z',
      labels: { 'argocd.argoproj.io/secret-type': 'cluster' },
      annotations: { note: `${n}-`.padEnd(20_000, 'x') },
    },
    data: all[n % all.length]?.(n) ?? {},
  };
}

/** Answers lists from a generator, so that whatever is still in memory afterwards is what the settings kept. */
class StreamingReader implements Pick<Reader, 'follow' | 'get'> {
  readonly sinks = new Map<string, FollowSink>();

  follow(resource: Resource, options: SelectOptions, sink: FollowSink): Following {
    const what = `${resource.plural} ${options.namespace ?? '*'} ${options.fieldSelector ?? ''}`.trim();
    this.sinks.set(what, sink);
    sink.restart();
    if (what === 'secrets tenant-a') for (let n = 0; n < 10_000; n++) sink.upsert(badSecret(n));
    sink.complete('1');
    return { stop: () => undefined, done: Promise.resolve() };
  }

  get(): Promise<KubeObject> {
    return Promise.reject(new Error('not asked for'));
  }
}

test('T-100: ten thousand bad Secrets in one namespace cost at most 64 MiB and touch nobody', async () => {
  const before = heldBytes();
  const reader = new StreamingReader();
  const installation = { controlPlane: 'argocd', appNamespaces: ['tenant-a', 'tenant-b'] };
  const settings = watchSettings({ reader, installation, report: silent, debounceMs: 1 });
  const snapshot = await settings.ready;
  const changes: unknown[] = [];
  settings.onChange((change) => changes.push(change));
  await settings.told();
  const cost = (heldBytes() - before) / 1024 / 1024;
  assert.equal(snapshot.clusters.filter(({ acceptance }) => acceptance.accepted).length, 0);
  assert.ok(cost <= 64, `${cost.toFixed(1)} MiB`);
  // A bad Secret that stays bad is nobody else's news.
  for (let n = 0; n < 100; n++)
    reader.sinks
      .get('secrets tenant-a')
      ?.upsert({ ...badSecret(n), metadata: { ...badSecret(n).metadata, resourceVersion: `new-${n}` } });
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.deepEqual(changes, []);
  await settings.stop();
});
