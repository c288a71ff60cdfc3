import { canonical, equal, isArray, isObject, type Json, type JsonObject, own } from '../json/index.ts';
import { Refusal } from './patch-result.ts';

const patchMark = '$patch';

/** How the items of a list merge. */
export interface ListRule {
  /** The field that identifies an item; empty for lists of plain values. */
  readonly mergeKey: string;
  mergeItem(original: JsonObject, patch: JsonObject): JsonObject;
}

/** Merges a patch into a list: items meet by their key, plain values are united, patched items keep the patch's order. */
export function mergeStrategicList(original: readonly Json[], patch: readonly Json[], rule: ListRule): readonly Json[] {
  if (original.length === 0 && patch.length === 0) return original;
  if (!ofObjects([...original, ...patch])) {
    const both = unique([...original, ...patch]);
    return arrange(both, { order: patch, original, mergeKey: '' });
  }
  if (rule.mergeKey === '') throw new Refusal(500, 'cannot merge lists without merge key');
  const { kept, changes, replaced } = withDirectives(
    original as readonly JsonObject[],
    patch as readonly JsonObject[],
    rule,
  ); // checked by ofObjects
  if (replaced) return changes;
  return arrange(mergeItems(kept, changes, rule), { order: changes, original: kept, mergeKey: rule.mergeKey });
}

function ofObjects(items: readonly Json[]): boolean {
  if (items.some(isArray)) throw new Refusal(500, 'lists of lists are not supported');
  const objects = items.filter(isObject).length;
  if (objects !== 0 && objects !== items.length) throw new Refusal(500, 'list element types are not identical');
  return objects > 0;
}

function unique(items: readonly Json[]): readonly Json[] {
  return [...new Set(items)];
}

function withDirectives(
  original: readonly JsonObject[],
  patch: readonly JsonObject[],
  rule: ListRule,
): { kept: readonly JsonObject[]; changes: readonly JsonObject[]; replaced: boolean } {
  let kept = original;
  let replaced = false;
  const changes: JsonObject[] = [];
  for (const item of patch) {
    const directive = own(item, patchMark);
    if (directive === undefined) changes.push(item);
    else if (directive === 'replace') replaced = true;
    else if (directive === 'delete') {
      const key = keyOf(item, rule.mergeKey);
      kept = kept.filter((other) => !equal(own(other, rule.mergeKey), key));
    } else if (directive === 'merge') throw new Refusal(500, 'merging lists cannot yet be specified in the patch');
    else throw new Refusal(500, `unknown patch type: ${printValue(directive)} in map: ${printValue(item)}`);
  }
  return { kept, changes, replaced };
}

function keyOf(item: JsonObject, mergeKey: string): Json {
  const key = own(item, mergeKey);
  if (key !== undefined) return key;
  throw new Refusal(500, `map: ${printValue(item)} does not contain declared merge key: ${mergeKey}`);
}

/** A value as Go prints it: `map[image:nginx name:web]`. */
export function printValue(value: Json): string {
  if (isArray(value)) return `[${value.map(printValue).join(' ')}]`;
  if (isObject(value))
    return `map[${Object.keys(value)
      .sort()
      .map((key) => `${key}:${printValue(value[key] ?? null)}`)
      .join(' ')}]`;
  return value === null ? '<nil>' : String(value);
}

function mergeItems(original: readonly JsonObject[], changes: readonly JsonObject[], rule: ListRule): JsonObject[] {
  const merged = [...original];
  const places = new Map<string, number>();
  original.forEach((item, index) => {
    const key = canonical(keyOf(item, rule.mergeKey));
    if (!places.has(key)) places.set(key, index);
  });
  for (const change of changes) {
    const key = canonical(keyOf(change, rule.mergeKey));
    const place = places.get(key) ?? merged.length;
    const before = merged[place];
    merged[place] = before === undefined ? change : rule.mergeItem(before, change);
    places.set(key, place);
  }
  return merged;
}

interface Order {
  readonly order: readonly Json[];
  readonly original: readonly Json[];
  readonly mergeKey: string;
}

/** Puts a merged list into the order the patch asks for, having checked that the patch agrees with it. */
export function reorder(merged: readonly Json[], at: Order & { patch: readonly Json[] }): readonly Json[] {
  const named = at.patch.filter((item) => own(item, patchMark) === undefined);
  let next = 0;
  for (const place of at.order)
    if (next < named.length && nameOf(named[next] ?? null, at.mergeKey) === nameOf(place, at.mergeKey)) next++;
  if (at.order.length > 0 && next < named.length)
    throw new Refusal(
      500,
      `The order in patch list:\n${printValue(at.patch)}\n doesn't match $setElementOrder list:\n${printValue(at.order)}\n`,
    );
  return arrange(merged, at);
}

/** Items the order names come in that order; the others keep theirs, before the first named one they preceded. */
function arrange(merged: readonly Json[], { order, original, mergeKey }: Order): readonly Json[] {
  const [wanted, server] = [placesIn(order, mergeKey), placesIn(original, mergeKey)];
  const placeIn = (places: ReadonlyMap<string, number>, item: Json): number => places.get(nameOf(item, mergeKey)) ?? -1;
  const named = merged.filter((item) => placeIn(wanted, item) >= 0);
  named.sort((a, b) => placeIn(wanted, a) - placeIn(wanted, b));
  const others = merged.filter((item) => placeIn(wanted, item) < 0);
  others.sort((a, b) => placeIn(server, a) - placeIn(server, b));
  const out: Json[] = [];
  let next = 0;
  for (const item of named) {
    const place = placeIn(server, item);
    for (; next < others.length && placeIn(server, others[next] ?? null) < place; next++)
      out.push(others[next] ?? null);
    out.push(item);
  }
  return [...out, ...others.slice(next)];
}

/** The first place of each item, by what identifies it. */
function placesIn(list: readonly Json[], mergeKey: string): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  list.forEach((item, index) => {
    const name = nameOf(item, mergeKey);
    if (!places.has(name)) places.set(name, index);
  });
  return places;
}

function nameOf(item: Json, mergeKey: string): string {
  return canonical(mergeKey === '' || !isObject(item) ? item : (own(item, mergeKey) ?? null));
}
