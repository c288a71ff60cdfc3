import { createHash } from 'node:crypto';
import { after } from 'node:test';
import type { RespectRbac } from '../../core/api/index.ts';
import { ArgosyError } from '../../core/errors/index.ts';
import type { HealthCode } from '../../core/health/index.ts';
import type { GroupKind, KubeObject, ObjectKey } from '../../core/objects/index.ts';
import type { Resource } from '../../kube/index.ts';
import { silentLogger } from '../../telemetry/index.ts';
import { type ClusterCache, createClusterCache } from '../cluster-cache.ts';
import type { Projector } from '../projection.ts';
import { kind, ManualClock, ScriptedDoor, settle } from './scripted-door.ts';

/** Kinds of the cluster that tests look at. */
export const kinds = [
  kind('ConfigMap'),
  kind('Secret'),
  kind('Pod'),
  kind('Namespace', { namespaced: false }),
  kind('Deployment', { group: 'apps' }),
  kind('ReplicaSet', { group: 'apps' }),
];

/** Marks are a label, health is a word in the status: what they mean is not the cache's business. */
export const projector: Projector = {
  instanceOf: (object) => object.metadata.labels?.['app'],
  healthOf: (object) => (object['status'] as { health?: HealthCode } | undefined)?.health,
  needsBody: ({ kind: name }) => ['Pod', 'Deployment', 'ReplicaSet'].includes(name),
};

export interface StageOptions {
  readonly mode?: RespectRbac;
  readonly namespaces?: readonly string[];
  readonly clusterResources?: boolean;
  readonly resources?: readonly Resource[];
  readonly unknown?: ReadonlyMap<string, string>;
  readonly watches?: (kind: GroupKind) => boolean;
  readonly mostBytes?: number;
  /** Which kinds are read whole. */
  readonly needsBody?: (kind: GroupKind) => boolean;
  /** Nothing answers at first. */
  readonly silent?: boolean;
  /** Another door than the usual. */
  readonly door?: ScriptedDoor;
}

export interface Stage {
  readonly door: ScriptedDoor;
  readonly clock: ManualClock;
  readonly cache: ClusterCache;
  /** All Applications that were touched, in order. */
  readonly touched: string[];
  /** Objects that can be fetched by name, and what was. */
  readonly served: Map<string, KubeObject | ArgosyError>;
  readonly fetched: string[];
  /** What is known of an Application: objects and what is unknown, as text. */
  live(instance: string, targets?: readonly ObjectKey[], kinds?: readonly GroupKind[]): Promise<Seen>;
}

export interface Seen {
  readonly objects: readonly string[];
  readonly unknown: Readonly<Record<string, string>>;
}

/** A cache over a scripted cluster whose discovery has just been read. */
export async function openStage(options: StageOptions = {}): Promise<Stage> {
  const door = options.door ?? new ScriptedDoor(options.resources ?? kinds, options.unknown);
  door.silent = options.silent === true;
  const clock = new ManualClock();
  const touched: string[] = [];
  const served = new Map<string, KubeObject | ArgosyError>();
  const fetched: string[] = [];
  const cache = createClusterCache({
    door,
    clock,
    projector: { ...projector, needsBody: options.needsBody ?? projector.needsBody },
    random: () => 0.5,
    log: silentLogger,
    mode: options.mode ?? 'off',
    watches: options.watches ?? (() => true),
    namespaces: options.namespaces,
    clusterResources: options.clusterResources,
    mostBytes: options.mostBytes,
    onTouched: (instances) => touched.push(...instances),
    discoveryRhythm: { settleMs: 1, againMs: 2, everyMs: 2 ** 30 },
  });
  after(() => cache.stop());
  await settle();
  const live: Stage['live'] = async (instance, targets = [], asked = []) => {
    const { objects, unknown } = await cache.live(instance, { targets, kinds: asked }, (resource, key) => {
      const text = `${resource.kind} ${key.namespace}/${key.name}`;
      fetched.push(text);
      const found = served.get(text);
      return found instanceof ArgosyError ? Promise.reject(found) : Promise.resolve(found);
    });
    return { objects: [...objects.keys()].toSorted(), unknown: Object.fromEntries(unknown) };
  };
  return { door, clock, cache, touched, served, fetched, live };
}

let versions = 100;
const apps = ['Deployment', 'ReplicaSet', 'StatefulSet'];

/** An object; its uid follows from its key unless another is given. */
export function thing(
  kindName: string,
  place: string,
  more: { app?: string; owner?: KubeObject; health?: HealthCode; version?: number; life?: number; rest?: object } = {},
): KubeObject {
  const [namespace = '', name = ''] = place.includes('/') ? place.split('/') : ['', place];
  const { app, owner, health, version = ++versions, life = 1, rest = {} } = more;
  const group = apps.includes(kindName) ? 'apps/' : '';
  return {
    apiVersion: `${group}v1`,
    kind: kindName,
    metadata: {
      name,
      ...(namespace === '' ? {} : { namespace }),
      uid: uid(`${kindName} ${place} ${life}`),
      resourceVersion: String(version),
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...(app === undefined ? {} : { labels: { app } }),
      ...(owner === undefined ? {} : { ownerReferences: [ownerReference(owner)] }),
    },
    ...(health === undefined ? {} : { status: { health } }),
    ...rest,
  };
}

function ownerReference(owner: KubeObject): { apiVersion: string; kind: string; name: string; uid: string } {
  const { name = '', uid: id = '' } = owner.metadata;
  return { apiVersion: owner.apiVersion, kind: owner.kind, name, uid: id };
}

function uid(text: string): string {
  const hex = createHash('md5').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

export const forbidden = (verb = 'list'): ArgosyError =>
  new ArgosyError('kube-forbidden', `${verb} things: forbidden`, { status: 403, reason: 'Forbidden' });
export const unauthorized = (): ArgosyError =>
  new ArgosyError('kube-unauthorized', 'list things: Unauthorized', { status: 401 });
export const unavailable = (): ArgosyError =>
  new ArgosyError('kube-unavailable', 'list things: conversion webhook failed', { status: 500 });

/** The key of an object, for questions. */
export function key(kindName: string, place: string): ObjectKey {
  const [namespace = '', name = ''] = place.split('/');
  return { group: apps.includes(kindName) ? 'apps' : '', kind: kindName, namespace, name };
}
