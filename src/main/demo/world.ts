import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'js-yaml';
import type { Controller } from '../../controller/index.ts';
import { ArgosyError } from '../../core/errors/index.ts';
import type { Json } from '../../core/json/index.ts';
import { asJson, type KubeObject } from '../../core/objects/index.ts';
import { type Connection, connect, parseKubeconfig, type Resource, serviceAccounts } from '../../kube/index.ts';
import { type AuditRecord, type EmbeddedCluster, startCluster } from '../../kubeserver/index.ts';
import { createMetrics, type Logger } from '../../telemetry/index.ts';
import { startInstallation } from '../controller.ts';
import {
  controlPlane,
  homeOf,
  platform,
  prodOf,
  repositoryFiles,
  tenantObjects,
  tenants,
  workload,
} from './objects.ts';
import { createRepository, type DemoRepository } from './repository.ts';

/** A write some cluster of the demo has seen, and as whom. */
export interface Write {
  readonly cluster: 'control-plane' | 'workloads';
  readonly verb: string;
  readonly object: string;
  readonly as: string;
}

/** Everything the demo runs: two clusters, a repository, the controller. */
export interface Demo {
  readonly repository: DemoRepository;
  readonly directory: string;
  readonly kubeconfigs: { readonly controlPlane: string; readonly workloads: string };
  readonly control: Connection;
  readonly workloads: Connection;
  readonly controller: Controller;
  /** Every write to the tenants' namespaces so far by the controller, as itself or in a tenant's name, oldest first. */
  writes(): readonly Write[];
  stop(): Promise<void>;
}

/** Starts the demo in a directory of its own, which goes with it, also where a part does not start. */
export async function startDemo(log: Logger, version: string): Promise<Demo> {
  const endings: (() => unknown)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of endings.reverse()) await end();
  };
  try {
    return { ...(await start(log, version, endings)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(log: Logger, version: string, endings: (() => unknown)[]): Promise<Omit<Demo, 'stop'>> {
  const directory = mkdtempSync(join(tmpdir(), 'argosy-demo-'));
  endings.push(() => rmSync(directory, { recursive: true, force: true }));
  const writes: Write[] = [];
  const open = async (name: Write['cluster']): Promise<{ cluster: EmbeddedCluster; connection: Connection }> => {
    const cluster = await startCluster({ auditLog: (record) => void writes.push(...writeOf(name, record)) });
    endings.push(() => cluster.stop());
    const connection = await admin(cluster, version);
    endings.push(() => connection.close());
    return { cluster, connection };
  };
  const first = await open('control-plane');
  const second = await open('workloads');
  const repository = await createRepository(join(directory, 'repository'), repositoryFiles);
  await applyAll(first.connection, [...crds(), ...platform(`127.0.0.1:${second.cluster.port}`)]);
  await applyAll(second.connection, workload());
  const own = await tokenOf(first.connection, controlPlane, 'argosy');
  const connection = connect(
    {
      server: first.cluster.url,
      caData: Buffer.from(first.cluster.caPem),
      credential: { type: 'token', token: own },
    },
    { version },
  );
  endings.push(() => connection.close());
  const controller = startInstallation({
    connection,
    installation: { controlPlane },
    cacheDir: join(directory, 'cache'),
    log,
    metrics: createMetrics(),
    pollMs: 500,
    version,
  });
  endings.push(() => controller.stop());
  for (const tenant of tenants) {
    const token = await tokenOf(second.connection, prodOf(tenant), 'deployer');
    const { url: server, caPem: ca } = second.cluster;
    await applyAll(first.connection, tenantObjects(tenant, { server, ca, token }, repository.url));
  }
  const kubeconfigs = {
    controlPlane: join(directory, 'control-plane.kubeconfig'),
    workloads: join(directory, 'workloads.kubeconfig'),
  };
  writeFileSync(kubeconfigs.controlPlane, first.cluster.adminKubeconfig(), { mode: 0o600 });
  writeFileSync(kubeconfigs.workloads, second.cluster.adminKubeconfig(), { mode: 0o600 });
  return {
    repository,
    directory,
    kubeconfigs,
    control: first.connection,
    workloads: second.connection,
    controller,
    writes: () => writes,
  };
}

async function admin(cluster: EmbeddedCluster, version: string): Promise<Connection> {
  const parsed = await parseKubeconfig([
    { file: 'kubeconfig', content: JSON.parse(cluster.adminKubeconfig()) as Json },
  ]);
  if (!parsed.ok) throw new Error(`the embedded cluster's kubeconfig cannot be read: ${parsed.problems.join('; ')}`);
  return connect(parsed.value, { version });
}

function crds(): KubeObject[] {
  // Beside `src` in a checkout, beside `dist` in a package.
  const places = ['../../../deploy/crds/', '../deploy/crds/'].map((up) => new URL(up, import.meta.url));
  const directory = places.find((place) => existsSync(place));
  if (directory === undefined) throw new ArgosyError('internal', 'deploy/crds is missing beside the program');
  return readdirSync(directory).map((file) => load(readFileSync(new URL(file, directory), 'utf8')) as KubeObject);
}

async function applyAll(connection: Connection, objects: readonly KubeObject[]): Promise<void> {
  for (const object of objects) {
    const resource = await resourceOf(connection, object);
    await connection.apply(resource, object, { fieldManager: 'argosy-demo', force: true });
  }
}

/** The kind of an object as the cluster serves it; a CRD needs a moment until its kind is. */
async function resourceOf(connection: Connection, { apiVersion, kind }: KubeObject): Promise<Resource> {
  for (let tries = 0; tries < 50; tries++) {
    const { resources } = await connection.discover({ fresh: tries > 0 });
    const found = resources.find(
      (each) =>
        each.kind === kind && (each.group === '' ? each.version : `${each.group}/${each.version}`) === apiVersion,
    );
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`the embedded cluster does not serve ${apiVersion} ${kind}`);
}

async function tokenOf(connection: Connection, namespace: string, name: string): Promise<string> {
  const request: KubeObject = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: { name, namespace },
    spec: { expirationSeconds: 86_400 },
  };
  const answer = asJson(await connection.create(serviceAccounts, request, { subresource: 'token' }));
  const { token } = answer['status'] as { token: string }; // a TokenRequest always answers with one
  return token;
}

const reading = new Set(['get', 'list', 'watch']);

/** The audit record as a write of the controller, in whoever's name; nothing for everything else. */
function writeOf(cluster: Write['cluster'], { info, user, impersonated, code }: AuditRecord): Write[] {
  if (!info.isResource || reading.has(info.verb) || code >= 400) return [];
  if (![...tenants.map(homeOf), ...tenants.map(prodOf)].includes(info.namespace)) return [];
  const as = impersonated?.name ?? user.name;
  if (!as.startsWith('system:serviceaccount:') || as.startsWith('system:serviceaccount:kube-system:')) return [];
  return [{ cluster, verb: info.verb, object: `${info.resource} ${info.namespace}/${info.name}`, as }];
}
