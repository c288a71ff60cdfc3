import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ArgosyError } from '../core/errors/index.ts';
import type { KubeObject } from '../core/objects/index.ts';
import type { AccessReview } from '../kube/index.ts';
import { namespaceRights } from './namespace-rights.ts';

type Asked = Parameters<typeof namespaceRights>[0];

/** A cluster that lets the account read Applications in these namespaces; `''` stands for all. */
function cluster(granted: readonly string[], written?: string): Asked {
  return {
    mayI: async ({ namespace = '' }: AccessReview) => granted.includes('') || granted.includes(namespace),
    get: async (): Promise<KubeObject> => {
      if (written === undefined) throw new ArgosyError('kube-not-found', 'there is none');
      const data = { 'application.namespaces': written };
      return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data } as KubeObject; // plain data
    },
  };
}

const controlPlane = 'argocd';
const rightsOf = (granted: readonly string[], ...appNamespaces: string[]) =>
  namespaceRights(cluster(granted), { controlPlane, appNamespaces });

test('whoever names no foreign namespace needs no right there', async () => {
  assert.deepEqual(await rightsOf([]), { refusal: undefined, warnings: [] });
  assert.deepEqual(await rightsOf([], 'argocd'), { refusal: undefined, warnings: [] });
  assert.deepEqual(await namespaceRights(cluster([]), { controlPlane }), { refusal: undefined, warnings: [] });
});

test('a namespaced installation refuses patterns and foreign namespaces, and says what to grant', async () => {
  const pattern = await rightsOf([], 'team-*');
  assert.match(
    pattern.refusal ?? '',
    /own namespace argocd only, but --application-namespaces has the pattern 'team-\*': grant its account get, list, watch and patch on applications\.argoproj\.io and get, list and watch on secrets in all namespaces \(deploy\/base\/cluster-wide does\)/,
  );
  const names = await rightsOf([], 'team-a', 'team-b');
  assert.match(
    names.refusal ?? '',
    /may not read Applications in 'team-a', 'team-b', .* \(deploy\/applications-here does\)/,
  );
  const quiet = await namespaceRights(cluster([]), { controlPlane, appNamespaces: ['a'], tenantClusters: false });
  assert.doesNotMatch(quiet.refusal ?? '', /secrets/);
});

test('what argocd-cmd-params-cm says counts where no flag does', async () => {
  const { refusal } = await namespaceRights(cluster([], 'team-*, other'), { controlPlane });
  assert.match(refusal ?? '', /application\.namespaces of argocd-cmd-params-cm has the pattern 'team-\*', 'other'/);
  assert.equal((await namespaceRights(cluster([''], 'team-*'), { controlPlane })).refusal, undefined);
});

test('one namespace that is not granted yet holds nobody else up', async () => {
  const { refusal, warnings } = await rightsOf(['team-a'], 'team-a', 'team-b');
  assert.equal(refusal, undefined);
  assert.match(warnings.join(), /may not read Applications in 'team-b'/);
});

test('without an answer nothing is refused', async () => {
  const silent: Asked = { ...cluster([]), mayI: () => Promise.reject(new ArgosyError('kube-timeout', 'no answer')) };
  for (const appNamespaces of [['team-*'], ['team-a']]) {
    const { refusal, warnings } = await namespaceRights(silent, { controlPlane, appNamespaces });
    assert.equal(refusal, undefined);
    assert.match(warnings.join(), /could not be asked/);
  }
});
