import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:http2';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startCluster } from './index.ts';

interface Target {
  readonly url: string;
  readonly ca: string;
  readonly token: string;
}

async function call(
  target: Target,
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; body: { [key: string]: unknown } }> {
  const outgoing = request(`${target.url}${path}`, {
    method,
    ca: target.ca,
    agent: false,
    headers: { authorization: `Bearer ${target.token}`, 'content-type': 'application/json' },
  });
  outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = await once(outgoing, 'response');
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return { status: response.statusCode, body: JSON.parse(text) };
}

const maps = '/api/v1/namespaces/default/configmaps';
const map = (name: string): object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
const targetOf = (cluster: { url: string; caPem: string; adminToken: string }): Target => ({
  url: cluster.url,
  ca: cluster.caPem,
  token: cluster.adminToken,
});

test('two clusters in one process know nothing of each other', async () => {
  const [one, two] = await Promise.all([startCluster({ actors: false }), startCluster({ actors: false })]);
  try {
    assert.equal((await call(targetOf(one), 'POST', maps, map('a'))).status, 201);
    assert.equal((await call(targetOf(one), 'GET', `${maps}/a`)).status, 200);
    assert.equal((await call(targetOf(two), 'GET', `${maps}/a`)).status, 404);
    assert.equal((await call({ ...targetOf(two), token: one.adminToken }, 'GET', `${maps}/a`)).status, 401);
  } finally {
    await Promise.all([one.stop(), two.stop()]);
  }
});

test('HTTP/2 and HTTP/1.1 are spoken on one port', async () => {
  const cluster = await startCluster({ actors: false });
  try {
    const session = connect(cluster.url, { ca: cluster.caPem });
    const stream = session.request({ ':path': '/version', authorization: `Bearer ${cluster.adminToken}` });
    const [headers] = await once(stream, 'response');
    assert.equal(headers[':status'], 200);
    session.destroy();
    assert.equal((await call(targetOf(cluster), 'GET', '/version')).status, 200);
  } finally {
    await cluster.stop();
  }
});

test('a name with blanks around it is impersonated with them, not left out', async () => {
  const cluster = await startCluster({ actors: false });
  try {
    const session = connect(cluster.url, { ca: cluster.caPem });
    const stream = session.request({
      ':path': maps,
      authorization: `Bearer ${cluster.adminToken}`,
      'impersonate-user': 'eve ',
    });
    const [headers] = await once(stream, 'response');
    let text = '';
    for await (const chunk of stream.setEncoding('utf8')) text += chunk;
    session.destroy();
    assert.equal(headers[':status'], 403);
    assert.match(text, /User \\"eve \\" cannot list/);
  } finally {
    await cluster.stop();
  }
});

test('a watch that is to last for months does not end at once', async () => {
  const cluster = await startCluster({ actors: false });
  try {
    const session = connect(cluster.url, { ca: cluster.caPem });
    const stream = session.request({
      ':path': `${maps}?watch=true&timeoutSeconds=9999999`,
      authorization: `Bearer ${cluster.adminToken}`,
    });
    await once(stream, 'response');
    let ended = false;
    stream.on('end', () => {
      ended = true;
    });
    assert.equal((await call(targetOf(cluster), 'POST', maps, map('late'))).status, 201);
    const [first] = await once(stream, 'data');
    assert.match(String(first), /"late"/);
    assert.equal(ended, false);
    session.destroy();
  } finally {
    await cluster.stop();
  }
});

test('a cluster that cannot start leaves nothing open, and says what is wrong', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'argosy-start-'));
  const running = await startCluster({ actors: false, dataDir: join(dataDir, 'one') });
  try {
    const two = join(dataDir, 'two');
    await assert.rejects(startCluster({ dataDir: join(dataDir, 'one') }), /another cluster runs on it/);
    await assert.rejects(startCluster({ dataDir: two, port: running.port }), { code: 'EADDRINUSE' });
    await assert.rejects(startCluster({ dataDir: two, actors: { off: ['pod', 'pods'] } }), {
      code: 'usage',
      message: 'there is no actor called pods',
    });
    const second = await startCluster({ dataDir: two });
    await second.stop();
    await second.stop();
  } finally {
    await running.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
});

test('nothing acknowledged is lost when the process is killed', { timeout: 60_000 }, async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'argosy-killed-'));
  try {
    const first = await serve(dataDir);
    const acknowledged: string[] = [];
    let running = true;
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let n = 0; running; n++) {
        const name = `w${writer}-${n}`;
        const answer = await call(first.target, 'POST', maps, map(name)).catch(() => undefined);
        if (answer?.status === 201) acknowledged.push(name);
      }
    });
    while (acknowledged.length < 100) await new Promise((resolve) => setTimeout(resolve, 10));
    first.child.kill('SIGKILL');
    running = false;
    await Promise.all(writers);
    const second = await serve(dataDir);
    assert.equal(second.target.ca, first.target.ca, 'the CA stays');
    assert.equal(second.target.token, first.target.token, 'the administrator stays');
    const list = await call(second.target, 'GET', maps);
    const names = new Set(
      (list.body['items'] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name),
    );
    assert.deepEqual(
      acknowledged.filter((name) => !names.has(name)),
      [],
    );
    second.child.kill('SIGKILL');
    await once(second.child, 'close');
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});

async function serve(dataDir: string): Promise<{ child: ReturnType<typeof spawn>; target: Target }> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('testdata/serve.ts', import.meta.url)), dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  assert.ok(child.stdout);
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
  return { child, target: JSON.parse(String(line)) as Target };
}
