import assert from 'node:assert/strict';
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { repositorySecret } from '../../test/support/git-credential.ts';
import { type GitHouse, openGitHouse } from '../../test/support/git-house.ts';
import { createTestRepository, type TestRepository } from '../../test/support/git-repository.ts';
import { findSshd, type SshServer, startSshServer } from '../../test/support/ssh-server.ts';
import { isArgosyError } from '../core/errors/index.ts';
import type { Repository } from './index.ts';

// The real git through the real ssh to the real sshd; everything else about ssh is in transport.test.ts.

const program = findSshd();
let server: SshServer | undefined;
let source: TestRepository;
const houses: GitHouse[] = [];

before(async () => {
  source = createTestRepository({ 'a.yaml': 'a: 1\n' });
  if (program !== undefined) server = await startSshServer(program);
});

after(async () => {
  for (const house of houses) await house.close();
  await server?.close();
  source.remove();
});

function withServer(title: string, story: (server: SshServer) => Promise<void>): void {
  test(title, async () => {
    assert.ok(server !== undefined, 'this machine has no sshd: install openssh-server');
    await story(server);
  });
}

let count = 0;

function open(
  { port, user }: SshServer,
  secret: Readonly<Record<string, string>>,
  knownHosts: string,
  path = source.directory,
): { readonly repository: Repository; readonly house: GitHouse } {
  const house = openGitHouse({ trust: { caBundle: () => undefined, knownHosts: () => knownHosts } });
  houses.push(house);
  count += 1;
  const url = `ssh://${user}@127.0.0.1:${port}${path}`;
  const login = repositorySecret(`ssh-${count}`, { url, ...secret });
  return { repository: house.git.repository({ url, scope: `${count}`, login, repository: login }), house };
}

async function refused(repository: Repository, code: string, message: RegExp, secret = 'PRIVATE KEY'): Promise<void> {
  await assert.rejects(repository.fetch(), (error: unknown) => {
    if (!isArgosyError(error)) throw error;
    assert.equal(error.code, code, error.message);
    assert.match(error.message, message);
    assert.ok(!JSON.stringify([error.message, error.hint, error.subject, String(error.cause)]).includes(secret));
    return true;
  });
}

withServer('a key and a known host open a repository over ssh, and no key stays on disk', async (ssh) => {
  const { repository, house } = open(ssh, { sshPrivateKey: ssh.key }, ssh.knownHost);
  await repository.fetch();
  const { commit } = await repository.resolve('main');
  assert.equal(commit, source.git('rev-parse', 'HEAD'));
  const next = source.commit({ 'a.yaml': 'a: 2\n' });
  assert.deepEqual(await repository.fetch(), { changed: true });
  assert.equal((await repository.resolve('HEAD')).commit, next);
  assert.deepEqual(globSync(join(house.directory, 'scratch/*')), []);
});

withServer('FL-09: an unknown host, and one whose key has changed, get no credential', async (ssh) => {
  for (const hosts of ['', ssh.otherHost, `example.com ${ssh.knownHost.split(' ').slice(1).join(' ')}`])
    await refused(open(ssh, { sshPrivateKey: ssh.key }, hosts).repository, 'git-unreachable', /host key/);
});

withServer('a host that an admin lets pass unverified is talked to', async (ssh) => {
  await open(ssh, { sshPrivateKey: ssh.key, insecure: 'true' }, '').repository.fetch();
});

withServer('a key that the server does not know is refused, and so is nobody', async (ssh) => {
  await refused(open(ssh, { sshPrivateKey: ssh.wrongKey }, ssh.knownHost).repository, 'git-auth', /credential/);
  await refused(open(ssh, {}, ssh.knownHost).repository, 'git-auth', /credential/);
});

withServer('AC-72: a path is a path to the shell at the other end', async (ssh) => {
  const canary = `${source.directory}-touched`;
  const { repository } = open(ssh, { sshPrivateKey: ssh.key }, ssh.knownHost, `/nowhere;touch$IFS${canary};`);
  await assert.rejects(repository.fetch(), { code: /^git-/ });
  assert.equal(existsSync(canary), false);
});
