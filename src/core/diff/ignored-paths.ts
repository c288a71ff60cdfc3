import { type Step, withoutPaths } from '../jq/index.ts';
import { at, equal, isArray, isObject, type Json, type JsonArray, type JsonObject, own } from '../json/index.ts';
import type { Pair } from './differs.ts';
import { Effort } from './effort.ts';
import type { Ignored } from './ignore.ts';
import { placeByKeys, placeOfMember } from './list-index.ts';
import { fieldsOf, keyText, parseElement } from './ownership.ts';

type Path = readonly Step[];

/** A pointer is followed as quickly as that, in both sides. */
const pointersPerStep = 2;
/** And so many items are passed on the way to a path. */
const pathsPerStep = 100;

/** Both sides without what does not count; `live` is the live object with its managed fields. */
export function withoutIgnored(
  { wanted, there }: Pair,
  live: JsonObject,
  ignored: Ignored,
  effort: Effort = new Effort(),
): Pair {
  effort.spend(ignored.pointers.length / pointersPerStep);
  const foreign = foreignPaths(wanted, there, fieldsOf(live, ignored.managers));
  const cut = (value: JsonObject, more: readonly Path[]): JsonObject => {
    const clean = withoutPaths(value, [...pointerPaths(value, ignored), ...more]);
    // Programs see what the pointers left, one after the other.
    const rest = ignored.programs.reduce<Json>((now, jq) => {
      const found = effort.matches(jq, now);
      // A program that fails on this object ignores nothing in it.
      return found.ok ? withoutPaths(now, found.paths) : now;
    }, clean);
    return isObject(rest) ? rest : {};
  };
  return { wanted: cut(wanted, foreign.wanted), there: cut(there, foreign.there) };
}

/** The paths in a value that pointers lead to; steps into lists are places. */
function pointerPaths(value: Json, { pointers }: Ignored): Path[] {
  return pointers.flatMap((steps) => {
    const path: Step[] = [];
    let here: Json | undefined = value;
    for (const step of steps) {
      const place: Step = isArray(here) && /^\d{1,9}$/.test(step) ? Number(step) : step;
      here = childAt(here, place);
      if (here === undefined) return [];
      path.push(place);
    }
    return [path];
  });
}

function childAt(value: Json | undefined, step: Step): Json | undefined {
  if (typeof step === 'string') return own(value, step);
  return isArray(value) ? value[step] : undefined;
}

interface Both {
  readonly wanted: Path[];
  readonly there: Path[];
}

/** Where the two sides differ in a field that one of these managers owns. */
function foreignPaths(wanted: Json, there: Json, fields: readonly JsonObject[]): Both {
  const found: Both = { wanted: [], there: [] };
  for (const each of fields) collect(each, { value: wanted, path: [] }, { value: there, path: [] }, found);
  return found;
}

interface Side {
  readonly value: Json | undefined;
  readonly path: Path;
}

function collect(node: Json, wanted: Side, there: Side, found: Both): void {
  if (!isObject(node)) return;
  const elements = Object.keys(node).filter((element) => element !== '.');
  if (elements.length === 0) {
    if (equal(wanted.value, there.value)) return;
    if (wanted.value !== undefined) found.wanted.push(wanted.path);
    if (there.value !== undefined) found.there.push(there.path);
    return;
  }
  for (const element of elements) {
    const [a, b] = [sideAt(wanted, element), sideAt(there, element)];
    if (a.value !== undefined || b.value !== undefined) collect(node[element] ?? null, a, b, found);
  }
}

function sideAt({ value, path }: Side, element: string): Side {
  if (element.startsWith('f:')) {
    const name = element.slice(2);
    return { value: own(value, name), path: [...path, name] };
  }
  const place = isArray(value) ? placeOf(value, element) : -1;
  return { value: isArray(value) ? value[place] : undefined, path: [...path, place] };
}

function placeOf(list: JsonArray, element: string): number {
  const key = parseElement(element);
  if (element.startsWith('v:')) return placeOfMember(list, key) ?? -1;
  const names = isObject(key) ? Object.keys(key) : [];
  return placeByKeys(list, names, keyText(key, names)) ?? -1;
}

export interface Respecting {
  /** What stays the target's. */
  readonly always?: readonly (readonly string[])[];
  readonly effort?: Effort;
}

/**
 * The target with the live values of what does not count, so that applying it leaves them alone; what the live object
 * does not have is left out. What stands under `always` stays the target's.
 */
export function respecting(
  target: JsonObject,
  live: JsonObject,
  ignored: Ignored,
  { always = [], effort = new Effort() }: Respecting = {},
): JsonObject {
  const foreign = foreignPaths(target, live, fieldsOf(live, ignored.managers)).wanted;
  const programs = ignored.programs.flatMap((jq) => {
    const found = effort.matches(jq, target);
    return found.ok ? found.paths : [];
  });
  const paths = [...pointerPaths(target, ignored), ...foreign, ...programs].filter((path) => isCopied(path));
  // Each path is followed through lists that may be as long as there are paths.
  effort.spend(paths.length ** 2 / pathsPerStep);
  const result = effort.isSpent ? target : paths.reduce<Json>((now, path) => copied(now, target, live, path), target);
  const kept = always.reduce<Json>((now, path) => {
    const value = at(target, ...path);
    return value === undefined ? now : placed(now, path, value);
  }, result);
  return isObject(kept) ? kept : target;
}

/** What makes the object what it is stays the target's. */
function isCopied(path: Path): boolean {
  return (
    path.length > 0 && path[0] !== 'apiVersion' && path[0] !== 'kind' && !(path[0] === 'metadata' && path.length < 2)
  );
}

function copied(now: Json, target: Json, live: Json, path: Path): Json {
  const value = alignedAt(target, live, path);
  return value === undefined ? withoutPaths(now, [path]) : placed(now, path, value);
}

/** The live value at a path of the target: an item of a list is found by its name, else by its place. */
function alignedAt(target: Json | undefined, live: Json | undefined, path: Path): Json | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return live;
  const next = childAt(target, step);
  if (typeof step === 'string') return alignedAt(next, own(live, step), rest);
  if (!isArray(live)) return undefined;
  const name = own(next, 'name');
  const item = name === undefined ? live[step] : live.find((each) => equal(own(each, 'name'), name));
  return alignedAt(next, item, rest);
}

function placed(value: Json, path: Path, content: Json): Json {
  const [step, ...rest] = path;
  if (step === undefined) return content;
  if (typeof step === 'number')
    return isArray(value) ? value.map((item, i) => (i === step ? placed(item, rest, content) : item)) : value;
  if (!isObject(value) && value !== null) return value;
  const copy: Record<string, Json> = { ...value };
  const below = placed(own(value, step) ?? null, rest, content);
  Object.defineProperty(copy, step, { value: below, enumerable: true, configurable: true, writable: true });
  return copy;
}
