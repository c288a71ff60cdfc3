import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ArgosyError, type ErrorCode } from '../../core/errors/index.ts';
import { isPassing } from './carry-out.ts';

const cases: readonly [ErrorCode, string, boolean][] = [
  ['kube-unreachable', 'apply configmaps a/b: connect ECONNREFUSED', true],
  ['kube-timeout', 'apply configmaps a/b: no answer', true],
  ['kube-busy', 'apply configmaps a/b: too many requests', true],
  ['kube-unavailable', 'apply configmaps a/b: etcdserver: leader changed', true],
  ['kube-unauthorized', 'apply configmaps a/b: Unauthorized', true],
  ['kube-unavailable', 'apply configmaps a/b: Internal error occurred: failed calling webhook "x"', false],
  ['kube-forbidden', 'apply configmaps a/b: may not', false],
  ['kube-invalid', 'apply configmaps a/b: spec: Required value', false],
  ['kube-conflict', 'apply configmaps a/b: changed meanwhile', false],
];

for (const [code, message, passing] of cases) {
  test(`"${message}" ${passing ? 'passes by itself' : 'is an answer about the object'}`, () => {
    assert.equal(isPassing(new ArgosyError(code, message)), passing);
  });
}
