// One measurement in a process of its own, since memory and CPU are the process's:
//   node --expose-gc bench/probes/list-probe.ts MODE   with the target as JSON on standard input
// MODE: read (bytes thrown away), parse (split and parsed item by item), ours, ours-stall (with the loop watched).
import { readFileSync, writeFileSync } from 'node:fs';
import { connect, type Resource } from '../../src/kube/index.ts';
import { BareClient, type Target } from './bare-client.ts';
import { SplitAndParse } from './split-and-parse.ts';

/** What one probe saw. */
export interface ListProbe {
  readonly count: number;
  readonly bytes: number;
  readonly wallMs: number;
  readonly cpuMs: number;
  /** Peak resident memory over what the process had before the list. */
  readonly surplusMiB: number;
  /** The longest stretch of CPU between two turns of the main loop. */
  readonly stallMs: number;
}

const plurals = ['configmaps', 'secrets', 'pods'];
const kinds: readonly Resource[] = ['ConfigMap', 'Secret', 'Pod'].map((kind, at) => ({
  group: '',
  version: 'v1',
  kind,
  plural: plurals[at] ?? '',
  namespaced: true,
  verbs: [],
}));
const [mode = 'read'] = process.argv.slice(2);
const target = JSON.parse(readFileSync(0, 'utf8')) as Target; // written by bench/kube.ts
const [begin, end] = loopWatch();

const bare = new BareClient(target);
const ours = connect({
  server: target.url,
  caData: Buffer.from(target.ca),
  credential: { type: 'token', token: target.token },
});
// Connections, code and the process's own memory first: they are no part of the list.
await (mode.startsWith('ours') ? ours.version() : bare.read('/version', () => undefined));
await warmUp();
globalThis.gc?.();
const before = process.memoryUsage.rss();
writeFileSync('/proc/self/clear_refs', '5'); // the kernel forgets the peak so far
const [wall, cpu] = [performance.now(), process.cpuUsage()];
begin();
const { count, bytes } = await measured();
const stallMs = end();
const used = process.cpuUsage(cpu);
const probe: ListProbe = {
  count,
  bytes,
  wallMs: performance.now() - wall,
  cpuMs: (used.user + used.system) / 1000,
  surplusMiB: (peak() - before) / 2 ** 20,
  stallMs,
};
console.log(JSON.stringify(probe));
bare.close();
await ours.close();

async function warmUp(): Promise<void> {
  const one = kinds[1];
  if (one === undefined) return;
  if (mode.startsWith('ours')) await ours.list(one, { namespace: 'bench-0', resourceVersion: '0' }, () => undefined);
  else {
    const parser = new SplitAndParse();
    await bare.read('/api/v1/namespaces/bench-0/secrets?resourceVersion=0', (chunk) => parser.push(chunk));
  }
}

async function measured(): Promise<{ count: number; bytes: number }> {
  let [total, size] = [0, 0];
  for (const kind of kinds) {
    if (mode.startsWith('ours')) {
      const { count: seen } = await ours.list(kind, { resourceVersion: '0' }, (item) => {
        if (item.metadata.name === undefined) throw new Error('an item without a name');
      });
      total += seen;
      continue;
    }
    const parser = new SplitAndParse();
    await bare.read(`/api/v1/${kind.plural}?resourceVersion=0`, (chunk) => {
      size += chunk.length;
      if (mode === 'parse') parser.push(chunk);
    });
    total += parser.count;
  }
  return { count: total, bytes: size };
}

function peak(): number {
  const line = /VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  return Number(line ?? 0) * 1024;
}

/** Measures the CPU time of this thread from one turn of the loop to the next. */
function loopWatch(): [begin: () => void, end: () => number] {
  if (mode !== 'ours-stall') return [() => undefined, () => 0];
  let [longest, last, running] = [0, 0, false];
  const cpuNow = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  const turn = (): void => {
    const now = cpuNow();
    longest = Math.max(longest, now - last);
    last = now;
    if (running) setImmediate(turn);
  };
  const start = (): void => {
    running = true;
    last = cpuNow();
    setImmediate(turn);
  };
  const stop = (): number => {
    running = false;
    return longest;
  };
  return [start, stop];
}
