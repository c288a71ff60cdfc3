import { isObject, type Json } from '../json/index.ts';
import { anything, type Decode, flag, list, map, shape, text } from './decode.ts';
import type { SettingReader } from './setting-reader.ts';
import { parseYaml } from './yaml.ts';

/** Which parts of an object do not count in a comparison. */
export interface IgnoreRules {
  readonly jsonPointers?: readonly string[];
  readonly jqPathExpressions?: readonly string[];
  readonly managedFieldsManagers?: readonly string[];
}

/** What an admin says about one kind: its health script, actions, and what to ignore. */
export interface ResourceOverride {
  readonly health?: string;
  readonly useOpenLibs?: boolean;
  readonly actions?: string;
  readonly ignoreDifferences?: IgnoreRules;
  readonly ignoreResourceUpdates?: IgnoreRules;
  readonly knownTypeFields?: readonly { readonly field?: string; readonly type?: string }[];
}

const ignoreRules = shape<IgnoreRules>({
  jsonPointers: list(text),
  jqPathExpressions: list(text),
  managedFieldsManagers: list(text),
});

const knownTypeFields = list(shape<{ field?: string; type?: string }>({ field: text, type: text }));

const fromYaml =
  <T>(decode: Decode<T>): Decode<T> =>
  (value, path, notes) => {
    const json = typeof value === 'string' ? parseYaml(value) : value;
    return json === undefined ? notes.add(path, 'is not valid YAML') : decode(json, path, notes);
  };

const parts: { readonly [P in keyof ResourceOverride]-?: Decode<Exclude<ResourceOverride[P], undefined>> } = {
  health: text,
  useOpenLibs: (value, path, notes) => (typeof value === 'string' ? value === 'true' : flag(value, path, notes)),
  actions: text,
  ignoreDifferences: fromYaml(ignoreRules),
  ignoreResourceUpdates: fromYaml(ignoreRules),
  knownTypeFields: fromYaml(knownTypeFields),
};

/** The names that parts have inside the old single key. */
const oldNames: ReadonlyMap<string, keyof ResourceOverride> = new Map([
  ['health.lua', 'health'],
  ['health.lua.useOpenLibs', 'useOpenLibs'],
  ['actions', 'actions'],
  ['ignoreDifferences', 'ignoreDifferences'],
  ['ignoreResourceUpdates', 'ignoreResourceUpdates'],
  ['knownTypeFields', 'knownTypeFields'],
]);

type Overrides = ReadonlyMap<string, ResourceOverride>;

/** Reads `resource.customizations` (old, one YAML map) and `resource.customizations.<type>.<group>_<Kind>` (wins). */
export function readOverrides(keys: SettingReader, last: Overrides | undefined): Overrides {
  const found = new Map<string, ResourceOverride>();
  const set = (kind: string, part: keyof ResourceOverride, json: Json, key: string): void => {
    const decode: Decode<unknown> = parts[part];
    const value = keys.decode(key, json, decode) ?? last?.get(kind)?.[part];
    if (value !== undefined) found.set(kind, { ...found.get(kind), [part]: value });
  };
  const old = keys.yaml('resource.customizations', map(anything), { absent: {} });
  for (const [kind, each] of Object.entries(old)) {
    if (!isObject(each)) continue;
    for (const [name, json] of Object.entries(each)) {
      const part = oldNames.get(name);
      if (part !== undefined) set(kind, part, json, `resource.customizations.${kind}.${name}`);
    }
  }
  for (const [key, written] of keys.entries()) {
    const part = partOf(key);
    if (part === undefined) continue;
    if (Object.hasOwn(parts, part.type)) set(kindOf(part.kind), part.type as keyof ResourceOverride, written, key);
    else keys.problems.push({ path: key, message: `has the unknown type ${part.type}` });
  }
  return found;
}

function partOf(key: string): { readonly type: string; readonly kind: string } | undefined {
  const prefix = 'resource.customizations.';
  if (!key.startsWith(prefix)) return undefined;
  const rest = key.slice(prefix.length);
  const dot = rest.indexOf('.');
  return dot < 0 ? undefined : { type: rest.slice(0, dot), kind: rest.slice(dot + 1) };
}

/** `apps_Deployment` → `apps/Deployment`; the core group is written as the bare kind; `all` means every kind. */
function kindOf(written: string): string {
  if (written === 'all') return '*/*';
  const split = written.lastIndexOf('_');
  return split < 0 ? written : `${written.slice(0, split)}/${written.slice(split + 1)}`;
}
