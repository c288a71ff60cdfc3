import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openGitHouse } from '../../test/support/git-house.ts';
import { createTestRepository } from '../../test/support/git-repository.ts';

const limits = { maxTreeBytes: 100_000, maxBlobBytes: 100_000 };
const house = openGitHouse({ limits });
const source = createTestRepository({ 'a.yaml': 'kind: A\n' });
const plain = source.git('rev-parse', 'HEAD');
writeFileSync(join(source.directory, '.git/message'), `subject\n\n${'x'.repeat(1024 * 1024)}`);
source.git('commit', '--quiet', '--allow-empty', '--file', '.git/message');
const huge = source.git('rev-parse', 'HEAD');
const repository = house.git.repository({ url: source.url, scope: 'test' });
after(async () => {
  await house.close();
  source.remove();
});

test('a commit that is larger than anything we read is not taken in, and who asks beside it is answered', async () => {
  const asked = [repository.commitInfo(plain), repository.commitInfo(huge), repository.commitInfo(plain)];
  const answers = await Promise.allSettled(asked);
  assert.deepEqual(
    answers.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  await assert.rejects(repository.commitInfo(huge), { code: 'git-revision' });
  assert.deepEqual(
    (await repository.files(huge, '')).map(({ path }) => path),
    ['a.yaml'],
  );
});
