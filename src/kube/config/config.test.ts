import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { inspect } from 'node:util';
import { isArgosyError } from '../../core/errors/index.ts';
import type { KubeConfig } from '../types.ts';
import { authenticatorFor } from './authenticator.ts';
import { parseClusterSecret } from './cluster-secret.ts';
import { parseExecCredential, runExecPlugin } from './exec-plugin.ts';
import { inClusterConfig } from './in-cluster.ts';
import { parseKubeconfig, readKubeconfig } from './kubeconfig.ts';

const dir = mkdtempSync(join(tmpdir(), 'argosy-kubeconfig-'));
after(() => rmSync(dir, { recursive: true }));
const file = (name: string, text: string): string => {
  writeFileSync(join(dir, name), text);
  return join(dir, name);
};
file('ca.crt', 'CA');
file('tls.crt', 'CERT');
file('tls.key', 'KEY');

const cluster = { server: 'https://h:6443' };
const source = (user: object, more: object = {}, context: object = {}) => ({
  file: join(dir, 'config'),
  content: {
    'current-context': 'one',
    contexts: [{ name: 'one', context: { cluster: 'c', user: 'u', ...context } }],
    clusters: [{ name: 'c', cluster: { ...cluster, ...more } }],
    users: [{ name: 'u', user }],
  } as never, // plain JSON
});

async function config(user: object, more: object = {}): Promise<KubeConfig> {
  const parsed = await parseKubeconfig([source(user, more)]);
  assert.ok(parsed.ok, JSON.stringify(parsed));
  return parsed.value;
}

async function problems(user: object, more: object = {}, context: object = {}): Promise<string> {
  const parsed = await parseKubeconfig([source(user, more, context)]);
  assert.ok(!parsed.ok);
  return parsed.problems.join('; ');
}

const users: readonly (readonly [string, object, object])[] = [
  ['a token', { token: 't' }, { type: 'token', token: 't' }],
  ['a token file beside the kubeconfig', { tokenFile: 'token' }, { type: 'token-file', path: join(dir, 'token') }],
  ['a password', { username: 'a', password: 'b' }, { type: 'basic', username: 'a', password: 'b' }],
  [
    'certificate files beside the kubeconfig',
    { 'client-certificate': 'tls.crt', 'client-key': 'tls.key' },
    { type: 'certificate', cert: Buffer.from('CERT'), key: Buffer.from('KEY') },
  ],
  [
    'certificate data',
    { 'client-certificate-data': 'Q0VSVA==', 'client-key-data': 'S0VZ' },
    { type: 'certificate', cert: Buffer.from('CERT'), key: Buffer.from('KEY') },
  ],
  ['nothing', {}, { type: 'none' }],
];
for (const [what, user, credential] of users)
  test(`a user with ${what}`, async () => {
    assert.deepEqual({ ...(await config(user)).credential }, credential);
  });

test('reads the parts of a cluster', async () => {
  const read = await config(
    {},
    {
      'certificate-authority': 'ca.crt',
      'tls-server-name': 'n',
      'proxy-url': 'http://p:1',
      'disable-compression': true,
    },
  );
  assert.deepEqual(
    [read.caData?.toString(), read.tlsServerName, read.proxyUrl, read.disableCompression, read.insecure],
    ['CA', 'n', 'http://p:1', true, false],
  );
});

test('says what is wrong, without secrets', async () => {
  assert.match(await problems({ 'client-certificate-data': 'eA==' }), /only one of/);
  assert.match(await problems({ 'auth-provider': {} }), /exec plugin/);
  for (const asked of [{ as: 'viewer' }, { 'as-uid': 'u' }, { 'as-groups': ['g'] }, { 'as-user-extra': { k: ['v'] } }])
    assert.match(await problems({ token: 't', ...asked }), /in somebody else's name/);
  assert.match(await problems({ exec: { command: '', apiVersion: 'x' } }), /no command.*apiVersion/);
  assert.match(
    await problems({
      exec: { command: 'a', apiVersion: 'client.authentication.k8s.io/v1', interactiveMode: 'Always' },
    }),
    /terminal/,
  );
  assert.match(await problems({}, { 'certificate-authority': 'missing' }), /missing/);
  assert.match(await problems({}, { server: 'nonsense' }), /server/);
  assert.match(await problems({}, {}, { cluster: 'other' }), /no cluster other/);
  assert.match(await problems({}, {}, { user: 'other' }), /no user other/);
  await assert.rejects(
    readKubeconfig(file('broken', 'token: s3cret\n\t: {')),
    (error) => isArgosyError(error) && error.code === 'config-invalid' && !error.message.includes('s3cret'),
  );
  await assert.rejects(readKubeconfig(join(dir, 'none')), { code: 'config-invalid' });
});

test('several files are merged, the first to name a thing wins, missing ones are passed over', async () => {
  const one = file(
    'one',
    'contexts: [{name: x, context: {cluster: c, user: u, namespace: ns}}]\nusers: [{name: u, user: {token: first}}]',
  );
  mkdirSync(join(dir, 'sub'), { recursive: true });
  file('sub/ca.crt', 'SUB');
  const two = file(
    'sub/two',
    'current-context: x\nusers: [{name: u, user: {token: second}}]\nclusters: [{name: c, cluster: {server: "https://h", certificate-authority: ca.crt}}]',
  );
  const read = await readKubeconfig([one, join(dir, 'missing'), two]);
  assert.deepEqual(
    [read.namespace, read.caData?.toString(), { ...read.credential }],
    ['ns', 'SUB', { type: 'token', token: 'first' }],
  );
  await assert.rejects(readKubeconfig([one, two], { context: 'nope' }), { code: 'config-invalid' });
});

const asText = (value: unknown): string => `${String(value)}`;

test('a configuration never prints its credential', async () => {
  const read = await config({ token: 's3cret' });
  for (const text of [
    inspect(read),
    inspect({ deep: { read } }, { depth: 9 }),
    JSON.stringify(read),
    asText(read),
    inspect(read.credential),
    JSON.stringify({ ...read }),
    asText(read.credential),
  ])
    assert.doesNotMatch(text, /s3cret/);
});

const tls = { caData: 'Q0E=', certData: 'Q0VSVA==', keyData: 'S0VZ', serverName: 'n' };
const secrets: readonly (readonly [string, object, object])[] = [
  ['a bearer token', { bearerToken: 't' }, { type: 'token', token: 't' }],
  ['a password', { username: 'a', password: 'b' }, { type: 'basic', username: 'a', password: 'b' }],
  [
    'a certificate',
    { tlsClientConfig: tls },
    { type: 'certificate', cert: Buffer.from('CERT'), key: Buffer.from('KEY') },
  ],
  [
    'a program',
    {
      execProviderConfig: {
        command: 'c',
        args: ['a'],
        env: { A: 'b' },
        apiVersion: 'client.authentication.k8s.io/v1beta1',
      },
    },
    {
      type: 'exec',
      exec: {
        command: 'c',
        args: ['a'],
        env: { A: 'b' },
        apiVersion: 'client.authentication.k8s.io/v1beta1',
        provideClusterInfo: false,
      },
    },
  ],
  ['nothing', {}, { type: 'none' }],
];
for (const [what, fields, credential] of secrets)
  test(`a cluster Secret with ${what}`, () => {
    const parsed = parseClusterSecret('https://h', JSON.stringify(fields), { allowExec: true });
    assert.ok(parsed.ok);
    assert.deepEqual({ ...parsed.value.credential }, credential);
  });

test('a cluster Secret says what is wrong with it', () => {
  const wrong = (fields: object | string, allowExec = true, server = 'https://h'): string => {
    const parsed = parseClusterSecret(server, typeof fields === 'string' ? fields : JSON.stringify(fields), {
      allowExec,
    });
    assert.ok(!parsed.ok);
    return parsed.problems.join('; ');
  };
  assert.match(wrong('{"bearerToken": "s3cret"'), /no JSON object/);
  assert.doesNotMatch(wrong('{"bearerToken": "s3cret"'), /s3cret/);
  assert.match(wrong({ awsAuthConfig: { clusterName: 'x' } }), /awsAuthConfig: not supported/);
  assert.match(
    wrong({ execProviderConfig: { command: 'rm', apiVersion: 'client.authentication.k8s.io/v1' } }, false),
    /may not name a program/,
  );
  assert.match(wrong({ tlsClientConfig: { insecure: true, caData: 'Q0E=' } }), /exclude each other/);
  assert.match(wrong({ tlsClientConfig: { certData: 'Q0E=' } }), /only go together/);
  assert.match(wrong({ tlsClientConfig: { caData: '-----BEGIN' } }), /not base64/);
  assert.match(wrong({ proxyUrl: 'socks5://x' }), /proxyUrl/);
  assert.match(wrong({}, true, 'ftp://x'), /server/);
});

test("a pod's token is read again when it is a minute old, and after a 401", async () => {
  file('token', 'one\n');
  file('namespace', 'ns\n');
  let now = 0;
  const pod = await inClusterConfig({ host: 'fd00::1', port: '443', folder: dir });
  assert.equal(pod.server, 'https://[fd00::1]:443');
  assert.equal(pod.namespace, 'ns');
  const auth = authenticatorFor(pod, { environment: {}, now: () => now, redial: () => undefined });
  assert.equal(await auth.header(), 'Bearer one');
  file('token', 'two');
  assert.equal(await auth.header(), 'Bearer one');
  now = 61_000;
  assert.equal(await auth.header(), 'Bearer two');
  file('token', 'three');
  assert.equal(auth.renew('Bearer one'), true, 'the refused one was already replaced');
  assert.equal(auth.renew('Bearer two'), true);
  assert.equal(auth.renew('Bearer two'), true, 'a second call refused at the same time');
  assert.equal(await auth.header(), 'Bearer three');
  assert.equal(auth.renew('Bearer three'), true);
  assert.equal(await auth.header(), 'Bearer three');
  assert.equal(auth.renew('Bearer three'), false, 'read anew and refused again: not accepted');
  rmSync(join(dir, 'token'));
  now = 200_000;
  assert.equal(await auth.header(), 'Bearer three', 'an unreadable file leaves the old token');
  file('token', '');
  now += 60_000;
  assert.equal(await auth.header(), 'Bearer three', 'so does one that is empty for a moment');
  file('token', 'four');
  assert.equal(await auth.header(), 'Bearer four', 'and it is read again at once');
  await assert.rejects(inClusterConfig({ host: undefined, port: '1' }), { code: 'config-invalid' });
});

const v1 = 'client.authentication.k8s.io/v1';
const program = (body: string): string => {
  const path = file(`plugin-${Math.random()}`, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o700);
  return path;
};
const exec = (command: string) => ({
  command,
  args: [],
  env: { FROM_CONFIG: 'yes' },
  apiVersion: v1,
  installHint: 'install it',
});
const environment = { PATH: '/usr/bin:/bin' };
const h: KubeConfig = { server: 'https://h', credential: { type: 'none' } };

test('a credential plugin runs once until its token expires or is refused', async () => {
  const count = join(dir, 'count');
  const path = program(
    `echo x >> ${count}; n=$(wc -l < ${count}); [ "$FROM_CONFIG" = yes ] || exit 3; echo "$KUBERNETES_EXEC_INFO" | grep -q ExecCredential || exit 4\n` +
      `echo "{\\"apiVersion\\":\\"${v1}\\",\\"kind\\":\\"ExecCredential\\",\\"status\\":{\\"token\\":\\"t$((n))\\",\\"expirationTimestamp\\":\\"1970-01-01T01:00:00Z\\"}}"`,
  );
  let now = 0;
  const auth = authenticatorFor(
    { ...h, credential: { type: 'exec', exec: exec(path) } },
    { environment, now: () => now, redial: () => undefined },
  );
  assert.deepEqual(await Promise.all([auth.header(), auth.header()]), ['Bearer t1', 'Bearer t1']);
  assert.equal(await auth.header(), 'Bearer t1');
  assert.equal(auth.renew('Bearer t1'), false, 'it only just said so');
  now = 20_000;
  assert.equal(auth.renew('Bearer t1'), true);
  assert.equal(await auth.header(), 'Bearer t2');
  now = 3_600_000;
  assert.equal(await auth.header(), 'Bearer t3');
  assert.deepEqual(auth.secrets(), ['t3']);
});

test('a credential plugin that misbehaves is an error without its output', async () => {
  const run = (body: string, limits?: { deadlineMs: number; maxOutput: number }) =>
    runExecPlugin(exec(program(body)), h, environment, limits);
  const says = (text: RegExp) => (error: unknown) =>
    isArgosyError(error) && text.test(error.message) && !error.message.includes('s3cret');
  await assert.rejects(run('echo s3cret; exit 1'), says(/ended with 1/));
  await assert.rejects(run('echo s3cret'), says(/no ExecCredential/));
  await assert.rejects(run('sleep 60', { deadlineMs: 50, maxOutput: 100 }), says(/did not end/));
  const late = join(dir, 'late');
  const daemon = `setsid sh -c 'sleep 3; touch ${late}' & sleep 60`;
  await assert.rejects(run(daemon, { deadlineMs: 50, maxOutput: 100 }), says(/did not end/));
  assert.equal(existsSync(late), false, 'what it left behind is not waited for');
  await assert.rejects(run('yes s3cret', { deadlineMs: 10_000, maxOutput: 1000 }), says(/printed more/));
  await assert.rejects(
    runExecPlugin(exec(join(dir, 'absent')), h, environment),
    (error) => isArgosyError(error) && error.code === 'tool-missing' && error.hint === 'install it',
  );
});

test('reads an ExecCredential strictly', () => {
  const parse = (status: object, apiVersion = v1) =>
    parseExecCredential(JSON.stringify({ apiVersion, kind: 'ExecCredential', status }), exec('p'));
  assert.deepEqual(parse({ clientCertificateData: 'c', clientKeyData: 'k' }).keyPair, {
    cert: Buffer.from('c'),
    key: Buffer.from('k'),
  });
  for (const bad of [{}, { clientCertificateData: 'c' }, { token: 't', expirationTimestamp: 'soon' }])
    assert.throws(() => parse(bad), isArgosyError);
  assert.throws(() => parse({ token: 't' }, 'client.authentication.k8s.io/v1alpha1'), /another version/);
});
