import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FaultProxy } from './fault-proxy.ts';
import type { TestRepository } from './git-repository.ts';
import { appView, type Stage, until } from './story.ts';

/** A place in a sync where the controller is killed: the piece of bytes it was about to send, or had just sent. */
export interface KillPoint {
  readonly piece: number;
  readonly when: 'before' | 'after';
}

/** Where a sweep runs: a tenant made with `tenantPlatform(name)`, and the proxy its controller goes through. */
export interface SweepOptions {
  readonly stage: Stage;
  readonly proxy: FaultProxy;
  readonly repository: TestRepository;
  readonly tenant: string;
}

/** `argosy run` as a process of its own, killed with SIGKILL and started again. */
export interface Sweep {
  /** Syncs an Application of four waves and two hooks undisturbed; answers how many pieces that took. */
  measure(name: string): Promise<number>;
  /** Syncs another one, kills the controller at the point, starts it again, and proves what the audit log must show. */
  killAt(name: string, point: KillPoint): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the first controller. */
export function startSweep(options: SweepOptions): Sweep {
  const { stage, proxy, tenant, repository } = options;
  const dir = mkdtempSync(join(tmpdir(), 'argosy-sweep-'));
  const kubeconfig = join(dir, 'kubeconfig');
  const text = readFileSync(stage.cluster.kubeconfig, 'utf8').replaceAll(stage.cluster.url, proxy.url);
  writeFileSync(kubeconfig, text, { mode: 0o600 });
  const start = (): ChildProcess => startProgram(kubeconfig, tenant, join(dir, 'repos'));
  let program = start();
  const begin = async (name: string): Promise<void> => {
    repository.commit(fourWaves(name));
    await stage.apply(application(tenant, name, repository.url));
  };
  const finish = async (name: string): Promise<void> => {
    const app = await until(
      () => appView(stage, `${tenant}-team`, name),
      (found) => found?.operation === undefined && found?.status?.sync?.status === 'Synced',
      60_000,
    );
    assert.equal(app?.status?.operationState?.phase, 'Succeeded', app?.status?.operationState?.message);
    proveNothingDoubled(stage, tenant, name);
  };
  return {
    async measure(name) {
      // The first one also tells that the controller is up.
      await begin(`${name}-first`);
      await finish(`${name}-first`);
      const from = proxy.sent();
      await begin(name);
      await finish(name);
      return proxy.sent() - from;
    },
    async killAt(name, { piece, when }) {
      const ended = new Promise<void>((resolve) => program.once('exit', () => resolve()));
      proxy.at(proxy.sent() + piece, when, () => {
        program.kill('SIGKILL');
        proxy.reset();
      });
      await begin(name);
      await ended;
      program = start();
      await finish(name);
    },
    async stop() {
      const ended = new Promise<void>((resolve) => program.once('exit', () => resolve()));
      if (program.exitCode === null && program.signalCode === null) {
        program.kill('SIGKILL');
        await ended;
      }
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

function startProgram(kubeconfig: string, tenant: string, cacheDir: string): ChildProcess {
  const flags = [`--kubeconfig=${kubeconfig}`, `--namespace=${tenant}-argocd`, `--repo-cache-dir=${cacheDir}`];
  const more = [`--application-namespaces=${tenant}-team`, '--port=0', '--repo-poll-seconds=1', '--loglevel=warn'];
  return spawn(process.execPath, ['src/main/argosy.ts', 'run', ...flags, ...more], { stdio: 'ignore' });
}

/** Each object was made once, nothing that Git has was deleted, and a hook was never asked for again. */
function proveNothingDoubled(stage: Stage, tenant: string, name: string): void {
  const events = stage
    .writes('configmaps', `${tenant}-shop`)
    .filter(
      ({ objectRef, responseStatus }) => objectRef?.name?.startsWith(`${name}-`) && (responseStatus?.code ?? 0) < 300,
    );
  const deleted = events.filter(({ verb }) => verb.startsWith('delete')).map(({ objectRef }) => objectRef?.name);
  assert.deepEqual(deleted, [], `${name}: something was deleted`);
  for (const part of parts) {
    const made = events.filter(({ objectRef, responseStatus }) => {
      return objectRef?.name === `${name}-${part}` && responseStatus?.code === 201;
    });
    assert.equal(made.length, 1, `${name}-${part} was made ${made.length} times`);
  }
  for (const hook of ['pre', 'post']) {
    // Taking the finalizer off a hook that is done is a plain patch; to ask for a hook is to apply it.
    const asked = events.filter(({ objectRef, requestURI }) => {
      return objectRef?.name === `${name}-${hook}` && requestURI.includes('force=true');
    });
    assert.equal(asked.length, 1, `the hook ${name}-${hook} was asked for ${asked.length} times`);
  }
}

const parts = ['pre', 'one', 'two', 'three', 'four', 'post'];

function fourWaves(name: string): Record<string, string> {
  const notes: Record<string, string> = {
    pre: 'argocd.argoproj.io/hook: PreSync',
    post: 'argocd.argoproj.io/hook: PostSync',
  };
  const files = parts.map((part, wave) => [
    `${name}/${part}.yaml`,
    `apiVersion: v1
kind: ConfigMap
metadata: {name: ${name}-${part}, annotations: {${notes[part] ?? `argocd.argoproj.io/sync-wave: "${wave}"`}}}
data: {part: ${part}}
`,
  ]);
  return Object.fromEntries(files) as Record<string, string>; // pairs of strings
}

function application(tenant: string, name: string, url: string): string {
  return `
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: ${name}, namespace: ${tenant}-team}
spec:
  project: ${tenant}-team
  source: {repoURL: '${url}', path: ${name}, targetRevision: main}
  destination: {server: https://kubernetes.default.svc, namespace: ${tenant}-shop}
  syncPolicy: {automated: {prune: true, selfHeal: true}}
`;
}
