import { isArray, isObject, type Json, type JsonObject, own } from '../json/index.ts';
import { fieldSchema, itemSchema } from './deref.ts';
import { attemptPatch, type PatchResult, Refusal } from './patch-result.ts';
import type { ResolveRef, Schema } from './schema.ts';
import { mergeStrategicList, printValue, reorder } from './strategic-list.ts';

const patchMark = '$patch';
const retainMark = '$retainKeys';
const orderPrefix = '$setElementOrder/';
const deletePrefix = '$deleteFromPrimitiveList/';

/** Strategic merge patch: lists merge by the keys their type declares, and directives in the patch delete, replace or order. */
export function strategicMergePatch(doc: Json, patch: Json, schema: Schema, resolve: ResolveRef): PatchResult {
  return attemptPatch(() => {
    if (!isObject(patch))
      throw new Refusal(400, `json: cannot unmarshal ${goKind(patch)} into Go value of type map[string]interface {}`);
    return mergeStrategicMap(isObject(doc) ? doc : {}, patch, schema, resolve);
  });
}

function goKind(value: Json): string {
  if (isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** Merges one object; the patch's own directive decides before anything else. */
export function mergeStrategicMap(
  original: JsonObject,
  patch: JsonObject,
  schema: Schema,
  resolve: ResolveRef,
): JsonObject {
  if (Object.hasOwn(patch, patchMark)) return byDirective(patch);
  const result = new Map<string, Json>(Object.entries(retained(original, patch)));
  const rest = ordered(result, patch, schema, resolve);
  for (const [key, value] of rest) {
    if (key.startsWith(deletePrefix)) deleteItems(result, key.slice(deletePrefix.length), value);
    else mergeKey(result, { key, value, schema }, resolve);
  }
  return Object.fromEntries(result);
}

function byDirective(patch: JsonObject): JsonObject {
  const { [patchMark]: directive, ...rest } = patch;
  if (directive === 'replace') return rest;
  if (directive === 'delete') return {};
  throw new Refusal(500, `unknown patch type: ${printValue(directive ?? null)} in map: ${printValue(patch)}`);
}

function mergeKey(
  result: Map<string, Json>,
  at: { key: string; value: Json; schema: Schema },
  resolve: ResolveRef,
): void {
  const { key, value } = at;
  const before = result.get(key);
  if (value === null) {
    result.delete(key);
    return;
  }
  const field = fieldSchema(at.schema, key, resolve);
  const strategy = strategyOf(field);
  if (isObject(before) && isObject(value))
    result.set(key, strategy === 'replace' ? value : mergeStrategicMap(before, value, field, resolve));
  else if (isArray(before) && isArray(value))
    result.set(key, strategy === 'merge' ? mergeList(before, value, field, resolve) : value);
  else take(result, key, value);
}

function mergeList(before: readonly Json[], patch: readonly Json[], field: Schema, resolve: ResolveRef): Json {
  const items = itemSchema(field, resolve);
  return mergeStrategicList(before, patch, {
    mergeKey: field.patchMergeKey ?? '',
    mergeItem: (original, change) => mergeStrategicMap(original, change, items, resolve),
  });
}

/** What is new comes without its directives and without nulls, which have nothing to delete. */
function take(result: Map<string, Json>, key: string, value: Json): void {
  const plain = withoutDirectives(withoutNulls(value));
  if (plain === undefined) result.delete(key);
  else result.set(key, plain);
}

function withoutNulls(value: Json): Json {
  if (isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, below]) => below !== null)
      .map(([key, below]) => [key, withoutNulls(below)]),
  );
}

function withoutDirectives(value: Json): Json | undefined {
  if (isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, patchMark)) return undefined;
  const kept: [string, Json][] = [];
  for (const key of Object.keys(value)) {
    const below = withoutDirectives(value[key] ?? null);
    if (below !== undefined) kept.push([key, below]);
  }
  return Object.fromEntries(kept);
}

function strategyOf(field: Schema): 'merge' | 'replace' | undefined {
  const strategies = (field.patchStrategy ?? '').split(',');
  return strategies.includes('merge') ? 'merge' : strategies.includes('replace') ? 'replace' : undefined;
}

/** Keeps only the keys the patch says to retain; a patch that sets others contradicts itself. */
function retained(original: JsonObject, patch: JsonObject): JsonObject {
  if (!Object.hasOwn(patch, retainMark)) return original;
  const list = patch[retainMark];
  if (!isArray(list)) throw new Refusal(400, 'invalid patch format of retainKeys');
  const keep = new Set(list);
  for (const key of Object.keys(patch)) {
    const isDirective = key === retainMark || key.startsWith(orderPrefix) || key.startsWith(deletePrefix);
    if (!isDirective && patch[key] !== null && !keep.has(key))
      throw new Refusal(400, 'invalid patch format of retainKeys');
  }
  return Object.fromEntries(Object.entries(original).filter(([key]) => keep.has(key)));
}

/** Merges the lists whose order the patch sets, and answers what of the patch is still to do. */
function ordered(result: Map<string, Json>, patch: JsonObject, schema: Schema, resolve: ResolveRef): [string, Json][] {
  const done = new Set<string>([retainMark]);
  for (const key of Object.keys(patch).filter((name) => name.startsWith(orderPrefix))) {
    done.add(key);
    const name = key.slice(orderPrefix.length);
    const merged = orderedList(
      { before: result.get(name), change: own(patch, name), order: patch[key] },
      fieldSchema(schema, name, resolve),
      resolve,
    );
    if (merged === undefined) continue;
    result.set(name, merged);
    done.add(name);
  }
  return Object.entries(patch).filter(([key]) => !done.has(key));
}

function orderedList(
  at: { before: Json | undefined; change: Json | undefined; order: Json | undefined },
  field: Schema,
  resolve: ResolveRef,
): Json | undefined {
  const { before, change, order } = at;
  for (const list of [order, before, change])
    if (list !== undefined && !isArray(list))
      throw new Refusal(500, `expected a []interface {}, but received a ${goType(list)}`);
  if (!isArray(order)) return undefined;
  const original = isArray(before) ? before : undefined;
  const patch = isArray(change) ? change : undefined;
  if (original === undefined && patch === undefined) return undefined;
  const merged = contents(original, patch, field, resolve);
  return reorder(merged, { order, patch: patch ?? [], original: original ?? [], mergeKey: field.patchMergeKey ?? '' });
}

function contents(
  original: readonly Json[] | undefined,
  patch: readonly Json[] | undefined,
  field: Schema,
  resolve: ResolveRef,
): readonly Json[] {
  if (patch === undefined) return original ?? [];
  if (original === undefined) return (withoutDirectives(patch) ?? []) as readonly Json[]; // a list stays a list
  return (strategyOf(field) === 'merge' ? mergeList(original, patch, field, resolve) : patch) as readonly Json[]; // of two lists
}

function goType(value: Json): string {
  if (isObject(value)) return 'map[string]interface {}';
  if (value === null) return '%!s(<nil>)';
  return typeof value === 'boolean' ? 'bool' : typeof value === 'number' ? 'int64' : typeof value;
}

function deleteItems(result: Map<string, Json>, name: string, items: Json): void {
  const before = result.get(name);
  if (items === null) result.delete(name);
  if (!isArray(before) || !isArray(items)) return;
  const gone = new Set(items);
  result.set(
    name,
    before.filter((item) => !gone.has(item)),
  );
}
