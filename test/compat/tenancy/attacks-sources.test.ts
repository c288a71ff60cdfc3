import assert from 'node:assert/strict';
import { test } from 'node:test';
import { permitsOperation } from '../../../src/core/policy/index.ts';
import { urlsOf } from '../../../src/core/tree/index.ts';
import { application, Given, local, project, text } from './given.ts';
import { app, flags, given, object, refusal, team } from './two-teams.ts';

// What a tenant writes as an address, a link, a name or an operation.

const operation = (sync: string): string => {
  const yaml = app().replace('spec:', `operation: {sync: ${sync}}\nspec:`);
  const all = given(yaml);
  const asked = all.app('team-a/shop').operation;
  assert.ok(asked);
  return text(permitsOperation(all.project('team-a'), asked));
};
test('T-052 links that are scripts are dropped when they are read', () => {
  const link = (address: string): readonly string[] =>
    urlsOf({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name: 'x', annotations: { 'link.argocd.argoproj.io/external-link': address } },
    });
  for (const address of [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    't|data:text/html,x',
    'vbscript:x',
    'Docs | javascript:x',
  ])
    assert.deepEqual(link(address), [], address);
  assert.deepEqual(link('https://docs.example.com/'), ['https://docs.example.com/']);
});
test('T-013 manifests written into an operation', () => {
  assert.equal(operation("{manifests: ['{}']}"), 'local manifests in an operation are not permitted');
});
test('T-014 a foreign source in an operation', () => {
  const message = "application repo https://git.example.com/team-b/x is not permitted in project 'team-a'";
  assert.equal(operation("{source: {repoURL: 'https://git.example.com/team-b/x'}}"), message);
  assert.equal(
    operation(
      "{sources: [{repoURL: 'https://git.example.com/team-a/x'}, {repoURL: 'https://git.example.com/team-b/x'}]}",
    ),
    message,
  );
  assert.equal(operation("{source: {repoURL: 'https://git.example.com/team-a/x'}}"), 'allowed');
});

test('T-041 addresses that a transport reads otherwise', () => {
  const open = project('team-a', team('team-a').replace("['https://git.example.com/team-a/**']", "['*']"));
  for (const repo of [
    'https://git.example.com/team-a/../team-b/x',
    'https://git.example.com/team-a/%2e%2e/team-b',
    'https://git.example.com/team-a/x%2fy',
    'ext::sh -c id',
    '-oProxyCommand=id',
    'https://git.example.com/x\nhttps://evil',
    'javascript://x',
    'https://a b/c',
    '',
  ]) {
    assert.match(
      new Given(open + app({ repo }), flags).refusal('team-a/shop'),
      /^InvalidSpecError: application repo .*is not permitted in project 'team-a'$/,
      repo,
    );
  }
  for (const repo of [
    'https://git.example.com@evil.example.com/team-a/x',
    'https://git.example.com:8443/team-a/x',
    'git@git.example.com:team-a/x',
    'https://git.example.com/team-b/team-a/x',
  ]) {
    assert.match(refusal(app({ repo })), /is not permitted in project 'team-a'$/, repo);
  }
  assert.ok(given(app({ repo: 'https://GIT.example.com/Team-A/.github.git' })).admitted('team-a/shop').ok);
});
test('T-041 a password in a refused address is not repeated', () => {
  assert.equal(
    refusal(app({ repo: 'https://user:canary@git.example.com/team-b/x' })),
    "InvalidSpecError: application repo https://***@git.example.com/team-b/x is not permitted in project 'team-a'",
  );
});
test('T-044 a ref source outside the project', () => {
  const spec = `project: team-a\nsources: [{repoURL: 'https://git.example.com/team-a/x', path: .}, {repoURL: 'https://git.example.com/team-b/values', ref: v}]\ndestination: {server: '${local}', namespace: team-a}`;
  assert.match(refusal(application('shop', 'team-a', spec)), /team-b\/values is not permitted/);
});
test('T-049 control characters in names never reach a message as they are', () => {
  const hostile = '\u001b[31mred\r\n\u202eevil';
  const yaml = [
    app({ project: JSON.stringify(hostile) }),
    app({ destination: `name: ${JSON.stringify(hostile)}, namespace: team-a` }),
    app({ destination: `server: ${JSON.stringify(`https://${hostile}`)}, namespace: team-a` }),
    app({ repo: `https://g/${hostile}` }),
  ];
  for (const each of yaml) assert.doesNotMatch(refusal(each), /[\p{Cc}\u202e]/u);
  assert.doesNotMatch(object({ group: hostile, kind: hostile, namespace: hostile }), /[\p{Cc}\u202e]/u);
});
