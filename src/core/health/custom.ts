import type { ResourceOverride } from '../api/index.ts';
import type { Json } from '../json/index.ts';
import { compileLua, LuaTable, type LuaValue, toJson, typeName } from '../lua/index.ts';
import { compileGlob } from '../match/index.ts';
import { kindText } from '../objects/index.ts';
import type { Assess } from './kinds/read.ts';
import { type Health, type HealthCode, healthOrder } from './types.ts';

/** The checks an admin has written in Lua. */
export interface CustomChecks {
  /** The check for a kind; undefined where the admin has none. It throws where the script fails. */
  of(group: string, kind: string): Assess | undefined;
}

/**
 * Makes the `health` scripts of the settings usable: those of the very kind first, then those of patterns. Where several
 * patterns match, the longest counts (in Argo CD it is left to chance). Scripts are compiled when first needed, once.
 */
export function customChecks(overrides: ReadonlyMap<string, ResourceOverride>, now: () => number): CustomChecks {
  const exact = new Map<string, Assess>();
  for (const [key, { health }] of overrides) {
    if (health !== undefined && health.trim() !== '') exact.set(key, scriptCheck(health, now));
  }
  const patterns = [...exact.entries()].flatMap(([key, check]) => {
    const glob = compileGlob(key);
    return glob.ok && glob.literal === undefined ? [{ key, check, glob }] : [];
  });
  patterns.sort((a, b) => b.key.length - a.key.length || (a.key < b.key ? -1 : 1));
  const found = new Map<string, Assess | undefined>();
  return {
    of(group, kind) {
      if (exact.size === 0) return undefined;
      const text = kindText({ group, kind });
      if (!found.has(text)) found.set(text, exact.get(text) ?? patterns.find(({ glob }) => glob.matches(text))?.check);
      return found.get(text);
    },
  };
}

/** One script as a check: it sees the object as `obj` and answers a table with `status` and `message`. */
function scriptCheck(source: string, now: () => number): Assess {
  let script: ReturnType<typeof compileLua> | undefined;
  return (object) => {
    script ??= compileLua(source);
    return healthOf(script.run({ globals: new Map<string, Json>([['obj', object]]), now }));
  };
}

function healthOf(result: LuaValue): Health {
  if (result === undefined) return { status: '' };
  if (!(result instanceof LuaTable)) {
    throw new Error(`the health script must return a table, not a ${typeName(result)}`);
  }
  const status = fieldOf(result, 'status');
  const message = fieldOf(result, 'message');
  const told = message === undefined ? {} : { message };
  if (status === undefined || status === '') return { status: '', ...told };
  if (isCode(status)) return { status, ...told };
  return {
    status: 'Unknown',
    message: `the health script returned the status ${JSON.stringify(status.slice(0, 100))}, which is none of ${healthOrder.join(', ')}`,
  };
}

function fieldOf(table: LuaTable, name: string): string | undefined {
  const value = table.get(name);
  if (value === undefined) return undefined;
  const json = toJson(value);
  if (typeof json !== 'string')
    throw new Error(`the health script returned a ${name} that is a ${typeName(value)}, not a text`);
  return json;
}

function isCode(status: string): status is HealthCode {
  return healthOrder.some((code) => code === status);
}
