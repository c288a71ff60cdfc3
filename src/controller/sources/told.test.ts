import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openGitHouse } from '../../../test/support/git-house.ts';
import { createTestRepository } from '../../../test/support/git-repository.ts';
import { type Application, parseApplication } from '../../core/api/index.ts';
import { ArgosyError } from '../../core/errors/index.ts';
import { type Followed, followChart, followGit } from './followed.ts';
import type { SourceInput } from './inputs.ts';
import type { Verify } from './integrity.ts';
import { asTold } from './told.ts';
import type { TreeWish } from './tree.ts';

const house = openGitHouse();
const origin = createTestRepository({ 'shop/a.yaml': 'a', 'other/b.yaml': 'b' });
const first = origin.git('rev-parse', 'HEAD');
const elsewhere = origin.commit({ 'other/b.yaml': 'b2' });
const newest = origin.commit({ 'other/b.yaml': 'b3' });
const repository = house.git.repository({ url: origin.url, scope: 'told' });
await repository.fetch();
after(async () => {
  await house.close();
  origin.remove();
});

const source = { repoURL: origin.url, path: 'shop', targetRevision: 'main' };
const input = { source, url: origin.url, scope: 'told', revision: 'main', path: 'shop' };
const manifests = { revision: newest, sourceType: 'Directory', rendered: [] } as const;

/** An Application whose status tells of something; sources it was not compared to are other sources. */
function application(sync: object, asked: object = { source }): Application {
  const parsed = parseApplication({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'shop', namespace: 'team' },
    spec: { project: 'default', ...asked, destination: {} },
    status: { sync: { status: 'Synced', comparedTo: { ...asked, destination: {} }, ...sync } },
  });
  assert.ok(parsed.ok);
  return parsed.value;
}

interface Story {
  readonly reads?: readonly string[] | undefined;
  readonly verify?: Verify;
  readonly wish?: TreeWish;
}

async function told(app: Application, story: Story = {}): Promise<string | undefined> {
  const { verify = async () => undefined, wish } = story;
  const open = () => followGit(repository, verify, wish);
  const reads = 'reads' in story ? story.reads : ['shop', 'nothing'];
  return (await asTold({ open }, app, [input], { manifests, reads: [reads], commits: [newest] })).revision;
}

test('a commit that holds the same goes on being told, however long ago it was', async () => {
  for (const revision of [first, elsewhere, newest]) assert.equal(await told(application({ revision })), revision);
});

test('the newest is told where the other holds something else, or where all of the repository counts', async () => {
  assert.equal(await told(application({ revision: first }), { reads: ['shop', 'other'] }), newest);
  assert.equal(await told(application({ revision: first }), { reads: undefined }), newest);
});

test('a status that anybody may have written is believed for nothing else', async () => {
  const tree = origin.git('rev-parse', `${first}^{tree}`);
  for (const revision of ['', 'main', 'f'.repeat(40), first.slice(0, 8), tree, `${first} `, 'x'.repeat(100_000)])
    assert.equal(await told(application({ revision })), newest, revision.slice(0, 50));
  assert.equal(await told(application({})), newest);
  assert.equal(await told(application({ revisions: [first] })), newest);
});

test('who asks for other sources than the status was told of is told of the newest', async () => {
  const comparedTo = { source: { ...source, targetRevision: 'v1' }, destination: {} };
  assert.equal(await told(application({ revision: first, comparedTo })), newest);
});

test('a commit that lacks the signature the project asks for is not told', async () => {
  const verify: Verify = async (_repository, { commit }) => {
    if (commit === first) throw new ArgosyError('source-unverified', 'nobody has signed it');
  };
  assert.equal(await told(application({ revision: first }), { verify }), newest);
  assert.equal(await told(application({ revision: elsewhere }), { verify }), elsewhere);
});

test('where submodules are read, what the repository has not itself may be another', async () => {
  const modules = { stamp: 'one', open: async () => undefined };
  assert.equal(await told(application({ revision: first }), { wish: { modules } }), newest);
  assert.equal(await told(application({ revision: first }), { wish: { modules }, reads: ['shop'] }), first);
  assert.equal(await told(application({ revision: first }), { wish: { lfs: true } }), first);
});

test('of several sources all hold the same, or all are told of the newest', async () => {
  const chart = { repoURL: 'https://charts.example.com', chart: 'shop', targetRevision: '1.*' };
  const unasked = (): never => assert.fail('no chart is asked for');
  const charts = { version: unasked, tree: unasked, forget: unasked };
  const credential = { scope: '', login: undefined, repository: undefined };
  const open = (_app: Application, each: SourceInput): Followed =>
    each.source.chart === undefined
      ? followGit(repository, async () => undefined)
      : followChart(charts, { source: each.source, scope: '', credential });
  const inputs = [input, { ...input, source: chart }];
  const made = { manifests: { ...manifests, revision: '' }, reads: [['shop'], ['']], commits: [newest, '1.2.0'] };
  for (const [revisions, expected] of [
    [
      [first, '1.2.0'],
      [first, '1.2.0'],
    ],
    [[first, '1.1.0'], undefined],
    [['f'.repeat(40), '1.2.0'], undefined],
    [[first], undefined],
    [[first, '1.2.0', first], undefined],
  ] as const) {
    const app = application({ revisions }, { sources: [source, chart] });
    assert.deepEqual((await asTold({ open }, app, inputs, made)).revisions, expected);
  }
});
