import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainSnapshot } from '../../../test/support/plain-snapshot.ts';
import { type Application, parseApplication } from '../../core/api/index.ts';
import type { JsonObject } from '../../core/json/index.ts';
import type { Git } from '../../git/index.ts';
import { createSources } from './sources.ts';

const shop = readApplication({
  project: 'default',
  source: { repoURL: 'https://git.example.com/a.git', path: 'shop' },
  destination: {},
});

function readApplication(spec: JsonObject): Application {
  const metadata = { name: 'shop', namespace: 'team' };
  const parsed = parseApplication({ apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', metadata, spec });
  assert.ok(parsed.ok);
  return parsed.value;
}

test('a commit that comes while an older one is rendered is not taken for it', async () => {
  let head = 'old';
  let touched: readonly string[] = [];
  const repository = {
    fetch: async () => ({ changed: true }),
    resolve: async () => ({ commit: head }),
    treeIds: async (commit: string, paths: readonly string[]) => paths.map(() => ({ id: commit })),
  };
  const sources = createSources({
    git: { repository: () => repository } as unknown as Git, // one repository, as far as it is read
    snapshot: () => plainSnapshot,
    render: async () => {
      head = 'new';
      return { objects: [], sourceType: 'Directory', warnings: [], reads: ['shop'] } as never; // nothing is rendered here
    },
    served: () => ({ known: false }) as never, // nothing is asked of it
    pollMs: () => 0,
    random: () => 0,
    onChange: (keys) => {
      touched = keys;
    },
  });
  sources.track('team/shop', shop);
  const first = await sources.manifests('team/shop', shop, { refresh: undefined, override: {} });
  assert.equal(first.manifests?.revision, 'old');
  await sources.poll('https://git.example.com/a.git');
  assert.deepEqual(touched, ['team/shop']);
  const second = await sources.manifests('team/shop', shop, { refresh: undefined, override: {} });
  assert.equal(second.manifests?.revision, 'new');
  await sources.stop();
});

test('what was rendered stays until its content, its settings or what it asked of the cluster change, or somebody insists', async () => {
  const rendered: boolean[] = [];
  let [renderKey, later, apiVersions, askedCluster] = ['one', 'one', ['v1'], false];
  let touched: readonly string[] = [];
  const repository = {
    fetch: async () => ({ changed: false }),
    resolve: async () => ({ commit: 'head' }),
    treeIds: async (_: string, paths: readonly string[]) => paths.map(() => ({ id: 'same' })),
  };
  const sources = createSources({
    git: { repository: () => repository } as unknown as Git, // one repository, as far as it is read
    snapshot: () => plainSnapshot,
    render: async (_app, _input, { fresh }) => {
      rendered.push(fresh);
      renderKey = later;
      return { objects: [], sourceType: 'Helm', warnings: [], reads: ['shop'], askedCluster } as never; // nothing is rendered here
    },
    served: () => ({ known: true, kubeVersion: 'v1.36.3', apiVersions }),
    renderKey: () => renderKey,
    pollMs: () => 0,
    random: () => 0,
    onChange: (keys) => {
      touched = keys;
    },
  });
  const look = async (refresh?: 'normal' | 'hard'): Promise<number> => {
    await sources.manifests('team/shop', shop, { refresh, override: {} });
    return rendered.length;
  };
  sources.track('team/shop', shop);
  assert.deepEqual([await look(), await look(), await look('normal')], [1, 1, 1]);
  assert.equal(await look('hard'), 2);
  assert.deepEqual(rendered, [false, true]);
  apiVersions = ['v1', 'apps/v1'];
  sources.servedChanged();
  assert.deepEqual([await look(), touched], [2, []]);
  [renderKey, later, askedCluster] = ['two', 'two', true];
  assert.deepEqual([await look(), await look()], [3, 3]);
  apiVersions = ['v1'];
  sources.servedChanged();
  assert.deepEqual([await look(), touched], [4, ['team/shop']]);
  [renderKey, later] = ['three', 'four'];
  assert.equal(await look(), 5);
  assert.equal(await look(), 6, 'settings that change while it is rendered may not be in it');
  assert.equal(await look(), 6);
  await sources.stop();
});
