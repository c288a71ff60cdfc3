import { isArray, isObject, type Json, type JsonArray, type JsonObject, own } from '../json/index.ts';
import { filledWhenEmpty, freeMaps, holdsQuantity, usualKeys, usualKeyValue } from './built-in.ts';
import { placeByKeys, placeOfMember } from './list-index.ts';
import { below, fieldElement, keyText, type ListShape, listShape, type Ownership } from './ownership.ts';
import { sameQuantity } from './quantity.ts';

/** How the fields of one kind are stored. */
export interface KindTraits {
  readonly kind: string;
  /** Decoded into a type of the API server: see `isBuiltIn`. */
  readonly builtIn: boolean;
  /** Tells whether two values at a path of field names mean the same to the kind's own type. */
  readonly alike?: ((path: readonly string[], a: Json, b: Json) => boolean) | undefined;
}

/**
 * Asks whether a live object has everything a target wants. Lists are matched as the managed fields tell: an item of a
 * keyed list by its keys, a member of a set by its value, anything else as a whole.
 */
export class Walk {
  readonly path: string[] = [];
  readonly #traits: KindTraits;
  readonly #ownership: Ownership;
  /** Inside a list or map that is replaced as a whole; in one that is ours; in one somebody else made theirs. */
  #whole = 0;
  #held = 0;
  #taken = 0;

  constructor(traits: KindTraits, ownership: Ownership) {
    this.#traits = traits;
    this.#ownership = ownership;
  }

  /** Tells whether `live` holds what is wanted; if not, `path` leads to the first field that it does not. */
  covers(wanted: Json, live: Json | undefined, owned: Json | undefined): boolean {
    if (wanted === live) return true;
    if (wanted === null) return live === undefined || live === null || this.#isHeld(owned) || !this.#wasApplied();
    if (isArray(wanted)) return this.#coversList(wanted, live, owned);
    if (isObject(wanted)) return this.#coversMap(wanted, live, owned);
    if (live === undefined || live === null) return isNothing(wanted) && this.#mayBeDropped(owned);
    if (!isArray(live) && !isObject(live) && this.#isAlike(wanted, live)) return true;
    return false;
  }

  #coversMap(wanted: JsonObject, live: Json | undefined, owned: Json | undefined): boolean {
    const absent = live === undefined || live === null;
    if (!absent && !isObject(live)) return false;
    const names = Object.keys(wanted);
    if (absent && names.length === 0) return this.#mayBeDropped(owned);
    const enter = this.#enter(owned, names.length > 0);
    if (this.#taken > 0 && Object.keys(live ?? {}).length > names.length) return false;
    for (const name of names) {
      const element = fieldElement(name);
      this.path.push(element);
      if (!this.covers(wanted[name] ?? null, own(live ?? undefined, name), own(owned, element))) return false;
      this.path.pop();
    }
    this.#leave(enter);
    return true;
  }

  /**
   * Whether a value is ours as a whole, or no part of it is: then it is new in the target, or somebody changed it and made
   * all of it theirs. The next apply makes it ours; until then only an equal value is the same.
   */
  #enter(owned: Json | undefined, holdsSomething: boolean): 'ours' | 'theirs' | 'nobody' {
    const isOurs = holdsSomething && isLeaf(owned);
    if (isOurs) this.#held++;
    const isTheirs = this.#wasApplied() && !this.#isHeld(owned) && (holdsSomething || this.#isWholeWhenEmpty());
    if (isTheirs) this.#taken++;
    return isOurs ? 'ours' : isTheirs ? 'theirs' : 'nobody';
  }

  /** An empty map asks for nothing, unless it is one that is replaced as a whole. */
  #isWholeWhenEmpty(): boolean {
    if (this.#ownership.others.length > 0) return this.#isForeignWhole(undefined);
    // Where others' fields were not kept: the one kind of such maps that people write empty, and mean it.
    return this.#traits.builtIn && (this.path.at(-1)?.endsWith('elector') ?? false);
  }

  #leave(entered: 'ours' | 'theirs' | 'nobody'): void {
    if (entered === 'ours') this.#held--;
    if (entered === 'theirs') this.#taken--;
  }

  #coversList(wanted: JsonArray, live: Json | undefined, owned: Json | undefined): boolean {
    // Nobody owns an empty keyed list, and applying one may leave none: the two cannot be told apart.
    if (live === undefined || live === null) return wanted.length === 0;
    if (!isArray(live)) return false;
    const shape = this.#shapeOf(wanted, owned);
    if (shape === undefined) return this.#coversWhole(wanted, live, owned);
    if (shape.type === 'set') return wanted.every((item) => placeOfMember(live, item) !== undefined);
    return this.#coversKeyed(wanted, live, { shape, owned });
  }

  #coversWhole(wanted: JsonArray, live: JsonArray, owned: Json | undefined): boolean {
    if (wanted.length !== live.length) return wanted.length === 0 && this.#mayBeKeyed(owned);
    const enter = this.#enter(owned, true);
    this.#whole++;
    for (const [i, item] of wanted.entries()) {
      this.path.push(`i:${i}`);
      if (!this.covers(item, live[i], undefined)) return false;
      this.path.pop();
    }
    this.#whole--;
    this.#leave(enter);
    return true;
  }

  /** An empty list of a custom kind that is not ours may be a keyed one, with items of others that no apply removes. */
  #mayBeKeyed(owned: Json | undefined): boolean {
    const isUntold = this.#ownership.others.length === 0 && this.#whole === 0;
    return !this.#traits.builtIn && isUntold && this.#wasApplied() && !this.#isHeld(owned);
  }

  #coversKeyed(
    wanted: JsonArray,
    live: JsonArray,
    { shape, owned }: { shape: ListShape & { type: 'keyed' }; owned: Json | undefined },
  ): boolean {
    const find = finder(live, shape.names);
    let last = -1;
    for (const [i, item] of wanted.entries()) {
      const text = keyText(item, shape.names, usualKeyValue);
      const place = find(text, i) ?? looseMatch(item, live, shape.names);
      const element = shape.elements.get(text) ?? elementFor(live[place ?? -1] ?? item, shape.names);
      this.path.push(element);
      if (place === undefined || !this.covers(item, live[place], own(owned, element))) return false;
      this.path.pop();
      // Applying puts the items in the order of the target, so another order is a difference.
      if (place < last && this.#wasApplied()) return false;
      last = place;
    }
    return true;
  }

  /** Undefined where the list is replaced as a whole. */
  #shapeOf(wanted: JsonArray, owned: Json | undefined): ListShape | undefined {
    if (this.#whole > 0 || this.#held > 0) return undefined;
    const known = listShape(owned) ?? this.#foreignShape();
    if (known !== undefined || (isLeaf(owned) && wanted.length > 0)) return known;
    if (this.#isForeignWhole(owned)) return undefined;
    const field = this.path.at(-1)?.slice(2) ?? '';
    const names = this.#traits.builtIn
      ? usualKeys(field, (key) => wanted.every((item) => own(item, key) !== undefined))
      : undefined;
    return names === undefined ? undefined : { type: 'keyed', names, elements: new Map(), texts: new Map() };
  }

  #foreignShape(): ListShape | undefined {
    for (const other of this.#ownership.others) {
      const shape = listShape(below(other, this.path));
      if (shape !== undefined) return shape;
    }
    return undefined;
  }

  /** Somebody else owns the value here as a whole: they may have changed any part of it. */
  #isForeignWhole(owned: Json | undefined): boolean {
    if (owned !== undefined || this.#whole > 0 || this.#held > 0) return false;
    return this.#ownership.others.some((other) => isLeaf(below(other, this.path)));
  }

  #wasApplied(): boolean {
    return this.#ownership.ours !== undefined;
  }

  /** We applied the field, and nobody changed it since: changing it would have taken it from us. */
  #isHeld(owned: Json | undefined): boolean {
    return owned !== undefined || this.#held > 0;
  }

  /** Built-in types leave empty fields out. That it was there and somebody removed it shows in who owns it. */
  #mayBeDropped(owned: Json | undefined): boolean {
    if (this.#wasApplied()) return this.#isHeld(owned);
    const parent = this.path.at(-2)?.slice(2) ?? '';
    return this.#traits.builtIn && !freeMaps.has(parent);
  }

  #isAlike(wanted: string | number | boolean, live: string | number | boolean): boolean {
    const { kind, builtIn, alike } = this.#traits;
    const field = this.path.at(-1)?.slice(2) ?? '';
    if (builtIn && isNothing(wanted) && filledWhenEmpty.has(field)) return true;
    const isAmount = typeof wanted !== 'boolean' && typeof live !== 'boolean';
    const free = kind === 'ConfigMap' || kind === 'Secret' || this.path[0] === 'f:metadata';
    if (builtIn && isAmount && !free && holdsQuantity(kind, this.path.at(-2)?.slice(2), field)) {
      return sameQuantity(wanted, live);
    }
    return alike?.(fieldNames(this.path), wanted, live) ?? false;
  }
}

/** The names of the fields on a path, items of lists left out. */
export function fieldNames(path: readonly string[]): string[] {
  return path.flatMap((element) => (element.startsWith('f:') ? [element.slice(2)] : []));
}

/** A node of FieldsV1 with nothing below it: owned as a whole. */
function isLeaf(node: Json | undefined): boolean {
  if (!isObject(node)) return false;
  for (const key in node) if (key !== '.') return false;
  return true;
}

function isNothing(value: Json): boolean {
  return value === '' || value === 0 || value === false;
}

/** Finds items by their keys, each once: mostly at the place they are looked for, else by an index made then. */
function finder(list: JsonArray, names: readonly string[]): (text: string, i: number) => number | undefined {
  let places: Map<string, number[]> | undefined;
  return (text, i) => {
    if (places === undefined && i < list.length && keyText(list[i], names, usualKeyValue) === text) return i;
    // Those before were found at their own places.
    places ??= indexOf(list, names);
    const found = places.get(text);
    return found?.find((place) => place >= i) ?? found?.[0];
  };
}

function indexOf(list: JsonArray, names: readonly string[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [i, item] of list.entries()) {
    const text = keyText(item, names, usualKeyValue);
    const known = places.get(text);
    if (known === undefined) places.set(text, [i]);
    else known.push(i);
  }
  return places;
}

/** An item may leave out keys that have a default only its schema knows: the first that agrees in the others. */
function looseMatch(item: Json, live: JsonArray, names: readonly string[]): number | undefined {
  const given = names.filter((name) => own(item, name) !== undefined);
  if (given.length === 0 || given.length === names.length) return undefined;
  return placeByKeys(live, given, keyText(item, given));
}

function elementFor(item: Json, names: readonly string[]): string {
  const pairs = [...names].sort().flatMap((name) => {
    const value = own(item, name) ?? usualKeyValue(name);
    return value === undefined ? [] : [`${JSON.stringify(name)}:${JSON.stringify(value)}`];
  });
  return `k:{${pairs.join(',')}}`;
}
