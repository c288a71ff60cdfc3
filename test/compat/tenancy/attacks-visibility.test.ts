import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMeaning, visibilityMode } from '../../../src/core/policy/index.ts';

// What an answer to a read means: no access, a fault, or a question.

const target = { group: '', resource: 'pods', kind: 'Pod', namespace: '' };
const answer = { verb: 'list', status: 403, kubernetesStatus: true, acceptedElsewhere: true } as const;
test('T-115 a proxy’s 403', () =>
  assert.equal(readMeaning('normal', target, { ...answer, kubernetesStatus: false }).means, 'retry'));
test('T-116 an expired token', () =>
  assert.equal(
    readMeaning('normal', target, { ...answer, status: 401, acceptedElsewhere: false }).means,
    'connection-fault',
  ));
test('T-117 a true 403', () => {
  assert.equal(readMeaning('normal', target, answer).means, 'no-access');
  assert.equal(readMeaning('strict', target, answer).means, 'review');
});
test('T-121 list allowed, watch forbidden', () =>
  assert.equal(readMeaning('normal', target, { ...answer, verb: 'watch' }).means, 'no-access'));
test('T-122 equal plurals in two groups', () => {
  const review = (group: string): unknown => readMeaning('strict', { ...target, group }, answer);
  assert.notDeepEqual(review(''), review('metrics.k8s.io'));
});
test('T-123 decided per namespace', () => {
  const meaning = readMeaning('strict', { ...target, namespace: 'n2' }, answer);
  assert.ok(meaning.means === 'review' && meaning.reviews.every(({ namespace }) => namespace === 'n2'));
});
test('T-124 a review that fails', () =>
  assert.equal(readMeaning('strict', target, { ...answer, review: 'failed' }).means, 'undecided'));
test('T-127 unset, one forbidden kind on a tenant’s cluster', () => {
  assert.equal(readMeaning(visibilityMode('off', true), target, answer).means, 'no-access');
  assert.equal(readMeaning(visibilityMode('off', false), target, answer).means, 'cluster-error');
});
