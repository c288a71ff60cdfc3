import { parseYaml } from '../api/index.ts';
import { at, isArray, isObject, type Json, type JsonObject, own, stringAt } from '../json/index.ts';
import { compileLua, type LuaScript, LuaTable, type LuaValue, toJson, typeName } from '../lua/index.ts';
import { changed } from './change.ts';
import type { ActionOption, Clock, Impact, KindActions } from './types.ts';

/** The actions an admin has written for a kind, and whether the built-in ones stand beside them. */
export interface ScriptedActions extends KindActions {
  readonly mergeBuiltin: boolean;
}

/** Reads the `actions` of a kind from the settings: YAML with `discovery.lua` and `definitions`. */
export function scriptedActions(written: string, now: Clock): ScriptedActions {
  const yaml = parseYaml(written);
  if (!isObject(yaml)) return broken('the actions in the settings are no YAML map');
  const discovery = lazily(stringAt(yaml, 'discovery.lua') ?? 'return {}');
  const definitions = definitionsOf(own(yaml, 'definitions'));
  return {
    mergeBuiltin: own(yaml, 'mergeBuiltinActions') === true,
    options: (object) => optionsOf(discovery().run({ globals: new Map([['obj', object]]), now })),
    run: (name, object, params) => {
      const script = definitions.get(name);
      if (script === undefined) return undefined;
      const globals = new Map<string, Json>([
        ['obj', object],
        ['actionParams', Object.fromEntries(params)],
      ]);
      return impactsOf(script().run({ globals, now }), object);
    },
  };
}

function broken(message: string): ScriptedActions {
  const fail = (): never => {
    throw new Error(message);
  };
  return { mergeBuiltin: false, options: fail, run: fail };
}

function lazily(source: string): () => LuaScript {
  let script: LuaScript | undefined;
  return () => {
    script ??= compileLua(source);
    return script;
  };
}

function definitionsOf(json: Json | undefined): ReadonlyMap<string, () => LuaScript> {
  const found = new Map<string, () => LuaScript>();
  for (const definition of isArray(json) ? json : []) {
    const name = stringAt(definition, 'name');
    const source = stringAt(definition, 'action.lua');
    if (name !== undefined && source !== undefined) found.set(name, lazily(source));
  }
  return found;
}

/** A table of action names to options; an action without options may be an empty table. */
function optionsOf(result: LuaValue): readonly ActionOption[] {
  if (!(result instanceof LuaTable)) throw new Error(`discovery.lua must return a table, not a ${typeName(result)}`);
  const json = toJson(result, {});
  if (!isObject(json)) throw new Error('discovery.lua must return a table of names');
  return Object.keys(json).map((name) => optionOf(name, json[name] ?? null));
}

function optionOf(name: string, json: Json): ActionOption {
  const text = (key: 'displayName' | 'iconClass') => {
    const found = stringAt(json, key);
    return found === undefined ? {} : { [key]: found };
  };
  const params = own(json, 'params');
  return {
    name,
    ...(own(json, 'disabled') === true ? { disabled: true } : {}),
    ...text('displayName'),
    ...text('iconClass'),
    ...(isArray(params) && params.length > 0 ? { params: params.flatMap(paramOf) } : {}),
  };
}

function paramOf(json: Json): readonly { name: string; default?: string }[] {
  const name = stringAt(json, 'name');
  const preset = stringAt(json, 'default');
  return name === undefined ? [] : [{ name, ...(preset === undefined ? {} : { default: preset }) }];
}

/** A table with the changed object, or a list of what to make and what to change. */
function impactsOf(result: LuaValue, object: JsonObject): readonly Impact[] {
  if (!(result instanceof LuaTable)) throw new Error(`action.lua must return a table, not a ${typeName(result)}`);
  if (result.length === 0) return [impactOf('patch', toJson(result, object))];
  return result.list.map((each) => {
    const operation = each instanceof LuaTable ? each.get('operation') : undefined;
    if (!(each instanceof LuaTable) || (operation !== 'create' && operation !== 'patch')) {
      throw new Error('action.lua must return entries with the operation create or patch');
    }
    return impactOf(operation, toJson(each.get('resource'), operation === 'patch' ? object : undefined));
  });
}

function impactOf(operation: Impact['operation'], resource: Json): Impact {
  if (!isObject(resource)) throw new Error('action.lua must return objects');
  for (const field of ['apiVersion', 'kind']) {
    if ((stringAt(resource, field) ?? '') === '') throw new Error(`action.lua returned an object without ${field}`);
  }
  return { operation, resource: withMaps(resource) };
}

/** Lua cannot tell an empty map from an empty list; labels and annotations are always maps. */
function withMaps(resource: JsonObject): JsonObject {
  return (['labels', 'annotations'] as const).reduce((object, field) => {
    const found = at(object, 'metadata', field);
    return isArray(found) && found.length === 0 ? changed(object, ['metadata', field], {}) : object;
  }, resource);
}
