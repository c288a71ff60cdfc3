import {
  groupOf,
  gvkOf,
  kindText,
  type ObjectKey,
  parseTrackingId,
  printKey,
  roleOf,
  trackingAnnotation,
  waveOf,
} from '../objects/index.ts';
import { differs } from './differs.ts';
import type { ComparedObject, Comparison, Live, LiveObject, SyncCode, Target } from './types.ts';

export interface CompareOptions {
  /** The Application's name in marks. */
  readonly instance: string;
}

/** Judges every target and every live object that bears the Application's mark. */
export function compare(targets: readonly Target[], live: Live, options: CompareOptions): Comparison {
  const wanted = new Set(targets.map((target) => printKey(target.key)));
  const objects = targets.map((target) => compareTarget(target, live));
  for (const [key, object] of live.objects) {
    // Live hooks are cleaned up by their own policies, never by pruning.
    const managed =
      roleOf(object.object).role === 'managed' && (object.object.metadata.ownerReferences ?? []).length === 0;
    if (!wanted.has(key) && managed && isOurs(object, options.instance)) objects.push(extra(object));
  }
  const errors = [...new Set(objects.flatMap((object) => (object.status === 'Unknown' ? [object.reason ?? ''] : [])))];
  return { status: worst(objects), objects, errors };
}

function compareTarget(target: Target, live: Live): ComparedObject {
  const key = printKey(target.key);
  const found = live.objects.get(key);
  const role = roleOf(target.object).role;
  const base = {
    key: target.key,
    version: gvkOf(target.object).version,
    target,
    live: found,
    hook: role === 'hook',
    wave: waveOf(target.object),
  };
  if (role !== 'managed') return { ...base, status: undefined, modified: false, requiresPruning: false };
  const reason = live.unknown.get(key) ?? live.unknown.get(kindText(target.key));
  if (reason !== undefined && found === undefined) {
    return { ...base, status: 'Unknown', modified: false, requiresPruning: false, reason };
  }
  const modified = found === undefined || differs(target.object, found.object);
  return { ...base, status: modified ? 'OutOfSync' : 'Synced', modified, requiresPruning: false };
}

function extra(object: LiveObject): ComparedObject {
  const { key } = object;
  const version = gvkOf(object.object).version;
  return {
    key,
    version,
    target: undefined,
    live: object,
    status: 'OutOfSync',
    modified: false,
    requiresPruning: true,
    hook: false,
    wave: 0,
  };
}

/** The mark names this Application and describes the object it stands on; a copied mark makes nothing ours. */
export function isOurs(object: LiveObject, instance: string): boolean {
  const text = object.object.metadata.annotations?.[trackingAnnotation];
  const id = text === undefined ? undefined : parseTrackingId(text);
  return id !== undefined && id.instance === instance && describes(id.object, object);
}

function describes(marked: ObjectKey, { key, object }: LiveObject): boolean {
  const samePlace = key.namespace === '' || marked.namespace === key.namespace;
  return (
    marked.group === groupOf(object.apiVersion) && marked.kind === key.kind && marked.name === key.name && samePlace
  );
}

function worst(objects: readonly ComparedObject[]): SyncCode {
  if (objects.some((object) => object.status === 'Unknown')) return 'Unknown';
  return objects.some((object) => object.status === 'OutOfSync') ? 'OutOfSync' : 'Synced';
}
