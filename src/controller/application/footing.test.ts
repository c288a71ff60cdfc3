import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationState } from '../../core/api/index.ts';
import type { ServiceAccountUser } from '../../core/policy/index.ts';
import { leaveFooting, lostFooting } from './footing.ts';

const deployer = 'system:serviceaccount:team-a:deployer' as ServiceAccountUser; // as the policy makes it
const as = { cluster: 'argocd/own', identity: { as: 'impersonate', user: deployer } } as const;
const own = { cluster: 'argocd/own', identity: { as: 'cluster', because: 'impersonation-off' } } as const;
const state = (startedAt: string): OperationState => ({ operation: {}, phase: 'Running', startedAt });

test('T-071, T-110: an operation that would go on as somebody else, or elsewhere, is stopped', () => {
  const world = { application: () => undefined };
  const asked = (startedAt: string, footing: Parameters<typeof lostFooting>[2]): string | undefined =>
    lostFooting('team-a/shop', state(startedAt), footing, world);
  assert.equal(asked('1', as), undefined);
  assert.equal(asked('1', as), undefined);
  assert.equal(
    asked('1', own as never), // why it is the cluster's credential makes no difference here
    "the operation began under other rules and was stopped: it would have changed from system:serviceaccount:team-a:deployer to the cluster's own credential",
  );
  assert.match(asked('1', { ...as, cluster: 'team-a/mine' }) ?? '', /to another cluster$/);
  // Another operation of the same Application, or the same after it ended, begins anew.
  assert.equal(asked('2', own as never), undefined);
  leaveFooting('team-a/shop', world);
  assert.equal(asked('2', as), undefined);
});
