import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadAll } from 'js-yaml';
import type { Controller } from '../../src/controller/index.ts';
import { isArgosyError } from '../../src/core/errors/index.ts';
import type { KubeObject } from '../../src/core/objects/index.ts';
import type { Installation } from '../../src/core/policy/index.ts';
import { type Connection, connect, type Resource, readKubeconfig, serviceAccounts } from '../../src/kube/index.ts';
import { type InstallationOptions, startInstallation } from '../../src/main/controller.ts';
import { createMetrics, silentLogger } from '../../src/telemetry/index.ts';
import type { AuditEvent } from './real-audit.ts';
import { type TestCluster, testCluster } from './test-cluster.ts';

/** What somebody does with a cluster: an administrator on the stage itself, or a person with a token. */
export interface Hands {
  readonly connection: Connection;
  apply(yaml: string): Promise<void>;
  get(kind: string, namespace: string, name: string): Promise<KubeObject | undefined>;
  list(kind: string, namespace: string): Promise<KubeObject[]>;
  remove(kind: string, namespace: string, name: string): Promise<void>;
  patch(kind: string, namespace: string, name: string, body: object): Promise<void>;
}

/** A cluster, the controller on it, and a tenant's ways to look and to write: what a story is told with. */
export interface Stage extends Hands {
  readonly cluster: TestCluster;
  /** Starts the controller; a second call starts another one after the first was stopped. */
  start(installation: Installation, options?: StartOptions): Promise<Controller>;
  /** Writes of one kind in one namespace, as the audit log tells them. */
  writes(plural: string, namespace: string): AuditEvent[];
  stop(): Promise<void>;
}

/** How a story's controller differs from what people run: its waits, and who listens. */
export type StartOptions = Partial<Pick<InstallationOptions, 'rhythm' | 'backoffMs' | 'onRender' | 'log'>>;

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
  const kubeconfig = await readKubeconfig(cluster.kubeconfig);
  const connection = connect(kubeconfig);
  // Not the story's own: the audit log tells by the version who wrote.
  const controllers = place?.through ?? connect(kubeconfig, { version: 'test' });
  const cacheDir = mkdtempSync(join(tmpdir(), 'argosy-stage-'));
  const running: Controller[] = [];
  const stage: Stage = {
    cluster,
    ...handsOf(connection),
    async start(installation, options = {}) {
      const controller = startInstallation({
        connection: controllers,
        installation,
        cacheDir,
        log: silentLogger,
        metrics: createMetrics(),
        pollMs: 300,
        version: 'test',
        ...options,
      });
      running.push(controller);
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
      for (const controller of running) await controller.stop();
      await controllers.close();
      await connection.close();
      await cluster.stop();
      rmSync(cacheDir, { recursive: true, force: true });
    },
  };
  for (const file of readdirSync('deploy/crds')) await stage.apply(readFileSync(join('deploy/crds', file), 'utf8'));
  for (const kind of ['Application', 'AppProject']) await kindOf(connection, kind);
  return stage;
}

/** Whoever holds this connection, writing plain YAML. */
function handsOf(connection: Connection, fieldManager = 'story'): Hands {
  const resource = (kind: string): Promise<Resource> => kindOf(connection, kind);
  return {
    connection,
    async apply(yaml) {
      for (const object of loadAll(yaml) as (KubeObject | null)[]) {
        if (object !== null) await connection.apply(await resource(object.kind), object, { fieldManager, force: true });
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
  };
}

/** A service account as a person who holds its token; whoever asks closes the connection. */
export async function personOf(
  stage: Stage,
  namespace: string,
  account: string,
  fieldManager?: string,
): Promise<Hands & { readonly token: string }> {
  const credential = { type: 'token', token: await tokenOf(stage, namespace, account) } as const;
  const { url, ca } = stage.cluster;
  const connection = connect({ server: url, caData: Buffer.from(ca), credential });
  return { ...handsOf(connection, fieldManager), token: credential.token };
}

/** The kind as the cluster serves it; a CRD needs a moment until its kind is. */
export async function kindOf(connection: Connection, kind: string): Promise<Resource> {
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

/** An Application as a story reads it; who owns which field is left out, so that a failure shows what matters. */
export async function appView(stage: Stage, namespace: string, name: string): Promise<AppView | undefined> {
  const object = await stage.get('Application', namespace, name);
  if (object === undefined) return undefined;
  const { managedFields: _owners, ...metadata } = object.metadata;
  return { ...object, metadata } as AppView; // read field by field
}

/** Whether the controller's last look found everything as Git wants it, with no operation left. */
export function isSynced(app: AppView | undefined): boolean {
  return app?.status?.sync?.status === 'Synced' && app.operation === undefined;
}

/** Whether an operation ended, well or not. */
export function isOver(app: AppView | undefined): boolean {
  const phase = app?.status?.operationState?.phase ?? '';
  return app?.operation === undefined && ['Succeeded', 'Failed', 'Error'].includes(phase);
}

/** The conditions of an Application, each as `type: message`. */
export function conditionsOf(app: AppView | undefined): string[] {
  return (app?.status?.conditions ?? []).map(({ type, message }) => `${type}: ${message}`);
}

/** Waits until an Application is as asked for. */
export async function untilApp(
  stage: Stage,
  namespace: string,
  name: string,
  good: (app: AppView | undefined) => boolean,
): Promise<AppView> {
  const app = await until(() => appView(stage, namespace, name), good, 60_000);
  assert.ok(app);
  return app;
}

/** What the controllers of the stage asked of the API server about one kind in one namespace, as the audit log has it. */
export function calls(stage: Stage, plural: string, namespace?: string): AuditEvent[] {
  return stage.cluster
    .audit()
    .filter(
      ({ userAgent, objectRef }) =>
        userAgent?.startsWith('argosy/test') === true &&
        objectRef?.resource === plural &&
        objectRef.namespace === namespace,
    );
}

/** As whom a request was made: the account impersonated, or the one that asked. */
export function asWhom({ impersonatedUser, user }: AuditEvent): string {
  return impersonatedUser?.username ?? user.username;
}

/** Under which names the controllers of the stage wrote objects of a kind in a namespace, refused writes included. */
export function writersIn(stage: Stage, namespace: string, plural = 'configmaps'): string[] {
  const writes = calls(stage, plural, namespace).filter(({ verb }) => !reading.includes(verb));
  return [...new Set(writes.map(asWhom))].sort();
}

/** A token of a service account, as a TokenRequest gives it. */
export async function tokenOf(
  { connection }: Pick<Stage, 'connection'>,
  namespace: string,
  account: string,
): Promise<string> {
  const request: KubeObject = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: { name: account, namespace },
    spec: { expirationSeconds: 3600 },
  };
  const answer = await connection.create(serviceAccounts, request, { subresource: 'token' });
  return (answer['status'] as { token: string }).token; // a TokenRequest always answers with one
}

/** The Events about one object, each as `type reason: message`. */
export async function eventsAbout(stage: Stage, namespace: string, name: string): Promise<string[]> {
  const events = await stage.list('Event', namespace);
  return events
    .filter((event) => (event['involvedObject'] as { name?: string } | undefined)?.name === name)
    .map((event) => `${String(event['type'])} ${String(event['reason'])}: ${String(event['message'])}`);
}
