import { hash } from 'node:crypto';
import { type HealthCode, healthOrder } from '../core/health/index.ts';
import { asJson, type GroupKind, type KubeObject, type ObjectMeta } from '../core/objects/index.ts';
import { inferOwners } from '../core/tree/index.ts';

/** What the cache must be told about objects: whose they are, how they are, and what of them counts. */
export interface Projector {
  /** The Application whose mark an object bears; undefined: nobody's. */
  instanceOf(object: KubeObject): string | undefined;
  /** The manager whose fields are kept of listed and watched objects. */
  readonly manager?: string | undefined;
  healthOf(object: KubeObject): HealthCode | undefined;
  /** Whether the kind must be read whole, since its health stands in its body; the others are read as metadata only. */
  needsBody(kind: GroupKind): boolean;
  /** What of a managed object wakes its Application when it changes; without it: all but status and bookkeeping. */
  meaning?: ((object: KubeObject) => unknown) | undefined;
}

/** One object, as much of it as every row holds. */
export interface Projection {
  readonly uid: string;
  readonly version: number;
  readonly created: number;
  /** Uids of its owners, each once, the one that controls it first. */
  readonly owners: readonly string[];
  readonly instance: string;
  readonly health: number;
  /** Undefined where it has been put off. */
  readonly hash: readonly [number, number] | undefined;
}

const nothing: readonly [number, number] = [0, 0];

/** How an object is to be reduced. */
export interface Reduction {
  /** The kind is judged by its metadata alone. */
  readonly lean: boolean;
  /** Nobody has seen the object before: what it means is only of interest when it changes, and can be told then. */
  readonly isNew: boolean;
}

/** Reduces an object to what is kept of it. */
export function project(object: KubeObject, projector: Projector, { lean, isNew }: Reduction): Projection {
  const { metadata } = object;
  const owners = ownersOf(object);
  const instance = markOf(object, projector);
  const health = projector.healthOf(object);
  // What is kept of it must be enough to tell it later.
  const canWait = isNew && !(lean && hasLargeAnnotation(metadata));
  return {
    uid: metadata.uid ?? '',
    version: Number(metadata.resourceVersion ?? Number.NaN),
    created: secondsOf(metadata.creationTimestamp ?? ''),
    owners,
    instance,
    health: health === undefined ? 0 : healthOrder.indexOf(health) + 1,
    hash: instance === '' ? ownedHash(owners, metadata) : canWait ? undefined : fullHash(object, projector, lean),
  };
}

let [lastText, lastSeconds] = ['', 0];

/** Objects of one rollout have one time. */
function secondsOf(text: string): number {
  if (text !== lastText) [lastText, lastSeconds] = [text, Math.max(0, Math.floor(Date.parse(text) / 1000)) || 0];
  return lastSeconds;
}

/** A mark that no Application can have made is none; it would be kept as long as it is. */
function markOf(object: KubeObject, projector: Projector): string {
  const instance = projector.instanceOf(object) ?? '';
  return instance.length > longestMark ? '' : instance;
}

const longestMark = 1_024;
const nobody: readonly string[] = [];
/** More owners than any object has; who names more hides the rest. */
const mostOwners = 32;

function ownersOf(object: KubeObject): readonly string[] {
  const { ownerReferences = [] } = object.metadata;
  const inferred = isSecret(object) ? inferOwners(asJson(object)).uids : nobody;
  if (ownerReferences.length === 0 && inferred.length === 0) return nobody;
  const first = ownerReferences.find(({ controller }) => controller === true);
  const all = [first, ...ownerReferences.slice(0, mostOwners)].map((reference) => reference?.uid ?? '');
  return [...new Set([...all, ...inferred])].filter((uid) => uid !== '');
}

/** What a managed object means, in two words; the same for what is kept of it. */
export function fullHash(object: KubeObject, projector: Projector, lean: boolean): readonly [number, number] {
  const kept = bodyOf(object);
  const meaning = lean ? leanMeaning(kept.metadata) : (projector.meaning ?? meaningOf)(kept);
  return wordsOf(JSON.stringify(meaning) ?? '');
}

function wordsOf(text: string): readonly [number, number] {
  const digest = hash('sha1', text, 'hex');
  return [Number.parseInt(digest.slice(0, 8), 16), Number.parseInt(digest.slice(8, 16), 16)];
}

function meaningOf(object: KubeObject): unknown {
  return { ...object, status: undefined, metadata: lasting(object.metadata) };
}

/** Without the body a change of it shows in the generation, or, for kinds that have none, only in the version. */
function leanMeaning(metadata: ObjectMeta): unknown {
  const { generation, resourceVersion } = metadata;
  return [lasting(metadata), generation ?? resourceVersion];
}

function lasting(metadata: ObjectMeta): unknown {
  return { ...metadata, resourceVersion: undefined, generation: undefined, managedFields: undefined };
}

/** Of an owned object only a new specification and its removal count, beside its health; of the others nothing. */
function ownedHash(
  owners: readonly string[],
  { generation = 0, deletionTimestamp }: ObjectMeta,
): readonly [number, number] {
  if (owners.length === 0) return nothing;
  return [generation, deletionTimestamp === undefined ? 1 : 2];
}

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** What is kept of a managed object: all of it, but never the content of a Secret. */
export function bodyOf(object: KubeObject): KubeObject {
  if (!isSecret(object)) return object;
  const { metadata } = object;
  const { [lastApplied]: _content, ...annotations } = metadata.annotations ?? {};
  return { apiVersion: object.apiVersion, kind: object.kind, metadata: { ...metadata, annotations } };
}

/** The longest annotation that is kept where an object's metadata alone is. */
const longestAnnotation = 4_096;

/**
 * What is kept of a managed object that is known by its metadata only: enough to find and to prune it. Annotations may
 * have a quarter of a megabyte, and anybody can mark any number of objects; whoever compares one reads it whole.
 */
export function partOf(object: KubeObject): KubeObject {
  const body = bodyOf(object);
  const { metadata } = body;
  if (!hasLargeAnnotation(metadata)) return body;
  const small = Object.entries(metadata.annotations ?? {}).filter(([, text]) => !isLarge(text));
  return { ...body, metadata: { ...metadata, annotations: Object.fromEntries(small) } };
}

function hasLargeAnnotation({ annotations = {} }: ObjectMeta): boolean {
  for (const text of Object.values(annotations)) if (isLarge(text)) return true;
  return false;
}

/** A server that only calls itself one may send anything. */
function isLarge(text: unknown): boolean {
  return typeof text === 'string' && text.length > longestAnnotation;
}

/** Whether an object's content must never be kept. */
export function isSecret({ apiVersion, kind }: KubeObject): boolean {
  return apiVersion === 'v1' && kind === 'Secret';
}
