// Runs a suite of tests in few processes and says at the end, on one line, how many passed and failed.
//
//   node tools/run-tests.ts unit              everything that needs no real cluster (npm test)
//   node tools/run-tests.ts real              what runs against a real kube-apiserver (npm run test:real)
//   node tools/run-tests.ts long              the whole sweeps (npm run test:long)
//   node tools/run-tests.ts unit src/core     only files under these paths
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';

interface Count {
  pass: number;
  fail: number;
  skipped: number;
}

const suites: Record<string, { files: string[]; without?: string[]; env: Record<string, string> }> = {
  unit: {
    files: ['src/**/*.test.ts', 'test/**/*.test.ts', 'tools/**/*.test.ts', 'bench/**/*.test.ts'],
    without: ['.real.test.ts', '.long.test.ts'],
    env: { ARGOSY_TEST_CLUSTER: 'embedded' },
  },
  real: {
    files: ['test/compat/kube/**/*.test.ts', 'test/e2e/**/*.test.ts', '{src,test}/**/*.real.test.ts'],
    without: ['.long.test.ts'],
    env: { ARGOSY_TEST_CLUSTER: 'real' },
  },
  long: { files: ['{src,test}/**/*.long.test.ts'], env: { ARGOSY_TEST_CLUSTER: 'real', ARGOSY_TEST_LONG: '1' } },
};

const [name = 'unit', ...paths] = process.argv.slice(2);
const suite = suites[name];
if (suite === undefined) {
  console.error(`unknown suite ${name}; there are: ${Object.keys(suites).join(', ')}`);
  process.exit(2);
}
const files = [...new Set(globSync(suite.files))]
  .filter((file) => !(suite.without ?? []).some((end) => file.endsWith(end)))
  .filter((file) => paths.length === 0 || paths.some((path) => file.startsWith(path)))
  .sort();
if (files.length === 0) {
  console.error('no test file matches');
  process.exit(2);
}

// Tests of the pure core share one process (start-up is most of their time); those with neighbours get their own.
const shared = files.filter((file) => file.startsWith('src/core/') || file.startsWith('test/house/'));
const own = files.filter((file) => !shared.includes(file));
// One real cluster serves all files of a run; those that restart or break it start their own.
const cluster = name === 'real' || name === 'long' ? await startShared() : undefined;
const total: Count = { pass: 0, fail: 0, skipped: 0 };
const failures: string[] = [];
if (shared.length > 0) await run(shared, ['--test-isolation=none']);
if (own.length > 0) await run(own, ['--test-concurrency=2']);
await cluster?.stop();
for (const failure of failures) console.log(failure);
console.log(`${total.pass} passed, ${total.fail} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ''}`);
process.exitCode = total.fail > 0 || failures.length > 0 ? 1 : 0;

async function run(these: string[], flags: string[]): Promise<void> {
  const child = spawn(
    process.execPath,
    ['--import=./tools/leave.ts', '--test', ...flags, '--test-reporter=spec', '--test-timeout=300000', ...these],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, NODE_OPTIONS: '--disable-warning=ExperimentalWarning', ...suite?.env, ...cluster?.env },
    },
  );
  let tail = '';
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (text: string) => {
    process.stdout.write(text);
    tail = (tail + text).slice(-200_000);
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  const count = (word: string): number =>
    Number([...tail.matchAll(new RegExp(`^ℹ ${word} (\\d+)$`, 'gm'))].at(-1)?.[1] ?? 0);
  total.pass += count('pass');
  total.fail += count('fail') + count('cancelled');
  total.skipped += count('skipped') + count('todo');
  if (code !== 0 && count('fail') + count('cancelled') === 0) failures.push(`the test process ended with ${code}`);
}

async function startShared(): Promise<{ env: Record<string, string>; stop(): Promise<void> }> {
  const child = spawn(process.execPath, ['test/support/real-cluster.ts', '--serve'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  child.stdout.setEncoding('utf8');
  const line = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (chunk: string) => {
      text += chunk;
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
    });
    void ended.then(() => reject(new Error('the real cluster did not start')));
  });
  const { dir } = JSON.parse(line) as { dir: string };
  return {
    env: { ARGOSY_REAL_CLUSTER: dir },
    stop: async () => {
      child.stdin.end();
      await ended;
    },
  };
}
