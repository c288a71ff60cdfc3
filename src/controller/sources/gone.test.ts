import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainSnapshot } from '../../../test/support/plain-snapshot.ts';
import { parseApplication } from '../../core/api/index.ts';
import type { Git } from '../../git/index.ts';
import { createSources } from './sources.ts';

const parsed = parseApplication({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'shop', namespace: 'team' },
  spec: { project: 'default', source: { repoURL: 'https://git.example.com/a.git', path: 'shop' }, destination: {} },
});
assert.ok(parsed.ok);
const shop = parsed.value;

test('what is rendered for an Application that goes meanwhile is not kept for the next of its name', async () => {
  let rendered = 0;
  let whileRendering = (): void => undefined;
  const repository = {
    fetch: async () => ({ changed: true }),
    resolve: async () => ({ commit: 'head' }),
    treeIds: async (_: string, paths: readonly string[]) => paths.map(() => ({ id: 'same' })),
  };
  const sources = createSources({
    git: { repository: () => repository } as unknown as Git, // one repository, as far as it is read
    snapshot: () => plainSnapshot,
    render: async () => {
      rendered++;
      whileRendering();
      return { objects: [], sourceType: 'Directory', warnings: [], reads: ['shop'] } as never; // nothing is rendered here
    },
    served: () => ({ known: false }) as never, // nothing is asked of it
    pollMs: () => 0,
    random: () => 0,
    onChange: () => undefined,
  });
  const look = (): Promise<unknown> => sources.manifests('team/shop', shop, { refresh: undefined, override: {} });
  sources.track('team/shop', shop);
  whileRendering = () => sources.track('team/shop', undefined);
  await look();
  whileRendering = () => undefined;
  sources.track('team/shop', shop);
  await look();
  assert.equal(rendered, 2, 'the manifests of the one that has gone were still there');
  await look();
  assert.equal(rendered, 2);
  await sources.stop();
});
