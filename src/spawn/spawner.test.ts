import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { createSpawner, type RunRequest, type RunResult } from './index.ts';

const root = mkdtempSync(join(tmpdir(), 'argosy-spawn-'));
const spawner = createSpawner({ temporaryRoot: join(root, 'scratch'), graceMs: 200 });
const able = await spawner.confinement();
after(async () => {
  await spawner.close();
  rmSync(root, { recursive: true, force: true });
});

function shell(script: string, more: Partial<RunRequest> = {}): Promise<RunResult> {
  return spawner.run({ command: 'sh', args: ['-c', script], deadlineMs: 20_000, ...more });
}

/** Whether a process of this id still runs; one that only waits to be collected does not. */
function runs(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

async function gone(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 1500 && runs(pid); tries += 1) await wait(20);
  return !runs(pid);
}

/** Waits until a child has written its file. */
async function written(file: string): Promise<void> {
  for (let tries = 0; tries < 1500 && !(existsSync(file) && statSync(file).size > 0); tries += 1) await wait(20);
}

test('hands over arguments, input, exit code, output and complaints as they are', async () => {
  const input = Buffer.alloc(300_000, 'äö\n');
  const result = await spawner.run({ command: 'cat', args: [], stdin: input, deadlineMs: 20_000 });
  assert.ok(result.stdout.equals(input));
  const told = await shell('printf "%s|" "$@"; echo oops >&2; exit 7', {
    args: ['-c', 'printf "%s|" "$@"; echo oops >&2; exit 7', 'sh', 'a b', '$(x)', ''],
  });
  assert.deepEqual([told.code, told.signal, told.stdout.toString(), told.stderr], [7, null, 'a b|$(x)||', 'oops\n']);
});

test('children see the variables they are given, a PATH, and nothing of ours', async () => {
  process.env['ARGOSY_TEST_LEAK'] = 'leak';
  const { stdout } = await spawner.run({ command: 'env', args: [], env: { ONE: '1' }, deadlineMs: 20_000 });
  delete process.env['ARGOSY_TEST_LEAK'];
  assert.deepEqual(
    stdout
      .toString()
      .trim()
      .split('\n')
      .map((line) => line.split('=')[0]),
    ['PATH', 'ONE'],
  );
});

test('a program that is not there is told apart', async () => {
  await assert.rejects(spawner.run({ command: 'no-such-program', args: [], deadlineMs: 1000 }), {
    code: 'spawn-failed',
    reason: 'ENOENT',
  });
  const confined = {
    command: 'no-such-program',
    args: [],
    deadlineMs: 20_000,
    network: false,
    memoryBytes: 100_000_000,
  };
  await assert.rejects(spawner.run(confined), { code: 'spawn-failed', reason: 'ENOENT' });
  await assert.rejects(spawner.run({ ...confined, network: true }), { code: 'spawn-failed', reason: 'ENOENT' });
  await assert.rejects(spawner.run({ command: 'cat', args: ['a\0b'], deadlineMs: 1000 }), { code: 'spawn-failed' });
  await assert.rejects(spawner.run({ command: 'cat', args: [], cwd: '/no/such/place', deadlineMs: 1000 }), {
    code: 'spawn-failed',
  });
});

test('a child that ignores the request to end is killed with all it started', async () => {
  const file = join(root, 'pids');
  const script = `trap '' TERM; (trap '' TERM; while :; do sleep 1; done) & echo $! > ${file}; echo $$ >> ${file}; while :; do sleep 1; done`;
  await assert.rejects(shell(script, { deadlineMs: 2000 }), { code: 'spawn-deadline' });
  for (const pid of readFileSync(file, 'utf8').trim().split('\n').map(Number))
    assert.ok(await gone(pid), `${pid} still runs`);
});

test('what a child leaves behind ends with it, and does not hold its answer back', async () => {
  const file = join(root, 'left');
  const result = await shell(`sleep 1000 & echo $! > ${file}; echo done`);
  assert.equal(result.stdout.toString(), 'done\n');
  assert.ok(await gone(Number(readFileSync(file, 'utf8'))));
});

test('a child that escapes into a session of its own ends too, where processes can be confined', async () => {
  assert.equal(able.processes, (await spawner.confinement()).processes);
  const script = 'setsid sh -c "while :; do sleep 1; done; : escaped-marker-7f3a" & sleep 0.2; echo done';
  const result = await shell(script, { network: false });
  assert.equal(result.stdout.toString(), 'done\n');
  const { stdout } = await shell(
    'sleep 0.2; grep -l escaped-marker-7f3 /proc/[0-9]*/cmdline 2>/dev/null | grep -v "/$$/" || true',
  );
  const others = stdout
    .toString()
    .split('\n')
    .filter((line) => line !== '' && readName(line).includes('marker-7f3a'));
  if (able.processes)
    assert.deepEqual(
      others.filter((line) => !readName(line).includes('grep')),
      [],
    );
});

function readName(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

test('a child that prints a gigabyte is stopped at the cap', async () => {
  await assert.rejects(shell('yes | head -c 1000000000', { maxOutputBytes: 1_000_000 }), {
    code: 'spawn-limit',
    reason: 'output',
  });
  const quiet = await shell('head -c 1000 /dev/zero', { maxOutputBytes: 1000 });
  assert.equal(quiet.stdout.length, 1000);
});

test('complaints beyond their cap are dropped, not waited for', async () => {
  const result = await shell('yes | head -c 5000000 >&2; echo ok', { maxErrorBytes: 1000 });
  assert.deepEqual([result.stderr.length, result.stdout.toString()], [1000, 'ok\n']);
});

test('output can be had as it comes', async () => {
  let seen = 0;
  const onOutput = (bytes: Buffer): void => {
    seen += bytes.length;
  };
  const result = await shell('head -c 3000000 /dev/zero', { onOutput });
  assert.deepEqual([seen, result.stdout.length], [3_000_000, 0]);
});

test('a directory that grows beyond its limits ends the child', async () => {
  const scratch = await spawner.scratch();
  const watch = { path: scratch.path, maxBytes: 2_000_000, maxFiles: 100 };
  await assert.rejects(shell('cat /dev/zero > big', { cwd: scratch.path, watch }), {
    code: 'spawn-limit',
    reason: 'disk',
  });
  await assert.rejects(shell('i=0; rm big; while :; do i=$((i+1)); : > f$i; done', { cwd: scratch.path, watch }), {
    code: 'spawn-limit',
    reason: 'disk',
  });
  await scratch.remove();
  assert.equal(existsSync(scratch.path), false);
});

test('a caller that gives up ends its child', async () => {
  const abort = new AbortController();
  const run = shell('sleep 1000', { signal: abort.signal });
  setTimeout(() => abort.abort(), 50);
  await assert.rejects(run, { code: 'cancelled' });
  await assert.rejects(shell('sleep 1000', { signal: AbortSignal.abort() }), { code: 'cancelled' });
});

test('memory is capped where the machine allows', async () => {
  assert.equal(typeof able.memory, 'boolean');
  const hungry = await shell('head -c 400000000 /dev/zero | tail -c 400000000 | wc -c', { memoryBytes: 100_000_000 });
  if (able.memory) assert.notEqual(hungry.stdout.toString().trim(), '400000000');
  assert.equal((await shell('echo fine', { memoryBytes: 100_000_000 })).stdout.toString(), 'fine\n');
});

test('the network and other processes are out of reach where the machine allows', async () => {
  const result = await shell('grep -c : /proc/net/dev; ls -d /proc/[0-9]* | wc -l', { network: false });
  const [devices, processes] = result.stdout.toString().trim().split('\n').map(Number);
  if (able.network) assert.equal(devices, 1);
  if (able.processes) assert.ok((processes ?? 99) <= 4);
});

test('AC-11: a child with a room sees no other one, nor places that are hidden, and cannot look behind the veil', async () => {
  const elsewhere = join(root, 'mirrors');
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, 'secret'), 'canary-2d91');
  const other = createSpawner({ temporaryRoot: join(root, 'rooms'), hidden: [elsewhere], graceMs: 200 });
  const [mine, theirs] = [await other.scratch(), await other.scratch()];
  writeFileSync(join(theirs.path, 'secret'), 'canary-2d91');
  mkdirSync(join(mine.path, 'inner'));
  const script = `pwd; echo made > made; ls ${join(root, 'rooms')} | wc -l
cat ${theirs.path}/secret ${elsewhere}/secret /proc/*/cwd/secret
cd /; umount -l ${join(root, 'rooms')}; umount -l ${elsewhere}; unshare --mount true && echo admin
cat ${theirs.path}/secret ${elsewhere}/secret; true`;
  try {
    for (const network of [false, true]) {
      const seen = await other.run({
        ...{ command: 'sh', args: ['-c', script], room: mine.path, cwd: join(mine.path, 'inner'), network },
        deadlineMs: 20_000,
      });
      assert.equal(readFileSync(join(mine.path, 'inner/made'), 'utf8'), 'made\n');
      if (!able.files) continue;
      assert.equal(seen.stdout.toString(), `${join(mine.path, 'inner')}\n1\n`, seen.stderr);
    }
  } finally {
    for (const scratch of [mine, theirs]) await scratch.remove();
    await other.close();
  }
});

test('a machine that lets anybody mount lets us hide files', () => {
  const mount = 'mount -t tmpfs none "$1" && setpriv --bounding-set=-all true';
  const { status } = spawnSync('unshare', ['--user', '--map-root-user', '--mount', 'sh', '-c', mount, 'sh', root]);
  assert.equal(able.files, able.processes && status === 0);
});

test('what cannot be confined is said', () => {
  assert.equal(able.why === undefined, able.memory && able.network && able.processes && able.files);
});

test('runs go on when the helper dies under them', async () => {
  const marker = join(root, 'again');
  const run = shell(`echo x >> ${marker}; sleep 0.5; echo done`);
  await written(marker);
  const helper = spawner.helperPid();
  assert.ok(helper);
  process.kill(helper, 'SIGKILL');
  assert.equal((await run).stdout.toString(), 'done\n');
  assert.equal(readFileSync(marker, 'utf8'), 'x\nx\n');
});

test('children end when the process that asked for them dies, however it dies', async () => {
  const file = join(root, 'orphan');
  const program = `
    import { existsSync } from 'node:fs';
    import { createSpawner } from ${JSON.stringify(new URL('./index.ts', import.meta.url).href)};
    const spawner = createSpawner({ temporaryRoot: ${JSON.stringify(root)} });
    void spawner.run({ command: 'sh', args: ['-c', 'echo $$ > ${file}; exec sleep 1000'], deadlineMs: 1000000 });
    setInterval(() => existsSync(${JSON.stringify(file)}) && process.kill(process.pid, 'SIGKILL'), 20);`;
  writeFileSync(join(root, 'parent.ts'), program);
  await spawner.run({
    command: process.execPath,
    args: ['--no-warnings', join(root, 'parent.ts')],
    deadlineMs: 20_000,
  });
  await written(file);
  assert.ok(await gone(Number(readFileSync(file, 'utf8'))));
});

test('forty children at a time keep their outputs apart', async () => {
  const results = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      shell(`head -c 200000 /dev/zero | tr '\\0' '${String.fromCharCode(65 + (index % 26))}'`),
    ),
  );
  for (const [index, { stdout }] of results.entries())
    assert.ok(stdout.equals(Buffer.alloc(200_000, 65 + (index % 26))));
});

test('output that waits in the pipe when the child ends is never cut short, however busy the reader is', async () => {
  // A reader that takes its time holds the helper back; the child has long ended by then.
  let size = 0;
  await spawner.run({
    command: 'sh',
    args: ['-c', 'head -c 3000000 /dev/zero'],
    deadlineMs: 20_000,
    onOutput: (bytes) => {
      const until = performance.now() + 40;
      while (performance.now() < until);
      size += bytes.length;
    },
  });
  assert.equal(size, 3_000_000);
});

test('AC-11, AC-14: private directories are random, ours alone, and go away whatever modes they hold', async () => {
  const [one, two] = [await spawner.scratch(), await spawner.scratch()];
  assert.notEqual(one.path, two.path);
  assert.equal(statSync(one.path).mode & 0o777, 0o700);
  mkdirSync(join(one.path, 'locked/inner'), { recursive: true });
  writeFileSync(join(one.path, 'locked/inner/file'), 'x');
  for (const path of ['locked/inner', 'locked']) chmodSync(join(one.path, path), 0);
  for (const scratch of [one, two]) await scratch.remove();
  await one.remove();
  assert.equal(existsSync(one.path) || existsSync(two.path), false);
});

test('FX-10: a place for private directories that someone else prepared is refused', async () => {
  const elsewhere = join(root, 'elsewhere');
  mkdirSync(elsewhere);
  symlinkSync(elsewhere, join(root, 'link'));
  mkdirSync(join(root, 'open'));
  chmodSync(join(root, 'open'), 0o777);
  for (const place of ['link', 'open']) {
    const other = createSpawner({ temporaryRoot: join(root, place) });
    await assert.rejects(other.scratch(), { code: 'config-invalid' });
    await other.close();
  }
});

test('a session answers what it is written, and its end is told', async () => {
  const chunks: Buffer[] = [];
  const session = spawner.session({ command: 'cat', args: [], onOutput: (bytes) => void chunks.push(bytes) });
  session.write('one\n');
  while (Buffer.concat(chunks).length < 4) await wait(5);
  session.kill();
  assert.equal((await session.ended).code, null);
  const missing = spawner.session({ command: 'no-such-program', args: [], onOutput: () => undefined });
  assert.equal((await missing.ended).errno, 'ENOENT');
});

test('after closing nothing is started any more', async () => {
  const other = createSpawner({ temporaryRoot: join(root, 'scratch') });
  const running = other.run({ command: 'sleep', args: ['1000'], deadlineMs: 100_000 });
  await wait(300);
  const ended = assert.rejects(running);
  await other.close();
  await ended;
  await assert.rejects(other.run({ command: 'true', args: [], deadlineMs: 1000 }), { code: 'cancelled' });
});
