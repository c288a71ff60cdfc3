import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CallProxy, holdAt, type Script, startCallProxy } from './call-proxy.ts';
import { type ControllerProcess, startControllerProcess } from './controller-process.ts';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import { createTestRepository, type TestRepository } from './git-repository.ts';
import { type RealCluster, type RealClusterOptions, startRealCluster } from './real-cluster.ts';
import { openStage, type Stage, until } from './story.ts';
import {
  endState,
  proveHooksRanOnce,
  proveOnce,
  type Subject,
  tenWaveApplication,
  tenWaves,
  untilSynced,
} from './ten-waves.ts';
import { tenantPlatform } from './tenant.ts';

/** A tenant on a real cluster whose controller speaks to the API server through two proxies: bytes, then calls. */
export interface FaultStage {
  readonly stage: Stage;
  readonly cluster: RealCluster;
  readonly tenant: string;
  readonly wire: FaultProxy;
  readonly calls: CallProxy;
  readonly repository: TestRepository;
  readonly kubeconfig: string;
  /** Starts another controller on the same tenant; it ends with the stage. It may hear everything later than others. */
  startController(options?: { readonly lateMs?: number }): Promise<ControllerProcess>;
  /** Begins a sync and answers when its wave of this number is on its way to the API server, where it waits. */
  beginHeldAt(
    name: string,
    part: string,
    policy?: string,
  ): Promise<{ subject: Subject; release(script?: Script): void }>;
  /** Begins a sync of ten waves; `policy` is added to its syncPolicy. */
  begin(name: string, policy?: string): Promise<Subject>;
  /** Ends with the same objects and the same status as an undisturbed sync, everything done once. */
  proveCalm(subject: Subject): Promise<void>;
  stop(): Promise<void>;
}

/** Opens the stage and starts nothing yet. */
export async function openFaultStage(tenant: string, options: RealClusterOptions = {}): Promise<FaultStage> {
  const cleanups: (() => unknown)[] = [];
  const stop = async (): Promise<void> => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  };
  try {
    return await open(tenant, options, { cleanups, stop });
  } catch (error) {
    // What listens would keep the process from ending, and the failure from being told.
    await stop();
    throw error;
  }
}

interface Life {
  /** Run in reverse order at the end. */
  readonly cleanups: (() => unknown)[];
  stop(): Promise<void>;
}

async function open(tenant: string, options: RealClusterOptions, { cleanups, stop }: Life): Promise<FaultStage> {
  const cluster = await startRealCluster(options);
  cleanups.push(() => cluster.stop());
  const calls = await startCallProxy(cluster);
  cleanups.push(() => calls.close());
  const wire = await startFaultProxy(calls.url);
  cleanups.push(() => wire.close());
  const stage = await openStage({ cluster: { flavour: 'real', ...cluster } });
  cleanups.push(() => stage.stop());
  const repository = createTestRepository();
  cleanups.push(() => repository.remove());
  const dir = mkdtempSync(join(tmpdir(), 'argosy-faults-'));
  cleanups.push(() => rmSync(dir, { recursive: true, force: true, maxRetries: 3 }));
  const kubeconfigFor = (url: string, name = 'kubeconfig'): string => {
    const text = readFileSync(cluster.kubeconfig, 'utf8').replaceAll(cluster.url, url);
    writeFileSync(join(dir, name), text, { mode: 0o600 });
    return join(dir, name);
  };
  const kubeconfig = kubeconfigFor(wire.url);
  /** Another wire, on which everything comes so much later. */
  const lateWire = async (delayMs: number): Promise<string> => {
    const late = await startFaultProxy(calls.url);
    cleanups.push(() => late.close());
    late.pace({ delayMs });
    return kubeconfigFor(late.url, `kubeconfig-${cleanups.length}`);
  };
  await stage.apply(tenantPlatform(tenant));
  const begin = async (name: string, policy = ''): Promise<Subject> => {
    repository.commit(tenWaves(name));
    await stage.apply(tenWaveApplication(tenant, name, repository.url, policy));
    return { stage, tenant, name };
  };
  let calm: unknown;
  return {
    ...{ stage, cluster, tenant, wire, calls, repository, kubeconfig, begin, stop },
    async beginHeldAt(name, part, policy) {
      const held = holdAt(calls, ({ path }) => path.endsWith(`/configmaps/${name}-${part}`));
      const subject = await begin(name, policy);
      await within(held.reached, `${name}-${part} was not asked for`);
      return { subject, release: held.release };
    },
    async startController({ lateMs } = {}) {
      const starting = startControllerProcess({
        kubeconfig: lateMs === undefined ? kubeconfig : await lateWire(lateMs),
        controlPlane: `${tenant}-argocd`,
        appNamespaces: [`${tenant}-team`],
        cacheDir: mkdtempSync(join(dir, 'cache-')),
        // Whose answers come late must not be taken for dead.
        pingMs: 500 + 4 * (lateMs ?? 0),
      });
      const controller = await within(starting, 'the controller did not start');
      cleanups.push(() => controller.kill());
      return controller;
    },
    async proveCalm(subject) {
      await untilSynced(subject);
      proveOnce(subject);
      proveHooksRanOnce(subject);
      // What was deleted in the foreground goes when the garbage collector has seen it.
      const gone = until(
        () => endState(subject),
        (state) => !JSON.stringify(state).includes('deletionTimestamp'),
        deadlineMs,
      );
      calm ??= await gone;
      assert.deepEqual(await gone, calm);
    },
  };
}

const deadlineMs = 120_000;

async function within<T>(promise: Promise<T>, otherwise: string): Promise<T> {
  const timer = Promise.withResolvers<never>();
  const timeout = setTimeout(() => timer.reject(new Error(`${otherwise} within ${deadlineMs} ms`)), deadlineMs);
  try {
    return await Promise.race([promise, timer.promise]);
  } finally {
    clearTimeout(timeout);
  }
}
