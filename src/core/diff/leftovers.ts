import { equal, isArray, isObject, type Json, type JsonObject, own } from '../json/index.ts';
import { usualKeys, usualKeyValue } from './built-in.ts';
import { keyText, parseElement } from './ownership.ts';

/** A node of our managed fields, what it stands for on both sides, and the nodes of everybody else. */
interface Spot {
  readonly owned: Json | undefined;
  readonly wanted: Json | undefined;
  readonly live: Json | undefined;
  readonly others: readonly Json[];
}

/**
 * The path to a field that we applied, that the target no longer has and that nobody else owns: applying the target
 * would remove it. Undefined where there is none.
 */
export function leftoverOf(spot: Spot, path: readonly string[] = []): readonly string[] | undefined {
  if (!isObject(spot.owned)) return undefined;
  for (const element of Object.keys(spot.owned)) {
    // What `stringData` set stands in `data`, where no apply removes it.
    if (element === '.' || (path.length === 0 && element === 'f:stringData')) continue;
    const next = step(spot, element);
    if (next.live === undefined || next.live === null) continue;
    const here = [...path, element];
    const found = next.wanted === undefined ? soleOf(next, here) : leftoverOf(next, here);
    if (found !== undefined) return found;
  }
  return undefined;
}

function step({ owned, wanted, live, others }: Spot, element: string): Spot {
  const next = others.flatMap((other) => own(other, element) ?? []);
  const at = (value: Json | undefined): Json | undefined => childOf(value, element);
  return { owned: own(owned, element), wanted: at(wanted), live: at(live), others: next };
}

function childOf(value: Json | undefined, element: string): Json | undefined {
  if (element.startsWith('f:')) return own(value, element.slice(2));
  if (!isArray(value)) return undefined;
  const key = parseElement(element);
  if (element.startsWith('v:')) return value.find((item) => equal(item, key));
  if (!isObject(key)) return undefined;
  return findByKeys(value, key);
}

/** The item with these keys; else one that leaves some of them, with a default only its schema knows, to the server. */
function findByKeys(list: readonly Json[], keys: JsonObject): Json | undefined {
  const names = Object.keys(keys);
  const text = keyText(keys, names);
  const exact = list.find((item) => keyText(item, names, usualKeyValue) === text);
  if (exact !== undefined || names.length < 2) return exact;
  return list.find((item) => {
    const given = names.filter((name) => own(item, name) !== undefined);
    return given.length > 0 && given.every((name) => equal(own(item, name), keys[name]));
  });
}

/** The first path at or below a spot that is ours alone. */
function soleOf(spot: Spot, path: readonly string[]): readonly string[] | undefined {
  if (spot.others.length === 0) return path;
  if (!isObject(spot.owned)) return undefined;
  for (const element of Object.keys(spot.owned)) {
    if (element === '.') continue;
    const next = step(spot, element);
    const found = next.live === undefined ? undefined : soleOf(next, [...path, element]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The path to a field of the last client-side apply that the target no longer has and the live object still does. */
export function dropped(
  last: JsonObject,
  wanted: JsonObject,
  live: JsonObject,
  builtIn: boolean,
  path: readonly string[] = [],
): readonly string[] | undefined {
  for (const name of Object.keys(last)) {
    const [before, there] = [last[name], own(live, name)];
    const element = `f:${name}`;
    if (before === null || before === undefined || there === undefined || there === null) continue;
    const now = own(wanted, name);
    const here = [...path, element];
    if (now === undefined) return here;
    const found =
      isObject(before) && isObject(now) && isObject(there)
        ? dropped(before, now, there, builtIn, here)
        : droppedItem({ before, now, there, builtIn }, here);
    if (found !== undefined) return found;
  }
  return undefined;
}

function droppedItem(
  { before, now, there, builtIn }: { before: Json; now: Json; there: Json; builtIn: boolean },
  path: readonly string[],
): readonly string[] | undefined {
  // Lists that are replaced as a whole were compared as a whole.
  if (!isArray(before) || !isArray(now) || !isArray(there) || !builtIn) return undefined;
  const field = path.at(-1)?.slice(2) ?? '';
  const names = usualKeys(field, (key) => before.every((item) => own(item, key) !== undefined));
  if (names === undefined) return undefined;
  const find = (list: readonly Json[], text: string): Json | undefined =>
    list.find((item) => keyText(item, names, usualKeyValue) === text);
  for (const item of before) {
    const text = keyText(item, names, usualKeyValue);
    const [wanted, live] = [find(now, text), find(there, text)];
    if (live === undefined) continue;
    if (wanted === undefined) return [...path, `k:${text}`];
    if (!isObject(item) || !isObject(wanted) || !isObject(live)) continue;
    const found = dropped(item, wanted, live, builtIn, [...path, `k:${text}`]);
    if (found !== undefined) return found;
  }
  return undefined;
}
