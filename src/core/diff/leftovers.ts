import { isArray, isObject, type Json, type JsonArray, type JsonObject, own } from '../json/index.ts';
import { usualKeys, usualKeyValue } from './built-in.ts';
import { placeByKeys, placeOfLoose, placeOfMember } from './list-index.ts';
import { below, fieldElement, fieldOf, keyText, listShape, parseElement } from './ownership.ts';

/** What we own in a live object, the object, what the target wants of it, and what everybody else owns. */
interface Scene {
  readonly owned: Json | undefined;
  readonly wanted: Json | undefined;
  readonly live: Json | undefined;
  readonly others: readonly Json[];
}

/**
 * The path to a field that we applied, that the target no longer has and that nobody else owns: applying the target
 * would remove it. Undefined where there is none.
 */
export function leftoverOf({ owned, wanted, live, others }: Scene): readonly string[] | undefined {
  const search = new Search(others);
  return search.finds(owned, wanted, live) ? search.path : undefined;
}

class Search {
  readonly path: string[] = [];
  readonly #others: readonly Json[];

  constructor(others: readonly Json[]) {
    this.#others = others;
  }

  finds(owned: Json | undefined, wanted: Json | undefined, live: Json | undefined): boolean {
    if (!isObject(owned)) return false;
    for (const element of Object.keys(owned)) {
      if (element === '.') continue;
      const there = childOf(live, element, owned);
      if (there === undefined || there === null) continue;
      // What `stringData` set stands in `data`, where no apply removes it.
      if (element === 'f:stringData' && this.path.length === 0) continue;
      this.path.push(element);
      const now = childOf(wanted, element, owned);
      if (now === undefined ? this.#isSole(owned[element], there) : this.finds(owned[element], now, there)) return true;
      this.path.pop();
    }
    return false;
  }

  /** Whether some path at or below the one we are at is ours alone; `path` then leads to it. */
  #isSole(owned: Json | undefined, live: Json | undefined): boolean {
    if (!this.#others.some((other) => below(other, this.path) !== undefined)) return true;
    if (!isObject(owned)) return false;
    for (const element of Object.keys(owned)) {
      const there = element === '.' ? undefined : childOf(live, element, owned);
      if (there === undefined) continue;
      this.path.push(element);
      if (this.#isSole(owned[element], there)) return true;
      this.path.pop();
    }
    return false;
  }
}

/** The part of a value that a step of managed fields leads to; `among` is the node that has the step. */
function childOf(value: Json | undefined, element: string, among: JsonObject): Json | undefined {
  const field = fieldOf(element);
  if (field !== undefined) return own(value, field);
  if (!isArray(value)) return undefined;
  if (element.startsWith('v:')) return value[placeOfMember(value, parseElement(element)) ?? -1];
  const shape = listShape(among);
  const text = shape?.type === 'keyed' ? shape.texts.get(element) : undefined;
  if (shape?.type !== 'keyed' || text === undefined) return undefined;
  const exact = placeByKeys(value, shape.names, text, usualKeyValue);
  // An item may leave some of its keys, with a default only its schema knows, to the server.
  const loose = exact === undefined && shape.names.length > 1;
  return value[(loose ? placeOfLoose(value, shape.names, parseElement(element)) : exact) ?? -1];
}

/** The path to a field of the last client-side apply that the target no longer has and the live object still does. */
export function dropped(
  last: JsonObject,
  wanted: JsonObject,
  live: JsonObject,
  { builtIn, path = [] }: { readonly builtIn: boolean; readonly path?: readonly string[] },
): readonly string[] | undefined {
  for (const name of Object.keys(last)) {
    const [before, there] = [last[name], own(live, name)];
    const element = fieldElement(name);
    if (before === null || before === undefined || there === undefined || there === null) continue;
    const now = own(wanted, name);
    const here = [...path, element];
    if (now === undefined) return here;
    const found =
      isObject(before) && isObject(now) && isObject(there)
        ? dropped(before, now, there, { builtIn, path: here })
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
  const find = (list: JsonArray, text: string): Json | undefined =>
    list[placeByKeys(list, names, text, usualKeyValue) ?? -1];
  for (const item of before) {
    const text = keyText(item, names, usualKeyValue);
    const [wanted, live] = [find(now, text), find(there, text)];
    if (live === undefined) continue;
    if (wanted === undefined) return [...path, `k:${text}`];
    if (!isObject(item) || !isObject(wanted) || !isObject(live)) continue;
    const found = dropped(item, wanted, live, { builtIn, path: [...path, `k:${text}`] });
    if (found !== undefined) return found;
  }
  return undefined;
}
