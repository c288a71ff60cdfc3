import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../../src/core/json/index.ts';
import type { KubeObject } from '../../src/core/objects/index.ts';
import { type Connection, connect, readKubeconfig } from '../../src/kube/index.ts';
import { createTestRepository, type TestRepository } from '../../test/support/git-repository.ts';
import type { AuditEvent } from '../../test/support/real-audit.ts';
import { type RealCluster, startRealCluster } from '../../test/support/real-cluster.ts';
import { type Contestant, startContestant } from './contestant.ts';
import { applications, configMap, installCrds, until, type Writes, writesSince } from './stage.ts';

/** Everything the scenarios share. */
export interface Bench {
  readonly full: boolean;
  readonly cluster: RealCluster;
  /** For floors and for outsiders: not the controller's. */
  readonly floor: Connection;
  readonly repository: TestRepository;
  /** How many Applications' folders the repository has. */
  readonly folders: number;
  /** Applications by key, as an independent watch sees them. */
  readonly seen: ReadonlyMap<string, AppSeen>;
  /** Starts a controller over a control plane. */
  start(controlPlane: string, appNamespaces?: readonly string[]): Promise<Contestant>;
  /** The audit log so far, without the bodies of what was written. */
  audit(): readonly AuditEvent[];
  /** An index of the audit log, for `writes`. */
  mark(): number;
  /** What controllers have written since then. */
  writes(since: number): Writes;
  close(): Promise<void>;
}

/** What an independent watch has seen of an Application. */
export interface AppSeen {
  readonly synced: boolean;
  readonly status: JsonObject;
}

/** How the controller's calls are told apart in the audit log. */
export const version = 'subject';
export const agent = `argosy/${version}`;

/** Starts a real cluster with our CRDs, and a repository with so many folders. */
export async function openBench(full: boolean, folders: number): Promise<Bench> {
  const cluster = await startRealCluster({ own: true, controllers: false, fsync: true });
  const floor = connect(await readKubeconfig(cluster.kubeconfig), { version: 'floor' });
  const repository = createTestRepository(
    Object.fromEntries(
      Array.from({ length: folders }, (_, at) => [`app-${at}/map.yaml`, JSON.stringify(configMap(at))]),
    ),
  );
  const dir = mkdtempSync(join(tmpdir(), 'argosy-bench-controller-'));
  const running = new Set<Contestant>();
  const seen = new Map<string, AppSeen>();
  const audit = leanAudit(cluster);
  await installCrds(floor);
  const following = follow(floor, seen);
  return {
    full,
    cluster,
    floor,
    repository,
    folders,
    seen,
    async start(controlPlane, appNamespaces = []) {
      const { kubeconfig } = cluster;
      const cacheDir = join(dir, controlPlane);
      const order = { kubeconfig, controlPlane, appNamespaces, cacheDir, pollMs: 3_600_000, version };
      const contestant = await startContestant(order);
      running.add(contestant);
      return contestant;
    },
    audit,
    mark: () => audit().length,
    writes: (since) => writesSince(audit(), since, agent),
    async close() {
      following.stop();
      for (const contestant of running) await contestant.stop();
      await floor.close();
      await cluster.stop();
      repository.remove();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Waits until an independent watch has seen all of these synced. */
export async function untilSynced({ seen }: Bench, keys: readonly string[]): Promise<void> {
  let at = 0;
  await until(
    'sync of all Applications',
    () => {
      while (at < keys.length && seen.get(keys[at] ?? '')?.synced === true) at++;
      return at === keys.length;
    },
    600_000,
  );
}

function follow(floor: Connection, seen: Map<string, AppSeen>): { stop(): void } {
  const note = (object: KubeObject): void => {
    const status = (object['status'] ?? {}) as JsonObject & { sync?: { status?: string } }; // an Application's
    const synced = status.sync?.status === 'Synced' && object['operation'] === undefined;
    seen.set(`${object.metadata.namespace}/${object.metadata.name}`, { synced, status });
  };
  return floor.follow(
    applications,
    {},
    {
      restart: () => undefined,
      upsert: note,
      remove: () => undefined,
      complete: () => undefined,
      broken: () => 'retry',
    },
  );
}

/** Bodies are most of the log, and tens of thousands of them would be kept for nothing. */
function leanAudit(cluster: RealCluster): () => readonly AuditEvent[] {
  let done = 0;
  return () => {
    const events = cluster.audit();
    for (; done < events.length; done++) {
      const event: { requestObject?: unknown; responseObject?: unknown } = events[done] ?? {};
      delete event.requestObject;
      delete event.responseObject;
    }
    return events;
  };
}
