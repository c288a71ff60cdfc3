import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startRealCluster } from './real-cluster.ts';
import { findBinary } from './real-processes.ts';

const program = join(import.meta.dirname, 'real-cluster.ts');

/** Processes that were started with this directory in their arguments. */
function processesOf(dir: string): string[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(dir);
      } catch {
        return false; // it ended meanwhile
      }
    });
}

async function serve(): Promise<{ child: ChildProcess; dir: string }> {
  const env = { ...process.env, ARGOSY_REAL_CLUSTER: '' };
  const child = spawn(process.execPath, [program, '--serve'], { stdio: ['pipe', 'pipe', 'inherit'], env });
  let line = '';
  for await (const text of child.stdout.setEncoding('utf8')) {
    line += String(text);
    if (line.includes('\n')) break;
  }
  return { child, dir: (JSON.parse(line) as { dir: string }).dir }; // printed by us
}

async function gone(dir: string): Promise<void> {
  for (let n = 0; n < 100 && (processesOf(dir).length > 0 || existsSync(dir)); n++) await sleep(100);
  assert.deepEqual(processesOf(dir), []);
  assert.equal(existsSync(dir), false);
}

test('a served cluster ends with its stdin and leaves nothing', async () => {
  const { child, dir } = await serve();
  assert.ok(processesOf(dir).length >= 3);
  child.stdin?.end();
  await gone(dir);
});

test('a served cluster leaves nothing when its process is killed', async () => {
  const { child, dir } = await serve();
  child.kill('SIGKILL');
  await gone(dir);
});

test('a served cluster ends on SIGTERM', async () => {
  const { child, dir } = await serve();
  child.kill('SIGTERM');
  await gone(dir);
});

test('a cluster of its own survives a restart of its API server', async () => {
  const cluster = await startRealCluster({ own: true, controllers: false });
  try {
    assert.equal((await cluster.kubectl(['create', 'namespace', 'kept'])).code, 0);
    await cluster.restartApiServer();
    assert.equal((await cluster.kubectl(['get', 'namespace', 'kept'])).code, 0);
    assert.ok(cluster.audit().some((event) => event.verb === 'create' && event.objectRef?.resource === 'namespaces'));
  } finally {
    await cluster.stop();
  }
  await gone(cluster.dir);
});

test('a missing binary is told in one sentence', () => {
  process.env['ARGOSY_NO_SUCH_BINARY'] = '/no/such/file';
  assert.throws(() => findBinary('kube-apiserver', 'ARGOSY_NO_SUCH_BINARY'), {
    message: 'kube-apiserver is not at /no/such/file: run `npm run tools` or set ARGOSY_NO_SUCH_BINARY.',
  });
});
