import assert from 'node:assert/strict';
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openGitHouse } from '../../test/support/git-house.ts';
import { type Content, createTestRepository, runGit } from '../../test/support/git-repository.ts';
import { parseModules, resolveAddress } from './submodules.ts';

const house = openGitHouse();
const root = mkdtempSync(join(tmpdir(), 'argosy-export-'));
const planted = join(root, 'planted.txt');
writeFileSync(planted, 'planted-secret');
let targets = 0;
after(async () => {
  await house.close();
  rmSync(root, { recursive: true, force: true });
});

async function exported(files: Record<string, Content>, paths: string[] = ['']): Promise<string> {
  const source = createTestRepository(files);
  targets += 1;
  const target = join(root, `target-${targets}`);
  try {
    const repository = house.git.repository({ url: source.url, scope: 'export' });
    const { commit } = await repository.resolve('main');
    await repository.exportTree({ commit, paths, target });
    return target;
  } finally {
    source.remove();
  }
}

test('writes files, scripts and inner links as they are', async () => {
  const target = await exported({
    'a/b/c.yaml': 'kind: C\n',
    'run.sh': { script: '#!/bin/sh\n' },
    'a/link.yaml': { link: '../run.sh' },
    dir: { link: 'a/b' },
  });
  assert.equal(readFileSync(join(target, 'dir/c.yaml'), 'utf8'), 'kind: C\n');
  assert.equal(readlinkSync(join(target, 'a/link.yaml')), '../run.sh');
  assert.equal(statSync(join(target, 'run.sh')).mode & 0o777, 0o700);
  assert.equal(statSync(join(target, 'a/b/c.yaml')).mode & 0o777, 0o600);
});

test('writes only the paths that were asked for, in their places', async () => {
  const target = await exported({ 'a/x.yaml': '1', 'b/y.yaml': '2', 'c/z.yaml': '3', top: '4' }, [
    'a',
    'b/y.yaml',
    './a/',
  ]);
  assert.deepEqual(
    ['a/x.yaml', 'b/y.yaml', 'c', 'top'].map((path) => existsSync(join(target, path))),
    [true, true, false, false],
  );
});

test('runs no filter and reads no attribute of the repository', async () => {
  const target = await exported({
    '.gitattributes': '* text eol=crlf filter=evil ident export-ignore\n',
    'a.txt': 'one\n$Id$\n',
  });
  assert.equal(readFileSync(join(target, 'a.txt'), 'utf8'), 'one\n$Id$\n');
});

// AC-09, AC-10, FX-01: links that leave the tree, alone and by way of others.
const links: [title: string, files: Record<string, Content>][] = [
  ['an absolute link', { 'a.yaml': { link: planted } }],
  ['a link to the process', { 'a.yaml': { link: '/proc/self/environ' } }],
  ['a relative link', { 'a.yaml': { link: '../planted.txt' } }],
  ['a deep relative link', { 'x/y/a.yaml': { link: '../../../planted.txt' } }],
  ['a linked directory', { out: { link: '..' } }],
  ['a chain of links', { one: { link: 'x/two' }, 'x/two': { link: '../three' }, three: { link: '../planted.txt' } }],
  [
    'a climb through a linked directory',
    { 'x/y/z/k': '1', d: { link: 'x/y' }, 'p/q/r/a': { link: '../../../d/../../../planted.txt' } },
  ],
  ['a link with dots in the middle', { 'x/k': '1', 'a.yaml': { link: 'x/./../../planted.txt' } }],
];
for (const [title, files] of links)
  test(`AC-09: refuses ${title} that leaves the repository, naming the file and nothing else`, async () => {
    await assert.rejects(exported(files), (error: Error & { code?: string }) => {
      assert.equal(error.code, 'render-refused');
      assert.doesNotMatch(error.message, /planted|proc/);
      return true;
    });
    assert.equal(existsSync(join(root, `target-${targets}`)), false, 'nothing was written');
  });

test('AC-09: dangling and circular links inside the tree are written and lead nowhere', async () => {
  const target = await exported({ dangling: { link: 'nowhere/at/all' }, a: { link: 'b' }, b: { link: 'a' } });
  assert.ok(lstatSync(join(target, 'a')).isSymbolicLink());
  assert.throws(() => readFileSync(join(target, 'a')), /ELOOP/);
  assert.throws(() => readFileSync(join(target, 'dangling')), /ENOENT/);
});

// KU-01: names git itself would refuse to check out. Written as raw tree objects, as a hostile client would.
const names = ['.git', '.GIT', '.Git.', '.git ', 'git~1', 'GIT~2', '.g\u200cit', '.git::$INDEX_ALLOCATION', '..', '.'];
for (const name of names)
  test(`KU-01: refuses a tree with the name ${JSON.stringify(name)}`, async () => {
    const source = createTestRepository();
    const blob = runGit(source.directory, ['hash-object', '-w', '--stdin'], 'evil');
    const raw = Buffer.concat([Buffer.from(`100644 ${name}\0`), Buffer.from(blob, 'hex')]);
    const tree = runGit(source.directory, ['hash-object', '-w', '-t', 'tree', '--literally', '--stdin'], raw);
    const commit = source.git('commit-tree', tree, '-m', 'evil');
    source.git('update-ref', 'refs/heads/evil', commit);
    const repository = house.git.repository({ url: source.url, scope: 'export' });
    await assert.rejects(
      repository.exportTree({ commit, paths: [''], target: join(root, 'never') }),
      /render-refused|not permitted|malformed/,
    );
    assert.equal(existsSync(join(root, 'never')), false);
    source.remove();
  });

test('FX-03: paths that leave the repository are refused, whatever their spelling', async () => {
  for (const path of ['../x', 'a/../../x', '..', 'a/..', 'a\0b'])
    await assert.rejects(exported({ 'a/b': '1' }, [path]), { code: 'render-refused' });
});

test('a tree that unfolds into millions of files is refused by its number', async () => {
  const source = createTestRepository();
  const blob = runGit(source.directory, ['hash-object', '-w', '--stdin'], 'x');
  let tree = runGit(
    source.directory,
    ['mktree'],
    Array.from({ length: 20 }, (_, n) => `100644 blob ${blob}\tf${n}\n`).join(''),
  );
  for (let level = 0; level < 6; level += 1)
    tree = runGit(
      source.directory,
      ['mktree'],
      Array.from({ length: 20 }, (_, n) => `040000 tree ${tree}\td${n}\n`).join(''),
    );
  const commit = source.git('commit-tree', tree, '-m', 'bomb');
  source.git('update-ref', 'refs/heads/bomb', commit);
  const repository = house.git.repository({ url: source.url, scope: 'export' });
  await assert.rejects(repository.files(commit, ''), { code: 'git-limit' });
  source.remove();
});

test('addresses of submodules are read without commands, and relative ones stay on their server', () => {
  assert.deepEqual(
    [...parseModules('[submodule "../x"]\npath=a\nurl = "../b.git"\n[core]\nsshCommand=evil\n')],
    [['a', '../b.git']],
  );
  assert.equal(resolveAddress('https://host/team/app.git', '../lib.git'), 'https://host/team/lib.git');
  assert.equal(resolveAddress('https://host/team/app.git', 'https://other/x'), 'https://other/x');
  for (const address of ['../../../../evil/x', '../../../evil/x/y', '../.././../evil'])
    assert.throws(() => resolveAddress('https://host/team/app.git', address), { code: 'render-refused' });
});
