import { isArray, isObject, type MutableJson, type MutableJsonObject } from '../../../core/json/index.ts';

/** Sets what is absent; what is there, also `false` and zero, stays. */
export function fill(object: MutableJsonObject, values: MutableJsonObject): void {
  for (const [key, value] of Object.entries(values))
    if (!Object.hasOwn(object, key) || object[key] === null) object[key] = value;
}

/** The object under a key, made if absent. */
export function ensure(object: MutableJsonObject, key: string): MutableJsonObject {
  const found = child(object, key);
  if (found !== undefined) return found;
  const made: MutableJsonObject = {};
  object[key] = made;
  return made;
}

/** The object under a path, or undefined. */
export function child(
  object: MutableJsonObject | undefined,
  ...path: readonly string[]
): MutableJsonObject | undefined {
  let current: MutableJson | undefined = object;
  for (const key of path) current = isMutable(current) && Object.hasOwn(current, key) ? current[key] : undefined;
  return isMutable(current) ? current : undefined;
}

/** The objects of the list under a key. */
export function each(object: MutableJsonObject | undefined, key: string): MutableJsonObject[] {
  const list = object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
  return isArray(list) ? (list.filter(isObject) as MutableJsonObject[]) : []; // items of a list its maker may change
}

/** Tells whether a list under a key has anything in it. */
export function isFilled(object: MutableJsonObject, key: string): boolean {
  const list = Object.hasOwn(object, key) ? object[key] : undefined;
  return isArray(list) && list.length > 0;
}

function isMutable(value: MutableJson | undefined): value is MutableJsonObject {
  return isObject(value);
}
