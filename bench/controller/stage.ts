import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadAll } from 'js-yaml';
import type { KubeObject } from '../../src/core/objects/index.ts';
import type { Connection, Resource } from '../../src/kube/index.ts';
import type { AuditEvent } from '../../test/support/real-audit.ts';

/** The kinds all scenarios are made of. */
export { applications, configMaps as maps, events, pods } from '../../src/kube/index.ts';
export const deployments: Resource = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
  verbs: [],
};

/** The same number of calls in flight as the controller has workers. */
export const inFlight = 16;

/** Carries out `count` calls, `inFlight` at once, and answers the milliseconds. */
export async function timed(count: number, call: (index: number) => Promise<unknown>): Promise<number> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await call(next++);
  };
  const from = performance.now();
  await Promise.all(Array.from({ length: inFlight }, worker));
  return performance.now() - from;
}

/** Applies all documents of a YAML text as an administrator. */
export async function applyYaml(connection: Connection, yaml: string): Promise<void> {
  for (const object of loadAll(yaml) as (KubeObject | null)[]) {
    if (object === null) continue;
    const resource = await served(connection, object.kind);
    await connection.apply(resource, object, { fieldManager: 'bench', force: true });
  }
}

async function served(connection: Connection, wanted: string): Promise<Resource> {
  for (let tries = 0; tries < 200; tries++) {
    const { resources } = await connection.discover({ fresh: tries > 0 });
    const found = resources.find((each) => each.kind === wanted);
    if (found !== undefined) return found;
    await sleep(100);
  }
  throw new Error(`the cluster does not serve ${wanted}`);
}

/** Our CRDs. */
export async function installCrds(connection: Connection): Promise<void> {
  for (const file of readdirSync('deploy/crds'))
    await applyYaml(connection, readFileSync(`deploy/crds/${file}`, 'utf8'));
  await served(connection, 'Application');
  await served(connection, 'AppProject');
}

/** Writes of the controller in the audit log; its Events apart. */
export interface Writes {
  readonly objects: AuditEvent[];
  readonly applications: AuditEvent[];
  readonly events: AuditEvent[];
  readonly others: AuditEvent[];
}

/** Sorts what was written under a user agent since an index of the log. */
export function writesSince(log: readonly AuditEvent[], index: number, agent: string): Writes {
  const reading = ['get', 'list', 'watch'];
  const all = log.slice(index).filter(({ verb, userAgent, objectRef }) => {
    return userAgent === agent && !reading.includes(verb) && objectRef?.apiGroup !== 'authorization.k8s.io';
  });
  const of = (plural: string): AuditEvent[] => all.filter(({ objectRef }) => objectRef?.resource === plural);
  const known = ['configmaps', 'applications', 'events'];
  return {
    objects: of('configmaps'),
    applications: of('applications'),
    events: of('events'),
    others: all.filter(({ objectRef }) => !known.includes(objectRef?.resource ?? '')),
  };
}

/** Waits with a deadline, looking rarely enough not to be in the way. */
export async function until(what: string, good: () => boolean, deadlineMs = 120_000): Promise<void> {
  const end = Date.now() + deadlineMs;
  while (!good()) {
    if (Date.now() > end) throw new Error(`${what}: not after ${deadlineMs} ms`);
    await sleep(5);
  }
}

/** A 2 KB ConfigMap, different for every index and turn. */
export function configMap(index: number, turn = 0): KubeObject {
  const line = (at: number): string => `${index} ${turn} ${at} ${(index * 7919 + at * 104729).toString(36).repeat(14)}`;
  const data = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`key-${at}`, line(at)]));
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `map-${index}` }, data };
}
