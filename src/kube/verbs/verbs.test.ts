import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isArgosyError } from '../../core/errors/index.ts';
import { configMaps } from '../testdata/scripted-server.ts';
import { identityHeaders } from './identity.ts';
import { collectionPath, objectPath } from './path.ts';

const nodes = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false, verbs: [] };
const deployments = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
  verbs: [],
};

test('paths follow the API', () => {
  assert.equal(collectionPath(configMaps, undefined), '/api/v1/configmaps');
  assert.equal(
    collectionPath(deployments, 'a', { limit: 5, continue: undefined }),
    '/apis/apps/v1/namespaces/a/deployments?limit=5',
  );
  assert.equal(collectionPath(nodes, 'ignored'), '/api/v1/nodes');
  assert.equal(
    objectPath(deployments, { namespace: 'a', name: 'b', subresource: 'status' }),
    '/apis/apps/v1/namespaces/a/deployments/b/status',
  );
  assert.equal(
    objectPath(nodes, { namespace: '', name: 'system:x' }, { labelSelector: 'a=b&c' }),
    '/api/v1/nodes/system%3Ax?labelSelector=a%3Db%26c',
  );
});

test('no name leads to another path', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), (name, namespace) => {
      try {
        const path = objectPath(configMaps, { namespace, name });
        const url = new URL(path, 'https://host');
        assert.equal(url.pathname.split('/').length, 7);
        assert.ok(url.pathname.startsWith('/api/v1/namespaces/') && url.search === '' && url.hash === '');
      } catch (error) {
        assert.ok(isArgosyError(error) || error instanceof URIError);
      }
    }),
  );
});

test('an empty identity is refused, never left out', () => {
  for (const user of ['', ' ', '\t']) assert.throws(() => identityHeaders({ user }), { code: 'identity-empty' });
  assert.throws(() => identityHeaders({ user: undefined as unknown as string }), { code: 'identity-empty' });
  assert.throws(() => identityHeaders({ user: 'a', groups: [''] }), { code: 'identity-empty' });
  assert.throws(() => identityHeaders({ user: 'a', uid: '' }), { code: 'identity-empty' });
});

test('no identity smuggles a header or becomes another name', () => {
  for (const user of ['a\r\nimpersonate-group: system:masters', 'a\n', ' a', 'a\u0000', 'x'.repeat(5000)])
    assert.throws(() => identityHeaders({ user }), isArgosyError);
  assert.deepEqual(identityHeaders({ user: 'system:serviceaccount:a:b', groups: ['g', 'h'], uid: '1' }), {
    'impersonate-user': 'system:serviceaccount:a:b',
    'impersonate-group': ['g', 'h'],
    'impersonate-uid': '1',
  });
});
