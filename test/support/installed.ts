import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { type KubectlResult, type RealCluster, startRealCluster } from './real-cluster.ts';
import { kubeconfigOf } from './real-files.ts';
import { findBinary, freePorts } from './real-processes.ts';
import { until } from './story.ts';

/** `argosy run` as a process of its own, with no other credential than the installed account's. */
export interface RunningProgram {
  /** What it answers at a path of its port, with the status. */
  ask(path: string, token?: string): Promise<string>;
  /** Its log so far. */
  log(): string;
  stop(): Promise<void>;
}

/** A real cluster into which an installation of `deploy/` is put as the guides say. */
export interface Installed {
  readonly cluster: RealCluster;
  /** Runs kubectl as the administrator; fails unless it succeeds. */
  kubectl(...args: string[]): Promise<string>;
  tryKubectl(...args: string[]): Promise<KubectlResult>;
  /** Applies YAML as the administrator. */
  apply(yaml: string): Promise<void>;
  /** Renders a kustomization of `deploy/` with the real kustomize and applies what comes out. */
  install(folder: string): Promise<void>;
  /** The same for a base that wants its namespace set. */
  installInto(folder: string, namespace: string): Promise<void>;
  /** Every right an account has in a namespace beyond those of any account: `kinds [names] verbs`, sorted. */
  rights(account: string, namespace: string): Promise<string[]>;
  run(account: string, ...flags: string[]): Promise<RunningProgram>;
  stop(): Promise<void>;
}

/** Starts the cluster, with the CRDs in it unless somebody else brings them. */
export async function openInstallation({ crds = true } = {}): Promise<Installed> {
  const cluster = await startRealCluster({ own: true });
  const dir = mkdtempSync(join(tmpdir(), 'argosy-installed-'));
  const kubectl = async (args: readonly string[], input?: string): Promise<string> => {
    const { code, stdout, stderr } = await cluster.kubectl(args, input === undefined ? {} : { input });
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  const apply = async (yaml: string): Promise<void> => void (await kubectl(['apply', '-f', '-'], yaml));
  if (crds) {
    await kubectl(['apply', '-f', 'deploy/crds']);
    // Not `kubectl wait`: it fails, instead of waiting, on a definition that has no condition yet.
    const served = (): Promise<KubectlResult> => cluster.kubectl(['get', 'applications,appprojects', '-A']);
    await until(served, ({ code }) => code === 0);
  }
  return {
    cluster,
    apply,
    kubectl: (...args) => kubectl(args),
    tryKubectl: (...args) => cluster.kubectl(args),
    install: (folder) => apply(kustomize(folder)),
    installInto: async (folder, namespace) => {
      const overlay = mkdtempSync(join(dir, 'overlay-'));
      const resources = [relative(overlay, join(process.cwd(), folder))];
      writeFileSync(join(overlay, 'kustomization.yaml'), JSON.stringify({ namespace, resources }));
      await apply(kustomize(overlay));
    },
    rights: async (account, namespace) => {
      const list = async (as: string): Promise<string[]> =>
        rightsIn(await kubectl(['auth', 'can-i', '--list', `--as=${as}`, '-n', namespace]));
      const anybody = await list('system:serviceaccount:default:nobody');
      return (await list(account)).filter((right) => !anybody.includes(right)).sort();
    },
    run: async (account, ...flags) => {
      const [namespace = '', name = ''] = account.split('/');
      const token = (await kubectl(['create', 'token', name, '-n', namespace])).trim();
      const kubeconfig = join(mkdtempSync(join(dir, 'run-')), 'kubeconfig');
      writeFileSync(kubeconfig, kubeconfigOf(cluster.url, cluster.ca, token), { mode: 0o600 });
      return start(kubeconfig, ['--namespace', namespace, ...flags]);
    },
    stop: async () => {
      await cluster.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

function kustomize(folder: string): string {
  return execFileSync(findBinary('kustomize', 'KUSTOMIZE'), ['build', folder], { encoding: 'utf8', timeout: 60_000 });
}

/** The table of `kubectl auth can-i --list` as lines; paths that are no objects are everybody's and left out. */
function rightsIn(table: string): string[] {
  const lines = table.split('\n').slice(1);
  const rows = lines.map((line) => /^(\S+) +\[\] +\[(.*?)\] +\[(.*?)\]$/.exec(line.trimEnd()));
  return rows.flatMap((row) => {
    if (row === null) return [];
    const [, kinds = '', names = '', verbs = ''] = row;
    return [names === '' ? `${kinds} ${verbs}` : `${kinds} [${names}] ${verbs}`];
  });
}

async function start(kubeconfig: string, flags: readonly string[]): Promise<RunningProgram> {
  const [port = 0] = await freePorts(1);
  const args = ['run', '--kubeconfig', kubeconfig, '--port', String(port), '--repo-poll-seconds', '1', ...flags];
  const child = spawn(process.execPath, ['src/main/argosy.ts', ...args], {
    env: { PATH: process.env['PATH'], HOME: join(kubeconfig, '..') },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), 15_000);
    await ended;
    clearTimeout(timer);
  };
  const ask = async (path: string, token?: string): Promise<string> => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
    return `${response.status} ${(await response.text()).trim()}`;
  };
  const ready = async (): Promise<string> => (child.exitCode === null ? ask('/readyz').catch(String) : `ended: ${log}`);
  try {
    await until(ready, (answer) => answer === '200 ok' || answer.startsWith('ended'), 60_000);
    if (child.exitCode !== null) throw new Error(log);
  } catch (error) {
    await stop();
    throw error;
  }
  return { ask, log: () => log, stop };
}
