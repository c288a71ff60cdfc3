import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { repositorySecret } from '../../test/support/git-credential.ts';
import { openGitHouse } from '../../test/support/git-house.ts';
import { createTestRepository } from '../../test/support/git-repository.ts';
import { startGitServer } from '../../test/support/git-server.ts';
import { parsePointer } from './lfs.ts';

const house = openGitHouse();
const content = Buffer.from('a large file\n'.repeat(1000));
const id = createHash('sha256').update(content).digest('hex');
const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${id}\nsize ${content.length}\n`;
const source = createTestRepository({
  'large.bin': pointer,
  'small.txt': 'small\n',
  '.gitattributes': '*.bin filter=lfs\n',
});
const server = await startGitServer(dirname(source.directory));
const url = server.url(basename(source.directory));
const commit = source.git('rev-parse', 'HEAD');
const authorization = `Basic ${Buffer.from('bob:canary-s3cret').toString('base64')}`;
const login = repositorySecret('lfs', { url, username: 'bob', password: 'canary-s3cret' });
server.large.set(id, content);
after(async () => {
  await house.close();
  await server.close();
  source.remove();
});

async function exported(name: string, lfs: boolean): Promise<string> {
  const target = join(house.directory, name);
  await house.git.repository({ url, scope: 'lfs', login }).exportTree({ commit, paths: [''], target, lfs });
  return target;
}

test('pointers stay what they are unless large files are asked for', async () => {
  assert.equal(readFileSync(join(await exported('without', false), 'large.bin'), 'utf8'), pointer);
  const target = await exported('with', true);
  assert.ok(readFileSync(join(target, 'large.bin')).equals(content));
  assert.equal(readFileSync(join(target, 'small.txt'), 'utf8'), 'small\n');
});

test('KU-12: our credential goes to the server of the repository and to no other', async () => {
  server.authorization = authorization;
  server.requests.length = 0;
  await exported('authorized', true);
  assert.ok(server.requests.every((request) => request.authorization === authorization));
  const other = await startGitServer(dirname(source.directory));
  other.large.set(id, content);
  server.largeFrom = `http://127.0.0.1:${other.port}`;
  await exported('elsewhere', true);
  assert.deepEqual(
    other.requests.map((request) => request.authorization),
    [undefined],
  );
  server.largeFrom = undefined;
  server.authorization = undefined;
  await other.close();
});

test('FL-03: a server that sends us to another place within this machine is refused', async () => {
  const strict = openGitHouse({ allowedHosts: [`127.0.0.1:${server.port}`] });
  for (const place of [
    'http://127.0.0.1:1',
    'https://169.254.169.254',
    'https://[::1]',
    'file:///etc',
    'http://u:p@127.0.0.1:1',
  ]) {
    server.largeFrom = place;
    const repository = strict.git.repository({ url, scope: 'lfs' });
    await assert.rejects(
      repository.exportTree({ commit, paths: [''], target: join(strict.directory, 'x'), lfs: true }),
      { code: 'git-refused' },
    );
    for (const file of globSync(join(strict.directory, 'x/large.bin'))) assert.fail(file);
  }
  server.largeFrom = undefined;
  await strict.close();
});

test('a large file that is not what its pointer says, is missing, or is too large is refused', async () => {
  const repository = house.git.repository({ url, scope: 'lfs', login });
  server.large.set(id, Buffer.from('x'.repeat(content.length)));
  await assert.rejects(repository.large([Buffer.from(pointer)]), { code: 'git-failed' });
  server.large.set(id, Buffer.concat([content, content]));
  await assert.rejects(repository.large([Buffer.from(pointer)]), { code: 'git-limit' });
  server.large.delete(id);
  await assert.rejects(repository.large([Buffer.from(pointer)]), { code: 'git-unreachable' });
  await assert.rejects(repository.large([Buffer.from(pointer.replace(/size .*/, 'size 999999999999'))]), {
    code: 'git-limit',
  });
  server.large.set(id, content);
});

test('only real pointers are pointers', () => {
  assert.deepEqual(parsePointer(Buffer.from(pointer)), { id, size: content.length });
  for (const text of [
    '',
    'kind: A\n',
    pointer.replace('v1', 'v9'),
    ` ${pointer}`,
    pointer.replace(id, 'abc'),
    `${pointer}${'x'.repeat(2000)}`,
  ])
    assert.equal(parsePointer(Buffer.from(text)), undefined);
});

test('mirrors that nobody uses any more are removed, the others stay', async () => {
  const own = openGitHouse();
  const [kept, left] = [
    { url: source.url, scope: 'kept' },
    { url: source.url, scope: 'left' },
  ];
  for (const request of [kept, left]) await own.git.repository(request).fetch();
  assert.equal(await own.git.prune([kept]), 1);
  assert.equal(globSync(join(own.directory, 'mirrors/*')).length, 1);
  assert.equal((await own.git.repository(left).resolve('main')).commit, commit);
  await own.close();
});
