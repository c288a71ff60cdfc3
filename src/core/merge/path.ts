import { canonical, type Json, own } from '../json/index.ts';

/**
 * One step of a path in the notation of FieldsV1: `f:name` a field, `k:{…}` an item of a list by its keys,
 * `v:…` an item of a set by its value, `i:0` an item by its place.
 */
export type PathElement = string;

/** The step to a named field. */
export function fieldElement(name: string): PathElement {
  return `f:${name}`;
}

/** The step to an item of a set. */
export function valueElement(value: Json): PathElement {
  return `v:${canonical(value)}`;
}

/** Steps that can only be spelled one way: one key or value, nothing escaped in it. */
const plain = /^(k:\{"[^"\\]*":("[^"\\]*"|\d{1,15}|true|false)\}|v:("[^"\\]*"|\d{1,15}))$/;

/** The same step in its one spelling (keys sorted), or undefined where it is none. */
export function normalElement(text: string): PathElement | undefined {
  const kind = text.slice(0, 2);
  if (kind === 'f:' || plain.test(text)) return text;
  if (kind === 'i:') return /^i:\d+$/.test(text) ? text : undefined;
  if (kind !== 'k:' && kind !== 'v:') return undefined;
  try {
    return kind + canonical(JSON.parse(text.slice(2)) as Json); // JSON.parse yields Json
  } catch {
    return undefined;
  }
}

const rank: Record<string, number> = { 'f:': 0, 'k:': 1, 'v:': 2, 'i:': 3 };

/** The order in which Kubernetes prints the fields of a set. */
export function compareElements(a: PathElement, b: PathElement): number {
  const kind = (rank[a.slice(0, 2)] ?? 9) - (rank[b.slice(0, 2)] ?? 9);
  if (kind !== 0) return kind;
  if (a.startsWith('i:')) return Number(a.slice(2)) - Number(b.slice(2));
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A path as Kubernetes writes it in messages: `.spec.containers[name="web"].image`. */
export function printPath(path: readonly PathElement[]): string {
  return path.map(printElement).join('');
}

/** One step as Kubernetes writes it in messages. */
export function printElement(element: PathElement): string {
  const rest = element.slice(2);
  if (element.startsWith('f:')) return `.${rest}`;
  if (element.startsWith('v:')) return `[=${rest}]`;
  if (element.startsWith('i:')) return `[${rest}]`;
  const keys = JSON.parse(rest) as Json; // built by itemElement or normalElement
  const names = Object.keys(keys ?? {}).sort();
  return `[${names.map((name) => `${name}=${canonical(own(keys, name) ?? null)}`).join(',')}]`;
}
