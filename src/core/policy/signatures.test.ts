import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isKey, judgeSignatures, type SignatureFact } from './signatures.ts';

const ours = `${'A'.repeat(24)}0123456789ABCDEF`;
const theirs = 'B'.repeat(40);
const policy = { mode: 'strict', keys: ['0123456789ABCDEF'] } as const;
const fact = (state: SignatureFact['state'], keys = [ours], id = 'c0ffee'): SignatureFact => ({
  what: 'commit',
  id,
  state,
  keys,
});

test('only a good signature of a permitted key is a proof', () => {
  assert.equal(judgeSignatures(policy, [fact('good')]), undefined);
  assert.match(
    judgeSignatures(policy, [fact('good', [theirs])]) ?? '',
    /commit c0ffee is signed with a key that is not/,
  );
  assert.match(judgeSignatures(policy, [fact('good', [])]) ?? '', /not permitted/);
  for (const state of ['bad', 'expired', 'revoked', 'unknown-key', 'unsigned', 'unreadable'] as const)
    assert.match(judgeSignatures(policy, [fact(state)]) ?? '', /^GIT\/GPG: commit c0ffee /);
});

test('R26: nothing known, and no key permitted, are refusals', () => {
  assert.match(judgeSignatures(policy, []) ?? '', /nothing/);
  assert.match(judgeSignatures({ ...policy, keys: [] }, [fact('good')]) ?? '', /not permitted/);
});

test('AC-84: an unsigned commit that claims a permitted key is told, however many good ones stand around it', () => {
  const told = judgeSignatures(policy, [fact('good', [ours], 'a'), fact('unsigned', [ours], 'b'), fact('good')]);
  assert.equal(told, 'GIT/GPG: commit b is not signed');
});

test('of many problems the first few are told', () => {
  const told = judgeSignatures(
    policy,
    Array.from({ length: 40 }, (_, i) => fact('unsigned', [], `id${i}`)),
  );
  assert.match(told ?? '', /commit id4 is not signed, and 35 more$/);
});

test('a key is named by its long id or its fingerprint, never by less', () => {
  assert.deepEqual(
    ['0123456789ABCDEF', '0x0123456789abcdef', ours, '89ABCDEF', '', 'F', '*', `${'C'.repeat(24)}0123456789ABCDEF`].map(
      (id) => isKey(id, ours),
    ),
    [true, true, true, false, false, false, false, false],
  );
});
