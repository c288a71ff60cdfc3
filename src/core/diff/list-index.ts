import { canonical, isArray, isObject, type Json, type JsonArray, own } from '../json/index.ts';
import { keyText, valueText } from './ownership.ts';

type Otherwise = (name: string) => string | undefined;

/** Texts with the first place of each, by what they were made from. */
type Indexes = Map<string, ReadonlyMap<string, number>>;

/** Lists are looked through once for each of their items: whoever writes ten thousand would cost us a hundred million looks. */
const known = new WeakMap<JsonArray, Indexes>();

function indexOf(
  list: JsonArray,
  name: string,
  textOf: (item: Json) => string | undefined,
): ReadonlyMap<string, number> {
  const indexes: Indexes = known.get(list) ?? new Map();
  known.set(list, indexes);
  const made = indexes.get(name);
  if (made !== undefined) return made;
  const places = new Map<string, number>();
  for (const [place, item] of list.entries()) {
    const text = textOf(item);
    if (text !== undefined && !places.has(text)) places.set(text, place);
  }
  indexes.set(name, places);
  return places;
}

/** The first item with these keys, as its place in the list; `otherwise` stands for keys that items leave out. */
export function placeByKeys(
  list: JsonArray,
  names: readonly string[],
  text: string,
  otherwise?: Otherwise,
): number | undefined {
  const name = `${otherwise === undefined ? 'k' : 'd'}:${names.join('\n')}`;
  return indexOf(list, name, (item) => keyText(item, names, otherwise)).get(text);
}

/** The place of a member of a set. */
export function placeOfMember(list: JsonArray, member: Json | undefined): number | undefined {
  return member === undefined ? undefined : indexOf(list, 'v', memberText).get(memberText(member));
}

const memberText = (value: Json): string => (isObject(value) || isArray(value) ? canonical(value) : valueText(value));

/** More keys than any list of Kubernetes' own kinds has; each doubles what may be left out. */
const mostNames = 4;

/** The first item that agrees with these keys in all that it has of them, and has at least one. */
export function placeOfLoose(list: JsonArray, names: readonly string[], keys: Json | undefined): number | undefined {
  if (names.length > mostNames) return undefined;
  const name = `l:${names.join('\n')}`;
  const places = indexOf(list, name, (item) => looseText(item, givenOf(item, names)));
  const given = names.filter((each) => own(keys, each) !== undefined);
  const found = partsOf(given).flatMap((part) => places.get(looseText(keys, part)) ?? []);
  return found.length === 0 ? undefined : Math.min(...found);
}

const givenOf = (item: Json, names: readonly string[]): string[] =>
  isObject(item) ? names.filter((name) => own(item, name) !== undefined) : [];

const looseText = (item: Json | undefined, given: readonly string[]): string =>
  given.map((name) => `${name}=${valueText(own(item, name) ?? null)}`).join('\n');

/** All ways to leave some of a few names out, but not all of them. */
function partsOf(names: readonly string[]): string[][] {
  const nothing: string[][] = [[]];
  const all = names.reduce((parts, name) => parts.concat(parts.map((part) => [...part, name])), nothing);
  return all.filter(({ length }) => length > 0);
}
