import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadAll } from 'js-yaml';
import type { Rhythm } from '../../src/cache/index.ts';
import type { Controller } from '../../src/controller/index.ts';
import { isArgosyError } from '../../src/core/errors/index.ts';
import type { KubeObject } from '../../src/core/objects/index.ts';
import type { Installation } from '../../src/core/policy/index.ts';
import { type Connection, connect, type Resource, readKubeconfig } from '../../src/kube/index.ts';
import { startInstallation } from '../../src/main/controller.ts';
import { createMetrics, silentLogger } from '../../src/telemetry/index.ts';
import type { AuditEvent } from './real-audit.ts';
import { type TestCluster, testCluster } from './test-cluster.ts';

/** A cluster, the controller on it, and a tenant's ways to look and to write: what a story is told with. */
export interface Stage {
  readonly cluster: TestCluster;
  readonly connection: Connection;
  /** Applies YAML as an administrator would. */
  apply(yaml: string): Promise<void>;
  get(kind: string, namespace: string, name: string): Promise<KubeObject | undefined>;
  list(kind: string, namespace: string): Promise<KubeObject[]>;
  remove(kind: string, namespace: string, name: string): Promise<void>;
  patch(kind: string, namespace: string, name: string, body: object): Promise<void>;
  /** Starts the controller; a second call starts another one after the first was stopped. */
  start(installation: Installation, options?: { readonly rhythm?: Partial<Rhythm> }): Promise<Controller>;
  /** Writes of one kind in one namespace, as the audit log tells them. */
  writes(plural: string, namespace: string): AuditEvent[];
  stop(): Promise<void>;
}

const reading = ['get', 'list', 'watch'];

/** Where a stage stands, if not on the cluster that the suite runs on. */
export interface Place {
  readonly cluster: TestCluster;
  /** What the controller is given instead of a plain connection, such as one through a proxy. */
  readonly through?: Connection;
}

/** Opens a stage on the cluster that the suite runs on, with our CRDs in it. */
export async function openStage(place?: Place): Promise<Stage> {
  const cluster = place?.cluster ?? (await testCluster());
  const connection = connect(await readKubeconfig(cluster.kubeconfig));
  const cacheDir = mkdtempSync(join(tmpdir(), 'argosy-stage-'));
  const controllers: Controller[] = [];
  const resource = (kind: string): Promise<Resource> => kindOf(connection, kind);
  const stage: Stage = {
    cluster,
    connection,
    async apply(yaml) {
      for (const object of loadAll(yaml) as (KubeObject | null)[]) {
        if (object !== null)
          await connection.apply(await resource(object.kind), object, { fieldManager: 'story', force: true });
      }
    },
    async get(kind, namespace, name) {
      return connection.get(await resource(kind), namespace, name).catch((error: unknown) => {
        if (isArgosyError(error) && error.code === 'kube-not-found') return undefined;
        throw error;
      });
    },
    async list(kind, namespace) {
      const objects: KubeObject[] = [];
      await connection.list(await resource(kind), { namespace }, (object) => void objects.push(object));
      return objects;
    },
    async remove(kind, namespace, name) {
      await connection.delete(await resource(kind), namespace, name);
    },
    async patch(kind, namespace, name, body) {
      await connection.patch(await resource(kind), namespace, name, 'merge', body as never); // stories write plain JSON
    },
    async start(installation, { rhythm } = {}) {
      const controller = startInstallation({
        connection: place?.through ?? connection,
        installation,
        cacheDir,
        log: silentLogger,
        metrics: createMetrics(),
        pollMs: 300,
        version: 'test',
        rhythm,
      });
      controllers.push(controller);
      await controller.ready;
      return controller;
    },
    writes: (plural, namespace) =>
      cluster
        .audit()
        .filter(
          ({ verb, objectRef }) =>
            !reading.includes(verb) && objectRef?.resource === plural && objectRef.namespace === namespace,
        ),
    async stop() {
      for (const controller of controllers) await controller.stop();
      await place?.through?.close();
      await connection.close();
      await cluster.stop();
      rmSync(cacheDir, { recursive: true, force: true });
    },
  };
  for (const file of readdirSync('deploy/crds')) await stage.apply(readFileSync(join('deploy/crds', file), 'utf8'));
  for (const kind of ['Application', 'AppProject']) await resource(kind);
  return stage;
}

/** The kind as the cluster serves it; a CRD needs a moment until its kind is. */
async function kindOf(connection: Connection, kind: string): Promise<Resource> {
  for (let tries = 0; tries < 100; tries++) {
    const { resources } = await connection.discover({ fresh: tries > 0 });
    const found = resources.find((each) => each.kind === kind);
    if (found !== undefined) return found;
    await sleep(100);
  }
  throw new Error(`the cluster does not serve ${kind}`);
}

/** Asks again until the answer is good; fails with the last answer at the deadline. */
export async function until<T>(read: () => Promise<T>, good: (value: T) => boolean, deadlineMs = 30_000): Promise<T> {
  const deadline = Date.now() + deadlineMs;
  for (;;) {
    const value = await read();
    if (good(value)) return value;
    assert.ok(Date.now() < deadline, `still ${JSON.stringify(value)?.slice(0, 3000)}`);
    await sleep(50);
  }
}

/** What stories read of an Application. */
export interface AppView {
  readonly metadata: {
    readonly finalizers?: readonly string[];
    readonly deletionTimestamp?: string;
    readonly annotations?: Record<string, string>;
  };
  readonly operation?: unknown;
  readonly status?: {
    readonly sync?: { readonly status?: string; readonly revision?: string };
    readonly health?: { readonly status?: string };
    readonly operationState?: {
      readonly phase?: string;
      readonly message?: string;
      readonly retryCount?: number;
      readonly syncResult?: {
        readonly revision?: string;
        readonly resources?: readonly {
          readonly name?: string;
          readonly status?: string;
          readonly message?: string;
          readonly hookPhase?: string;
          readonly syncPhase?: string;
        }[];
      };
    };
    readonly resources?: readonly {
      readonly name?: string;
      readonly status?: string;
      readonly requiresPruning?: boolean;
    }[];
    readonly conditions?: readonly { readonly type: string; readonly message: string }[];
    readonly history?: readonly { readonly id: number; readonly revision?: string }[];
  };
}

/** An Application as a story reads it. */
export async function appView(stage: Stage, namespace: string, name: string): Promise<AppView | undefined> {
  return (await stage.get('Application', namespace, name)) as AppView | undefined; // read field by field
}
