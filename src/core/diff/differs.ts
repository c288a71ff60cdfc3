import { isArray, isObject, type Json, type JsonObject, own } from '../json/index.ts';
import { asJson, type KubeObject } from '../objects/index.ts';

const manager = 'argocd-controller';

/**
 * Tells whether applying the target would change the live object: some field of the target has another value, or the
 * live object still has a field that we applied before and that the target no longer asks for.
 */
export function differs(target: KubeObject, live: KubeObject): boolean {
  const wanted = comparable(asJson(target));
  const there = comparable(asJson(live));
  return !covers(there, wanted) || leftovers(asJson(live), wanted);
}

/** Without what the API server writes: status and the fields of metadata that nobody applies. */
function comparable(object: JsonObject): JsonObject {
  const { status: _status, metadata, ...rest } = object;
  const kept: Record<string, Json> = {};
  for (const field of ['labels', 'annotations', 'finalizers', 'ownerReferences']) {
    const value = own(metadata, field);
    if (value !== undefined) kept[field] = value;
  }
  return { ...rest, metadata: kept };
}

/** Every field of `wanted` stands in `there` with the same value; lists are the same length. */
function covers(there: Json | undefined, wanted: Json): boolean {
  if (isArray(wanted)) {
    return isArray(there) && there.length === wanted.length && wanted.every((item, i) => covers(there[i], item));
  }
  if (!isObject(wanted)) return there === wanted || (wanted === null && there === undefined);
  // An empty map asks for nothing: the server may drop it.
  if (!isObject(there)) return Object.keys(wanted).length === 0 && there === undefined;
  return Object.keys(wanted).every((key) => covers(own(there, key), wanted[key] ?? null));
}

/** Our manager owns a field of the live object that is not in the target. */
function leftovers(live: JsonObject, wanted: JsonObject): boolean {
  const entries = own(own(live, 'metadata'), 'managedFields');
  if (!isArray(entries)) return false;
  return entries.some((entry) => {
    const ours = own(entry, 'manager') === manager && own(entry, 'operation') === 'Apply';
    return ours && outlives(own(entry, 'fieldsV1'), wanted);
  });
}

function outlives(owned: Json | undefined, wanted: Json | undefined): boolean {
  if (!isObject(owned)) return false;
  return Object.keys(owned).some((key) => {
    if (!key.startsWith('f:')) return false;
    const field = own(wanted, key.slice(2));
    return field === undefined || outlives(owned[key], field);
  });
}
