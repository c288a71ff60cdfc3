import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import type { JsonObject } from '../json/index.ts';
import { hasCredential, parseRepositorySecret, printProblems, type Repository } from './index.ts';

const canary = 'c4n4ry-k3y';

const secret = (stringData: JsonObject, type = 'repository'): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'r', namespace: 'argocd', labels: { 'argocd.argoproj.io/secret-type': type } },
  stringData,
});

function parsed(stringData: JsonObject, type?: string): Repository {
  const result = parseRepositorySecret(secret(stringData, type));
  assert.ok(result.ok, result.ok ? '' : printProblems(result.problems));
  return result.value;
}

test('a repository is read with its switches', () => {
  const repository = parsed({
    url: ' https://g/r ',
    name: 'n',
    project: 'team-a',
    username: 'u',
    password: canary,
    insecureIgnoreHostKey: 'true',
    enableLfs: 'true',
    forceHttpBasicAuth: 'True',
    depth: '3',
    githubAppID: '7',
    proxy: `http://${canary}@proxy`,
  });
  assert.equal(repository.url, 'https://g/r');
  assert.equal(repository.type, 'git');
  assert.equal(repository.project, 'team-a');
  assert.equal(repository.insecure, true);
  assert.equal(repository.enableLfs, true);
  assert.equal(repository.forceHttpBasicAuth, false);
  assert.equal(repository.depth, 3);
  assert.equal(repository.secrets.get('password')?.reveal(), canary);
  assert.equal(repository.plain.get('githubAppID'), '7');
  assert.equal(repository.template, false);
});

test('a template has no scope, whatever it says', () => {
  const template = parsed({ url: 'https://g', project: 'team-a' }, 'repo-creds');
  assert.equal(template.template, true);
  assert.equal(template.project, '');
});

test('what cannot be used is refused by its key', () => {
  const rows: readonly [JsonObject, string][] = [
    [{}, 'data.url: is required'],
    [{ url: ' ' }, 'data.url: is required'],
    [{ url: 'https://g', type: 'svn' }, 'data.type: must be git, helm or oci'],
    [{ url: 'https://g', sshPrivateKey: 'x'.repeat(300_000) }, 'data.sshPrivateKey: is too long'],
  ];
  for (const [data, message] of rows) {
    const result = parseRepositorySecret(secret(data));
    assert.ok(!result.ok);
    assert.equal(printProblems(result.problems), message);
  }
});

test('nothing of a credential shows, also under a key nobody knows', () => {
  const repository = parsed({ url: 'https://g', password: canary, brandNewToken: canary, sshPrivateKey: canary });
  for (const text of [inspect(repository, { depth: 9 }), JSON.stringify([...repository.secrets])]) {
    assert.equal(text.includes(canary), false);
  }
});

test('a repository has a credential when any key could log in', () => {
  assert.equal(hasCredential(parsed({ url: 'https://g' })), false);
  assert.equal(hasCredential(parsed({ url: 'https://g', password: '' })), false);
  assert.equal(hasCredential(parsed({ url: 'https://g', insecure: 'true', proxy: 'http://p' })), false);
  for (const key of ['username', 'password', 'bearerToken', 'sshPrivateKey', 'tlsClientCertData']) {
    assert.equal(hasCredential(parsed({ url: 'https://g', [key]: 'x' })), true, key);
  }
  assert.equal(hasCredential(parsed({ url: 'https://g', useAzureWorkloadIdentity: 'true' })), true);
});
