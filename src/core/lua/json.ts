import { isArray, isObject, type Json, type JsonObject, own } from '../json/index.ts';
import { fromBytes } from './bytes.ts';
import { LuaError, LuaLimit } from './errors.ts';
import { LuaTable, type LuaValue } from './table.ts';
import { typeName } from './text.ts';

/** Deeper values are loops. */
const maxDepth = 200;
/** A table may hold another many times over, so that a small one grows without end on its way to JSON. */
const maxSize = 8 * 1024 * 1024;
const nodeSize = 8;

/**
 * A script's value as JSON. Lua knows only one kind of empty table: one that came from JSON becomes again what it was, a
 * new one what `original` has in its place, and else a list, as in Argo CD.
 */
export function toJson(value: LuaValue, original?: Json): Json {
  return new Writer().write(value, original, 0);
}

class Writer {
  #size = 0;

  write(value: LuaValue, original: Json | undefined, depth: number): Json {
    this.#grow(nodeSize);
    if (value === undefined) return null;
    if (typeof value === 'string') return this.#text(value);
    if (typeof value === 'boolean') return value;
    if (typeof value === 'number') return finite(value);
    if (!(value instanceof LuaTable)) throw new LuaError(`a ${typeName(value)} cannot be turned into JSON`);
    if (depth > maxDepth) throw new LuaError('the table is nested too deeply, or contains itself');
    const keys = value.mapKeys;
    if (value.length === 0) return keys.length === 0 ? empty(value, original) : this.#map(value, original, depth);
    if (keys.length > 0) throw new LuaError('a table with both a list and named fields cannot be turned into JSON');
    const before = isArray(original) ? original : [];
    return value.list.map((item, i) => this.write(item, before[i], depth + 1));
  }

  #map(table: LuaTable, original: Json | undefined, depth: number): JsonObject {
    const entries = table.mapKeys.map((key): [string, Json] => {
      if (typeof key !== 'string') throw new LuaError(`a field named by a ${typeName(key)} cannot be turned into JSON`);
      const name = this.#text(key);
      return [name, this.write(table.get(key), own(original, name), depth + 1)];
    });
    return Object.fromEntries(entries);
  }

  #text(bytes: string): string {
    this.#grow(bytes.length);
    return fromBytes(bytes);
  }

  #grow(size: number): void {
    this.#size += size;
    if (this.#size > maxSize) throw new LuaLimit(`the result is larger than ${maxSize} bytes`);
  }
}

function empty({ origin }: LuaTable, original: Json | undefined): Json {
  const isMap = origin === undefined ? isObject(original) : origin === 'map';
  return isMap ? {} : [];
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new LuaError('a number without end cannot be turned into JSON');
  return value;
}
