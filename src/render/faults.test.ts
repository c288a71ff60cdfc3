import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { configMap, openRenderHouse, type RenderHouse, treeOf } from '../../test/support/render-house.ts';

const directory = mkdtempSync(join(tmpdir(), 'argosy-tools-'));
const houses: RenderHouse[] = [];
after(async () => {
  for (const house of houses) await house.close();
  rmSync(directory, { recursive: true, force: true });
});

const files = { 'app/Chart.yaml': 'apiVersion: v2\nname: c\nversion: 1.0.0\n' };
const source = { path: 'app' };

/** A house whose helm is a script of ours. */
function withHelm(name: string, script: string, limits: object = {}): RenderHouse {
  const helm = join(directory, name);
  writeFileSync(helm, `#!/bin/sh\n[ "$1" = version ] && { echo v3.99; exit 0; }\n${script}\n`);
  chmodSync(helm, 0o755);
  const house = openRenderHouse({ tools: { paths: { helm } }, limits: { toolMs: 60_000, ...limits } });
  houses.push(house);
  return house;
}

function running(words: string): boolean {
  return readdirSync('/proc').some((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').includes(words);
    } catch {
      return false;
    }
  });
}

/** Nothing of a render is left on disk, and the next one works. */
async function leavesNothing(house: RenderHouse): Promise<void> {
  assert.deepEqual(readdirSync(join(house.scratch, 'private')), []);
  const plain = await house.render({ files: { 'app/x.yaml': configMap('x') }, source });
  assert.equal(plain.objects.length, 1);
}

test('a tool that forks and ignores signals is ended with all it started', async () => {
  const house = withHelm('forks', "trap '' TERM INT\n(setsid sleep 301.5 &)\nsleep 302.5 &\nsleep 303.5", {
    toolMs: 2_000,
  });
  await assert.rejects(house.render({ files, source }), { code: 'spawn-deadline' });
  assert.ok(!running('sleep 302.5') && !running('sleep 303.5'));
  if ((await house.renderer.confinement()).processes) assert.ok(!running('sleep 301.5'));
  await leavesNothing(house);
});

test('a tool that prints without end is ended at the limit', async () => {
  const house = withHelm('prints', 'yes "a: b"', { outputBytes: 5_000_000, toolMs: 20_000 });
  await assert.rejects(house.render({ files, source }), { code: 'spawn-limit' });
  await leavesNothing(house);
});

test('a tool that prints a gigabyte meets the limit of every render, and costs little more than that', async () => {
  const house = withHelm('gigabyte', "head -c 1000000000 /dev/zero | tr '\\0' a");
  await house.render({ files: { 'app/x.yaml': configMap('x') }, source });
  const before = process.memoryUsage().rss;
  let most = before;
  const look = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 10);
  try {
    await assert.rejects(house.render({ files, source }), { code: 'spawn-limit', reason: 'output' });
  } finally {
    clearInterval(look);
  }
  const mebibytes = (bytes: number): number => Math.round(bytes / 1024 / 1024);
  assert.ok(mebibytes(most - before) < 250, `we grew by ${mebibytes(most - before)} MiB`);
  const status = readFileSync(`/proc/${house.spawner.helperPid()}/status`, 'utf8');
  const helper = Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
  assert.ok(helper < 250, `the helper took ${helper} MiB`);
  await leavesNothing(house);
});

test('a tool that fills the disk is ended at the limit', async () => {
  const script = 'while :; do head -c 4000000 /dev/zero > "$TMPDIR/$$.$(date +%N)"; done';
  const house = withHelm('fills', script, { workspaceBytes: 20_000_000, toolMs: 20_000 });
  await assert.rejects(house.render({ files, source }), { code: 'spawn-limit', reason: 'disk' });
  await leavesNothing(house);
});

test('a tool that locks its directories leaves nothing behind', async () => {
  const house = withHelm('locks', 'mkdir -p "$HOME/a/b" && echo x > "$HOME/a/b/c" && chmod -R 000 "$HOME"; exit 1');
  await assert.rejects(house.render({ files, source }), { code: 'render-failed' });
  await leavesNothing(house);
});

test('a tool that says its secrets is told with them cut out, and without paths of this machine', async () => {
  const house = withHelm('talks', 'echo "Error: password=hunter2hunter2 at $PWD/x" >&2; exit 7');
  await assert.rejects(house.render({ files, source }), (error: Error) => {
    assert.match(error.message, /^helm failed \(7\): password=\[redacted\] at app\/x$/);
    return true;
  });
});

test('a missing tool is named, and everything else works', async () => {
  const house = openRenderHouse({ tools: { paths: { helm: join(directory, 'nowhere') } } });
  houses.push(house);
  await assert.rejects(house.render({ files, source }), { code: 'tool-missing', subject: 'helm' });
  await leavesNothing(house).catch((error: unknown) => assert.match(String(error), /ENOENT/));
  const plain = await house.render({ files: { 'app/x.yaml': configMap('x') }, source });
  assert.equal(plain.objects.length, 1);
});

test('a full disk is told as such, passes by itself, and is not remembered', async () => {
  const house = withHelm('fine', `printf '${configMap('x').replaceAll('\n', '\\n')}'`);
  const tree = treeOf(files);
  let full = true;
  const moody = {
    ...tree,
    exportTo: async (target: string, paths: readonly string[]) => {
      if (full)
        throw Object.assign(new Error(`ENOSPC: no space left on device, write '${target}'`), { code: 'ENOSPC' });
      await tree.exportTo(target, paths);
    },
  };
  for (let i = 0; i < 4; i += 1)
    await assert.rejects(house.render({ tree: moody, source }), {
      fault: 'outside',
      message: /could not be written \(ENOSPC\)$/,
    });
  full = false;
  assert.equal((await house.render({ tree: moody, source })).objects.length, 1);
  await leavesNothing(house);
});

test('a disk that is really full ends the render that fills it, and no other', async () => {
  const place = mkdtempSync(join(directory, 'small-'));
  const program = join(directory, 'full-disk.ts');
  const house = new URL('../../test/support/render-house.ts', import.meta.url).href;
  const helm = join(directory, 'small-helm');
  writeFileSync(helm, `#!/bin/sh\n[ "$1" = version ] && { echo v3.99; exit 0; }\necho '{}'\n`, { mode: 0o755 });
  writeFileSync(
    program,
    `import { readdirSync } from 'node:fs';
    import { join } from 'node:path';
    import { openRenderHouse } from ${JSON.stringify(house)};
    const house = openRenderHouse({ tools: { paths: { helm: ${JSON.stringify(helm)} } } });
    const chart = { 'app/Chart.yaml': 'apiVersion: v2' };
    const large = { ...chart, 'app/large': Buffer.alloc(4_000_000, 'x') };
    const outcome = (files) => house.render({ files, source: { path: 'app' } }).then(() => 'rendered', (e) => [e.code, e.fault, e.message]);
    const told = [await outcome(large), await outcome(chart), readdirSync(join(house.scratch, 'private'))];
    console.log(JSON.stringify(told));
    await house.close();`,
  );
  // A file system of two megabytes, in a namespace of its own: no right of the machine's is needed.
  const script = 'mount -t tmpfs -o size=2m none "$1" && TMPDIR="$1" exec "$2" --no-warnings "$3"';
  const args = ['--user', '--map-root-user', '--mount', 'sh', '-c', script, 'sh', place, process.execPath, program];
  const { stdout, stderr } = spawnSync('unshare', args, { encoding: 'utf8', timeout: 120_000 });
  if (!(await withHelm('asks', '').renderer.confinement()).files) return;
  const full = ['render-failed', 'outside', 'the files of the source could not be written (ENOSPC)'];
  assert.deepEqual(JSON.parse(stdout || 'null'), [full, 'rendered', []], stderr);
});

test('a render that is given up ends its tool', async () => {
  const house = withHelm('waits', 'sleep 304.5', { toolMs: 30_000 });
  const stop = new AbortController();
  const render = house.render({ files, source, signal: stop.signal });
  setTimeout(() => stop.abort(), 200);
  await assert.rejects(render, { code: 'cancelled' });
  assert.ok(!running('sleep 304.5'));
});

test('one tenant cannot take every place', async () => {
  const house = withHelm('slow', `[ -e Slow ] && sleep 2\nprintf '${configMap('x').replaceAll('\n', '\\n')}'`, {
    toolMs: 30_000,
  });
  const slow = Array.from({ length: 8 }, (_, i) =>
    // Of as many repositories as they like.
    house.render({ files: { ...files, 'app/Slow': `${i}` }, source, scope: `repository-${i}` }),
  );
  let slowDone = 0;
  for (const each of slow) void each.then(() => (slowDone += 1));
  await house.render({ files, source, context: { project: 'team-b' } });
  assert.ok(slowDone < slow.length);
  await Promise.all(slow);
});
