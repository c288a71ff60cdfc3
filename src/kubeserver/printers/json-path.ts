import { isArray, isObject, type Json, own } from '../../core/json/index.ts';
import { printed } from '../printed.ts';

/** What a simple JSON path (`.spec.list[0].name`, `.items[?(@.type=="Ready")].status`, `[*]`) finds, in order. */
export function jsonPath(value: Json, path: string): Json[] {
  let found: Json[] = [value];
  for (const step of steps(path)) found = found.flatMap((one) => take(one, step));
  return found;
}

type Step =
  | { readonly key: string }
  | { readonly index: number }
  | { readonly all: true }
  | { readonly where: readonly string[]; readonly equals: string };

function steps(path: string): Step[] {
  const pattern =
    /\.([^.[\]]+(?:\\\.[^.[\]]+)*)|\['([^']*)'\]|\[(-?\d+)\]|(\[\*\]|\.\*)|\[\?\(@\.([\w.-]+)\s*==\s*["']([^"']*)["']\)\]/g;
  return [...path.matchAll(pattern)].map(([, key, quoted, index, all, where, equals]): Step => {
    if (key !== undefined) return { key: key.replaceAll('\\.', '.') };
    if (quoted !== undefined) return { key: quoted };
    if (index !== undefined) return { index: Number(index) };
    if (all !== undefined) return { all: true };
    return { where: (where ?? '').split('.'), equals: equals ?? '' };
  });
}

function take(value: Json, step: Step): Json[] {
  if ('key' in step) {
    const found = own(value, step.key);
    return found === undefined || found === null ? [] : [found];
  }
  if ('all' in step) return isArray(value) ? [...value] : isObject(value) ? Object.values(value) : [];
  if (!isArray(value)) return [];
  if ('index' in step) {
    const found = value.at(step.index);
    return found === undefined ? [] : [found];
  }
  return value.filter((item) => {
    let at: Json | undefined = item;
    for (const key of step.where) at = own(at, key);
    return printed(at) === step.equals;
  });
}
