import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { generateKeyPairSync, verify } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { after, afterEach, test } from 'node:test';
import { repositorySecret } from '../../test/support/git-credential.ts';
import { openGitHouse } from '../../test/support/git-house.ts';
import { createTestRepository } from '../../test/support/git-repository.ts';
import { makeCertificates, startGitServer } from '../../test/support/git-server.ts';
import { createSpawner } from '../spawn/index.ts';
import { createGit } from './git.ts';
import { createOutbound } from './outbound.ts';
import { openConnection } from './transport.ts';
import { parseRepositoryUrl } from './url.ts';

const canary = 'canary-s3cret-value';
const source = createTestRepository();
const name = basename(source.directory);
const server = await startGitServer(dirname(source.directory));
const house = openGitHouse();
const url = server.url(name);
let scopes = 0;
afterEach(() => {
  server.authorization = undefined;
});
after(async () => {
  await house.close();
  await server.close();
  source.remove();
});

function open(values: Record<string, string>, address = url) {
  scopes += 1;
  const login = repositorySecret(`s${scopes}`, { url: address, ...values });
  return house.git.repository({ url: address, scope: `s${scopes}`, login, repository: login });
}

const logins: [title: string, values: Record<string, string>, wanted: string][] = [
  [
    'user and password',
    { username: 'bob', password: canary },
    `Basic ${Buffer.from(`bob:${canary}`).toString('base64')}`,
  ],
  ['a password alone', { password: canary }, `Basic ${Buffer.from(`x-access-token:${canary}`).toString('base64')}`],
  [
    'odd letters in a password',
    { username: 'b', password: `${canary}"'\n$(x)ü` },
    `Basic ${Buffer.from(`b:${canary}"'\n$(x)ü`).toString('base64')}`,
  ],
  ['a bearer token', { bearerToken: canary }, `Bearer ${canary}`],
];
for (const [title, values, wanted] of logins)
  test(`logs in with ${title}`, async () => {
    server.authorization = wanted;
    assert.equal((await open(values).resolve('main')).kind, 'branch');
    server.authorization = 'other';
    await assert.rejects(open(values).fetch(), (error: Error & { code?: string }) => {
      assert.equal(error.code, 'git-auth');
      assert.doesNotMatch(
        JSON.stringify([error.message, error.stack, error]),
        new RegExp(`${canary}|${wanted.split(' ')[1]}`),
      );
      return true;
    });
  });

test('AC-34: the credential stands in no argument, no address and no file of the mirror', async () => {
  const seen: string[] = [];
  const watching = setInterval(() => {
    for (const file of globSync('/proc/[0-9]*/cmdline'))
      try {
        const words = readFileSync(file, 'utf8');
        if (words.includes('git')) seen.push(words);
      } catch {
        // It ended meanwhile.
      }
  }, 1);
  await open({ username: 'bob', password: canary }).resolve('main');
  clearInterval(watching);
  assert.ok(seen.length > 0);
  const written = globSync(join(house.directory, '**/*'), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
  const encoded = Buffer.from(`bob:${canary}`).toString('base64');
  for (const text of [...seen, ...written]) assert.ok(!text.includes(canary) && !text.includes(encoded));
});

test('a Secret that changed holds from the next fetch on', async () => {
  const [old, fresh] = ['old', 'new'].map((password) => repositorySecret('rotated', { url, username: 'u', password }));
  server.authorization = `Basic ${Buffer.from('u:old').toString('base64')}`;
  await house.git.repository({ url, scope: 'rotated', login: old }).fetch();
  server.authorization = `Basic ${Buffer.from('u:new').toString('base64')}`;
  await assert.rejects(house.git.repository({ url, scope: 'rotated', login: old }).fetch(), { code: 'git-auth' });
  await house.git.repository({ url, scope: 'rotated', login: fresh }).fetch();
});

// RE-06, AC-31, AC-72: credentials and proxies of hostile shape.
const hostile: [title: string, values: Record<string, string>][] = [
  ['a megabyte of lines', { password: 'a\n'.repeat(50_000) }],
  ['a bearer token with lines', { bearerToken: 'a\r\nHost: evil' }],
  ['a user name with a line', { username: 'a\nb', password: 'x' }],
  ['a key that is none', { sshPrivateKey: 'ProxyCommand evil' }],
  ['a certificate without its key', { tlsClientCertData: 'x' }],
  ['a proxy with a command', { proxy: 'socks5://$(evil)/' }],
  ['a proxy of another kind', { proxy: 'ext::sh -c evil' }],
  ['a GitHub App with a strange id', { githubAppID: '../x', githubAppPrivateKey: 'x' }],
  ['a login that is not supported', { gcpServiceAccountKey: '{}' }],
];
for (const [title, values] of hostile)
  test(`RE-06: refuses ${title} by the name of the key`, async () => {
    await assert.rejects(open(values).fetch(), {
      code: /proxy/.test(Object.keys(values).join()) ? /config-invalid|git-un|git-ref/ : 'config-invalid',
    });
  });

test('D10: a proxy that leads to this machine is refused unless listed', async () => {
  const strict = openGitHouse({ allowedHosts: ['file:'], resolve: async () => ['8.8.8.8'] });
  const login = repositorySecret('p', { url: 'https://git.example/a', proxy: 'http://127.0.0.1:3128' });
  await assert.rejects(strict.git.repository({ url: 'https://git.example/a', scope: 'p', login }).fetch(), {
    code: 'git-refused',
  });
  await strict.close();
});

test('D10: an address of this machine is refused when the connection is made, and the server sees nothing', async () => {
  const strict = openGitHouse({ allowedHosts: [] });
  const before = server.requests.length;
  for (const address of [`https://127.0.0.1:${server.port}/x`, `https://localhost:${server.port}/x`, source.url])
    await assert.rejects(strict.git.repository({ url: address, scope: 'd10' }).fetch(), { code: 'git-refused' });
  assert.equal(server.requests.length, before);
  await strict.close();
});

test('KU-11: git connects to the address that was checked, not to what the name means later', async () => {
  // The name exists nowhere: only the pinned address can lead to the server.
  const pinned = openGitHouse({ allowedHosts: ['git.invalid:*'], resolve: async () => ['127.0.0.1'] });
  const repository = pinned.git.repository({ url: `http://git.invalid:${server.port}/${name}`, scope: 'pin' });
  assert.equal((await repository.resolve('main')).kind, 'branch');
  await pinned.close();
});

test('https: the certificate is verified against the given CA, and a client certificate is shown', async () => {
  const certificates = makeCertificates();
  const tls = await startGitServer(dirname(source.directory), { certificates, clients: true });
  const address = tls.url(name);
  const trusting = openGitHouse({ trust: { caBundle: () => certificates.ca, knownHosts: () => '' } });
  const client = { tlsClientCertData: certificates.client.cert, tlsClientCertKey: certificates.client.key };
  const login = repositorySecret('tls', { url: address, ...client });
  assert.equal((await trusting.git.repository({ url: address, scope: 'tls', login }).resolve('main')).kind, 'branch');
  // R24: no CA, no client certificate, insecure.
  await assert.rejects(house.git.repository({ url: address, scope: 'no-ca', login }).fetch(), {
    code: 'git-unreachable',
  });
  await assert.rejects(trusting.git.repository({ url: address, scope: 'no-client' }).fetch());
  await open({ insecure: 'true', ...client }, address).fetch();
  assert.deepEqual(globSync(join(trusting.directory, 'scratch/*')), [], 'no key stays on disk');
  await trusting.close();
  await tls.close();
});

test('ssh: the whole configuration is ours, pinned to the checked address, strict about the host key', async () => {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  const login = repositorySecret('ssh', {
    url: 'git@git.example:a/b',
    sshPrivateKey: privateKey.replaceAll('\n', '\r\n'),
  });
  const parts = {
    spawner: house.spawner,
    outbound: createOutbound(
      () => [],
      async () => ['10.1.2.3'],
    ),
    trust: { caBundle: () => undefined, knownHosts: () => 'git.example ssh-ed25519 AAAA' },
    githubApps: { token: () => Promise.reject(new Error('not asked')) },
  };
  const connection = await openConnection(parts, parseRepositoryUrl('ssh://git@git.example:2222/a/b'), {
    login,
    repository: undefined,
  });
  const file = /^ssh -F '(.*)'$/.exec(connection.call.env['GIT_SSH_COMMAND'] ?? '')?.[1] ?? '';
  const text = readFileSync(file, 'utf8').split('\n');
  const lines = [
    'HostName 10.1.2.3',
    'HostKeyAlias [git.example]:2222',
    'StrictHostKeyChecking yes',
    'BatchMode yes',
    'IdentitiesOnly yes',
    'IdentityAgent none',
    'GlobalKnownHostsFile /dev/null',
    'PermitLocalCommand no',
    'ProxyCommand none',
  ];
  assert.deepEqual(
    lines.filter((line) => !text.includes(line)),
    [],
  );
  // Where there is an ssh, it reads the file as we mean it.
  const { status, stdout } = spawnSync('ssh', ['-G', '-F', file, '-p', '2222', 'git@git.example'], {
    encoding: 'utf8',
  });
  if (status !== null)
    for (const line of ['hostname 10.1.2.3', 'hostkeyalias [git.example]:2222', 'stricthostkeychecking true'])
      assert.ok(stdout.split('\n').includes(line), line);
  const key = join(dirname(file), 'key');
  assert.match(readFileSync(key, 'utf8'), /^-----BEGIN RSA PRIVATE KEY-----\n[^\r]*-----END RSA PRIVATE KEY-----\n$/);
  assert.equal(statSync(key).mode & 0o777, 0o600);
  await connection.close();
  assert.equal(existsSync(key), false);
});

test('ssh: git talks through our configuration to the host that was asked for', async () => {
  // No server of ssh is needed to see what git asks of ssh: this one runs the command here, and notes how it was called.
  const tools = join(house.directory, 'tools');
  const notes = join(house.directory, 'ssh-calls');
  mkdirSync(tools);
  const script = `#!/bin/sh\necho "$@" >> ${notes}\ngrep HostName "$2" >> ${notes}\nfor last; do :; done\nexec sh -c "$last"\n`;
  writeFileSync(join(tools, 'ssh'), script, { mode: 0o755 });
  const spawner = createSpawner({
    temporaryRoot: join(house.directory, 'ssh'),
    path: `${tools}:/usr/local/bin:/usr/bin:/bin`,
  });
  const git = createGit({ spawner, cacheDir: join(house.directory, 'ssh-mirrors'), resolve: async () => ['10.1.2.3'] });
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  const address = `ssh://deploy@git.example:2222${source.directory}`;
  const login = repositorySecret('key', { url: address, sshPrivateKey: privateKey });
  assert.equal((await git.repository({ url: address, scope: 'ssh', login }).resolve('main')).kind, 'branch');
  const called = readFileSync(notes, 'utf8');
  assert.match(
    called,
    /^-F \S+\/ssh_config -o SendEnv=GIT_PROTOCOL -p 2222 deploy@git\.example git-upload-pack '[^']+'\nHostName 10\.1\.2\.3\n/,
  );
  assert.deepEqual(globSync(join(house.directory, 'ssh/*')), [], 'no key stays on disk');
  git.close();
  await spawner.close();
});

test('FL-09: a server without a known host key is not talked to', async () => {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  const address = `ssh://git@127.0.0.1:${server.port}/a/b`;
  await assert.rejects(open({ sshPrivateKey: privateKey }, address).fetch(), {
    code: /^(?:git-unreachable|tool-missing)$/,
  });
});

test('a GitHub App logs in with a token of its installation, asked for once and found by the repository', async () => {
  const keys = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const asked: string[] = [];
  const api: Server = createServer((request, response) => {
    const [head, body, signature] = (request.headers.authorization ?? '').replace('Bearer ', '').split('.');
    const good = verify(
      'RSA-SHA256',
      Buffer.from(`${head}.${body}`),
      keys.publicKey,
      Buffer.from(signature ?? '', 'base64url'),
    );
    asked.push(`${request.method} ${request.url} ${good}`);
    response.setHeader('content-type', 'application/json');
    if (request.url?.endsWith('/installation') === true) response.end(JSON.stringify({ id: 42 }));
    else
      response
        .writeHead(201)
        .end(JSON.stringify({ token: canary, expires_at: new Date(Date.now() + 3_600_000).toISOString() }));
  });
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  const { port } = api.address() as AddressInfo; // it listens on a port
  const app = {
    githubAppID: '7',
    githubAppPrivateKey: keys.privateKey,
    githubAppEnterpriseBaseUrl: `http://127.0.0.1:${port}/api/v3/`,
  };
  server.authorization = `Basic ${Buffer.from(`x-access-token:${canary}`).toString('base64')}`;
  const repository = open(app);
  await repository.fetch();
  await repository.fetch();
  assert.deepEqual(asked, [
    `GET /api/v3/repos/${name}//installation true`,
    'POST /api/v3/app/installations/42/access_tokens true',
  ]);
  api.close();
  await assert.rejects(open({ ...app, githubAppPrivateKey: 'nonsense' }).fetch(), { code: 'config-invalid' });
});
