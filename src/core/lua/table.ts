import type { Json } from '../json/index.ts';
import { isArray, isObject } from '../json/index.ts';
import { toBytes } from './bytes.ts';
import type { LuaFunction } from './function.ts';

/** What a script computes with; `undefined` is nil. Strings hold bytes (see `bytes.ts`). */
export type LuaValue = undefined | boolean | number | string | LuaTable | LuaFunction;

/** JSON as a script sees it; null is nil. Tables come as views that read one level when first touched. */
export function fromJson(json: Json | undefined): LuaValue {
  if (json === null || json === undefined) return undefined;
  if (typeof json === 'string') return toBytes(json);
  return isArray(json) || isObject(json) ? LuaTable.over(json) : json;
}

/** Lua's one data structure: a list from 1 on and a map. */
export class LuaTable {
  #list: LuaValue[] = [];
  #map: Map<LuaValue, LuaValue> | undefined;
  #source: Json | undefined;
  #order: { readonly keys: readonly LuaValue[]; readonly places: ReadonlyMap<LuaValue, number> } | undefined;
  meta: LuaTable | undefined;
  /** What the table was in JSON: an empty one must become the same again. */
  origin: 'list' | 'map' | undefined;

  static over(source: Json): LuaTable {
    const table = new LuaTable();
    table.#source = source;
    table.origin = isArray(source) ? 'list' : 'map';
    return table;
  }

  static of(values: readonly LuaValue[]): LuaTable {
    const table = new LuaTable();
    table.#list = [...values];
    table.#trim();
    return table;
  }

  /** A table of its own with the same entries. */
  copy(): LuaTable {
    const table = LuaTable.of(this.list);
    table.#map = this.#map === undefined ? undefined : new Map(this.#map);
    return table;
  }

  get(key: LuaValue): LuaValue {
    if (this.#source !== undefined) this.#fill();
    if (typeof key === 'number' && key >= 1 && key <= this.#list.length) {
      const found = this.#list[key - 1];
      if (found !== undefined || Number.isInteger(key)) return found;
    }
    return this.#map?.get(key);
  }

  set(key: LuaValue, value: LuaValue): void {
    if (this.#source !== undefined) this.#fill();
    const { length } = this.#list;
    if (typeof key !== 'number' || !Number.isInteger(key) || key < 1 || key > length + 1) {
      this.#put(key, value);
    } else if (key <= length) {
      this.#list[key - 1] = value;
      if (value === undefined && key === length) this.#trim();
    } else if (value === undefined) {
      this.#map?.delete(key);
    } else {
      this.#map?.delete(key);
      this.#list.push(value);
      this.#takeOver();
    }
  }

  /** A border: the last of the list part. */
  get length(): number {
    if (this.#source !== undefined) this.#fill();
    return this.#list.length;
  }

  /** The list part, for library functions that work on it as a whole; holes are nil. */
  get list(): readonly LuaValue[] {
    if (this.#source !== undefined) this.#fill();
    return this.#list;
  }

  replaceList(values: readonly LuaValue[]): void {
    if (this.#source !== undefined) this.#fill();
    this.#list = [...values];
    this.#trim();
  }

  /** The keys beyond the list part. */
  get mapKeys(): readonly LuaValue[] {
    if (this.#source !== undefined) this.#fill();
    return this.#map === undefined ? [] : [...this.#map.keys()];
  }

  /** Every key with a value, the list first, then in the order they came. */
  keys(): LuaValue[] {
    if (this.#source !== undefined) this.#fill();
    const keys: LuaValue[] = [];
    for (let i = 0; i < this.#list.length; i++) if (this.#list[i] !== undefined) keys.push(i + 1);
    for (const key of this.#map?.keys() ?? []) keys.push(key);
    return keys;
  }

  /** The key after another, nil after the last; false where there is no such key. `visit` hears how many were looked at. */
  next(key: LuaValue, visit: (count: number) => void): LuaValue | false {
    if (key === undefined) {
      this.#order = undefined;
      return this.#first();
    }
    this.#order ??= this.#ordered(visit);
    const place = this.#order.places.get(key);
    if (place === undefined) return false;
    for (let i = place + 1; i < this.#order.keys.length; i++) {
      visit(1);
      const next = this.#order.keys[i];
      // Fields may be cleared during a walk; those are passed over.
      if (this.get(next) !== undefined) return next;
    }
    return undefined;
  }

  #first(): LuaValue {
    if (this.#source !== undefined) this.#fill();
    const listed = this.#list.findIndex((value) => value !== undefined);
    if (listed >= 0) return listed + 1;
    return this.#map?.keys().next().value;
  }

  #ordered(visit: (count: number) => void): { keys: LuaValue[]; places: Map<LuaValue, number> } {
    const keys = this.keys();
    visit(keys.length);
    return { keys, places: new Map(keys.map((key, place) => [key, place])) };
  }

  #put(key: LuaValue, value: LuaValue): void {
    if (value === undefined) {
      this.#map?.delete(key);
      return;
    }
    this.#map ??= new Map();
    this.#map.set(key, value);
  }

  /** Moves what now continues the list out of the map. */
  #takeOver(): void {
    if (this.#map === undefined || this.#map.size === 0) return;
    for (;;) {
      const key = this.#list.length + 1;
      const value = this.#map.get(key);
      if (value === undefined) return;
      this.#map.delete(key);
      this.#list.push(value);
    }
  }

  #trim(): void {
    while (this.#list.length > 0 && this.#list[this.#list.length - 1] === undefined) this.#list.pop();
  }

  #fill(): void {
    const source = this.#source;
    this.#source = undefined;
    if (isArray(source)) {
      this.#list = source.map(fromJson);
      this.#trim();
    } else if (isObject(source)) {
      this.#map = new Map();
      for (const [key, value] of Object.entries(source)) {
        const wrapped = fromJson(value);
        if (wrapped !== undefined) this.#map.set(toBytes(key), wrapped);
      }
    }
  }
}
