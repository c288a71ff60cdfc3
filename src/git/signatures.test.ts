import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openGitHouse } from '../../test/support/git-house.ts';
import { createTestRepository } from '../../test/support/git-repository.ts';
import { readStatus } from './signatures.ts';

test('a machine without gpg verifies nothing, and says what is missing', async () => {
  const root = mkdtempSync(join(tmpdir(), 'argosy-poor-'));
  mkdirSync(join(root, 'bin'));
  for (const name of ['git', 'sh'])
    symlinkSync(execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim(), join(root, 'bin', name));
  const house = openGitHouse({}, { path: join(root, 'bin') });
  const repository = createTestRepository({ 'a.yaml': 'a: 1\n' });
  try {
    const mirror = house.git.repository({ url: repository.url, scope: 'test' });
    await mirror.fetch();
    const resolved = await mirror.resolve('HEAD');
    await assert.rejects(mirror.signatures(resolved, { mode: 'head', keys: ['a key'] }), {
      code: 'tool-missing',
      message: /gpg is not installed/,
    });
  } finally {
    await house.close();
    repository.remove();
    rmSync(root, { recursive: true, force: true });
  }
});

test('R26: what gpg says against a signature, or says twice, is no proof', () => {
  const valid = `[GNUPG:] VALIDSIG ${'A'.repeat(40)} 2026-01-01 1 0 4 0 22 8 00 ${'B'.repeat(40)}\n`;
  const good = '[GNUPG:] GOODSIG 0123456789ABCDEF ours\n';
  for (const [text, state] of [
    [good + valid, 'good'],
    [good, 'unreadable'],
    [good + valid + good + valid, 'unreadable'],
    [good + valid + valid, 'unreadable'],
    [`${good}[GNUPG:] BADSIG 0123456789ABCDEF x\n${valid}`, 'unreadable'],
    [`[GNUPG:] EXPKEYSIG 0123456789ABCDEF x\n${valid}`, 'expired'],
    [`[GNUPG:] REVKEYSIG 0123456789ABCDEF x\n${valid}`, 'revoked'],
    ['gpg: Good signature from "[GNUPG:] GOODSIG"\n', 'unsigned'],
    ['', 'unsigned'],
  ] as const)
    assert.equal(readStatus(text).state, state, text);
});
