import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRequest } from './request-info.ts';

/** method url → verb group/version resource/subresource namespace name; `-` for nothing. */
const cases: [string, string, string][] = [
  ['GET', '/api/v1/namespaces', 'list -/v1 namespaces/- - -'],
  ['GET', '/api/v1/namespaces/x', 'get -/v1 namespaces/- x x'],
  ['PUT', '/api/v1/namespaces/x/finalize', 'update -/v1 namespaces/finalize x x'],
  ['PATCH', '/api/v1/namespaces/x/status', 'patch -/v1 namespaces/status x x'],
  ['GET', '/api/v1/namespaces/x/pods', 'list -/v1 pods/- x -'],
  ['GET', '/api/v1/namespaces/x/pods/p/log?follow=true', 'get -/v1 pods/log x p'],
  ['POST', '/api/v1/namespaces/x/pods', 'create -/v1 pods/- x -'],
  ['POST', '/api/v1/namespaces/x/serviceaccounts/s/token', 'create -/v1 serviceaccounts/token x s'],
  ['DELETE', '/apis/apps/v1/namespaces/x/deployments', 'deletecollection apps/v1 deployments/- x -'],
  ['DELETE', '/apis/apps/v1/namespaces/x/deployments/d', 'delete apps/v1 deployments/- x d'],
  ['GET', '/apis/apps/v1/deployments?watch=true', 'watch apps/v1 deployments/- - -'],
  ['GET', '/apis/apps/v1/deployments?watch=1', 'watch apps/v1 deployments/- - -'],
  ['GET', '/apis/apps/v1/deployments?watch=0', 'list apps/v1 deployments/- - -'],
  ['GET', '/api/v1/watch/namespaces/x/pods', 'watch -/v1 pods/- x -'],
  ['GET', '/api/v1/nodes/n/proxy/metrics', 'get -/v1 nodes/proxy - n'],
  ['GET', '/api/v1/namespaces/x/secrets?fieldSelector=metadata.name%3Dfoo', 'list -/v1 secrets/- x foo'],
  ['GET', '/api/v1/secrets?watch=true&fieldSelector=metadata.name=foo,type==a', 'watch -/v1 secrets/- - foo'],
  ['GET', '/api/v1/secrets?fieldSelector=metadata.name!=foo', 'list -/v1 secrets/- - -'],
  ['HEAD', '/api/v1/namespaces/x/pods/p', 'get -/v1 pods/- x p'],
  ['DELETE', '/api/v1/secrets?fieldSelector=metadata.name%3Dfoo', 'deletecollection -/v1 secrets/- - -'],
];

const show = (text: string): string => (text === '' ? '-' : text);

for (const [method, url, wanted] of cases)
  test(`${method} ${url} is read as ${wanted}`, () => {
    const info = parseRequest(method, url);
    assert.equal(info.isResource, true);
    const resource = `${show(info.resource)}/${show(info.subresource)}`;
    const words = [info.verb, `${show(info.group)}/${info.version}`, resource, show(info.namespace), show(info.name)];
    assert.equal(words.join(' '), wanted);
  });

for (const path of ['/', '/api', '/api/v1', '/apis', '/apis/apps', '/apis/apps/v1', '/healthz', '/openapi/v3/api/v1'])
  test(`${path} names no resource`, () => {
    const info = parseRequest('GET', path);
    assert.deepEqual([info.isResource, info.verb, info.path], [false, 'get', path]);
  });

test('a malformed escape is no crash', () => {
  assert.equal(parseRequest('GET', '/api/v1/namespaces/%zz').resource, 'namespaces');
});
