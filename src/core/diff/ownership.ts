import { isArray, isObject, type Json, type JsonObject, own, stringAt } from '../json/index.ts';

/** The name our fields are owned under, as Argo CD's. */
const manager = 'argocd-controller';
const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';

/** Who owns what in a live object, as far as a comparison asks. */
export interface Ownership {
  /** FieldsV1 of what we applied last; undefined where we never applied it server-side. */
  readonly ours: JsonObject | undefined;
  /** FieldsV1 of everybody else. */
  readonly others: readonly JsonObject[];
}

const nobody: Ownership = { ours: undefined, others: [] };

/** Reads the managed fields of a live object; what is not readable there is nobody's. */
export function ownershipOf(live: JsonObject): Ownership {
  const entries = own(own(live, 'metadata'), 'managedFields');
  if (!isArray(entries)) return nobody;
  let ours: JsonObject | undefined;
  const others: JsonObject[] = [];
  for (const entry of entries) {
    const fields = own(entry, 'fieldsV1');
    if (!isObject(fields)) continue;
    if (isOurApply(entry)) ours = fields;
    else others.push(fields);
  }
  return { ours, others };
}

function isOurApply(entry: Json): boolean {
  return (
    own(entry, 'manager') === manager && own(entry, 'operation') === 'Apply' && (own(entry, 'subresource') ?? '') === ''
  );
}

/** FieldsV1 of the entries of these managers, whatever they did. */
export function fieldsOf(live: JsonObject, managers: ReadonlySet<string>): JsonObject[] {
  const entries = own(own(live, 'metadata'), 'managedFields');
  if (!isArray(entries)) return [];
  return entries.flatMap((entry) => {
    const fields = own(entry, 'fieldsV1');
    return isObject(fields) && managers.has(stringAt(entry, 'manager') ?? '') ? [fields] : [];
  });
}

/** The configuration a client-side apply left behind; undefined where there is none that can be read. */
export function lastAppliedOf(live: JsonObject): JsonObject | undefined {
  const text = stringAt(live, 'metadata', 'annotations', lastAppliedAnnotation);
  if (text === undefined || text === '') return undefined;
  try {
    const value = JSON.parse(text) as Json; // parsed JSON is Json
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The part of a FieldsV1 tree below a path; undefined where it does not reach. */
export function below(fields: Json | undefined, path: readonly string[]): Json | undefined {
  let node = fields;
  for (const element of path) {
    node = own(node, element);
    if (node === undefined) return undefined;
  }
  return node;
}

/** How a list is owned: item by item under keys or as a set, or as a whole. */
export type ListShape =
  | {
      readonly type: 'keyed';
      readonly names: readonly string[];
      /** Steps by the text of their keys. */
      readonly elements: ReadonlyMap<string, string>;
      /** And the other way round. */
      readonly texts: ReadonlyMap<string, string>;
    }
  | { readonly type: 'set' };

const shapes = new WeakMap<JsonObject, ListShape | 'whole'>();

/** What the node of a list tells about it; undefined where its owner has no item, or owns it as a whole. */
export function listShape(node: Json | undefined): ListShape | undefined {
  if (!isObject(node)) return undefined;
  let shape = shapes.get(node);
  if (shape === undefined) {
    shape = readShape(node);
    shapes.set(node, shape);
  }
  return shape === 'whole' ? undefined : shape;
}

function readShape(node: JsonObject): ListShape | 'whole' {
  const steps = new Map<string, string>();
  const texts = new Map<string, string>();
  let names: readonly string[] = [];
  for (const element of Object.keys(node)) {
    if (element.startsWith('v:')) return { type: 'set' };
    const keys = element.startsWith('k:') ? parseElement(element) : undefined;
    if (!isObject(keys)) continue;
    const mine = Object.keys(keys).sort();
    if (mine.length > names.length) names = mine;
    steps.set(keyText(keys, mine), element);
    texts.set(element, keyText(keys, mine));
  }
  return names.length === 0 ? 'whole' : { type: 'keyed', names, elements: steps, texts };
}

/** The value in `k:{…}` or `v:…`; undefined where it is none. */
export function parseElement(element: string): Json | undefined {
  try {
    return JSON.parse(element.slice(2)) as Json; // parsed JSON is Json
  } catch {
    return undefined;
  }
}

/** The keys of an item as one text; `otherwise` stands for a key it leaves out. */
export function keyText(
  item: Json | undefined,
  names: readonly string[],
  otherwise: (name: string) => string | undefined = () => undefined,
): string {
  const [first = ''] = names;
  let text = valueText(own(item, first) ?? otherwise(first) ?? null);
  for (let i = 1; i < names.length; i++) {
    const name = names[i] ?? '';
    text += `\n${valueText(own(item, name) ?? otherwise(name) ?? null)}`;
  }
  return text;
}

/** A value as a text; texts are most, and need no quotes to be told from the rest. */
export function valueText(value: Json): string {
  return typeof value === 'string' ? `"${value}` : JSON.stringify(value);
}

const elements = new Map<string, string>();
const fields = new Map<string, string>();
/** Keys of tenants' maps come by, too; they must not fill the memory. */
const mostKnown = 5000;
const longestKnown = 200;

/** The step to a field, `f:name`; the same text for the same name, so that looking it up costs little. */
export function fieldElement(name: string): string {
  const known = elements.get(name);
  if (known !== undefined) return known;
  const element = `f:${name}`;
  if (elements.size < mostKnown && name.length <= longestKnown) elements.set(name, element);
  return element;
}

/** The name in `f:name`; undefined for steps of another kind. */
export function fieldOf(element: string): string | undefined {
  const known = fields.get(element);
  if (known !== undefined) return known;
  if (!element.startsWith('f:')) return undefined;
  const name = element.slice(2);
  if (fields.size < mostKnown && name.length <= longestKnown) fields.set(element, name);
  return name;
}
