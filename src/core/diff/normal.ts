import { isArray, isObject, type Json, type JsonObject, own } from '../json/index.ts';
import { groupOf } from '../objects/index.ts';
import { isBuiltIn } from './built-in.ts';

/** What an admin's settings say about every comparison. */
export interface NormalOptions {
  /** A role whose rules a controller gathers is compared without them. */
  readonly ignoreAggregatedRoles?: boolean | undefined;
  /** Whose `status` does not count: of all kinds (the default), of CRDs only, or of none. */
  readonly ignoreStatus?: 'all' | 'crd' | 'none' | undefined;
}

const comparedMeta = ['labels', 'annotations', 'finalizers', 'ownerReferences'];

/**
 * The part of an object that is compared: without what only the API server writes, and with the fields that have two
 * spellings in one of them. Shares everything it does not change with the object.
 */
export function normalOf(object: JsonObject, options: NormalOptions = {}): JsonObject {
  const { metadata, ...rest } = object;
  const kept: Record<string, Json> = {};
  for (const field of comparedMeta) {
    const value = own(metadata, field);
    if (value !== undefined) kept[field] = value;
  }
  const plain: Record<string, Json> = { ...rest, metadata: kept };
  if (ignoresStatus(object, options)) delete plain['status'];
  return byKind(plain, options);
}

function ignoresStatus(object: JsonObject, { ignoreStatus = 'all' }: NormalOptions): boolean {
  if (ignoreStatus === 'none') return false;
  return ignoreStatus === 'all' || object['kind'] === 'CustomResourceDefinition';
}

function byKind(object: JsonObject, options: NormalOptions): JsonObject {
  switch (object['kind']) {
    case 'Secret':
      return isCore(object) ? normalSecret(object) : object;
    case 'ConfigMap':
      return isCore(object) ? withNormalBase64(object, 'binaryData') : object;
    case 'Role':
    case 'ClusterRole':
      return groupOf(textOf(object['apiVersion'])) === 'rbac.authorization.k8s.io'
        ? normalRole(object, options)
        : object;
    default:
      return object;
  }
}

const isCore = (object: JsonObject): boolean => object['apiVersion'] === 'v1';

/** A Secret as the API server stores it: `stringData` in `data`, in one spelling of base64. */
export function normalSecret(secret: JsonObject): JsonObject {
  const plain = withNormalBase64(secret, 'data');
  const texts = own(plain, 'stringData');
  if (texts === undefined) return plain;
  const { stringData: _, ...rest } = plain;
  if (!isObject(texts)) return texts === null ? rest : plain;
  // A value that is no text is refused by the server, in its own words.
  if (Object.values(texts).some((value) => typeof value !== 'string' && value !== null)) return plain;
  const data: Record<string, Json> = { ...(isObject(rest['data']) ? rest['data'] : {}) };
  for (const key of Object.keys(texts)) set(data, key, encode(textOf(texts[key])));
  return { ...rest, data };
}

/** Plain assignment would take a key named `__proto__` for something else. */
function set(map: Record<string, Json>, key: string, value: Json): void {
  Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true });
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

function encode(text: string): string {
  if (/^\p{ASCII}*$/u.test(text)) return btoa(text);
  let binary = '';
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** Line breaks inside base64 mean nothing, and null is the empty text. */
function withNormalBase64(object: JsonObject, field: string): JsonObject {
  const data = own(object, field);
  if (!isObject(data)) return object;
  const odd = Object.keys(data).filter((key) => {
    const value = data[key];
    return value === null || (typeof value === 'string' && /[\r\n]/.test(value));
  });
  if (odd.length === 0) return object;
  const clean: Record<string, Json> = { ...data };
  for (const key of odd) set(clean, key, textOf(data[key]).replace(/[\r\n]/g, ''));
  return { ...object, [field]: clean };
}

function normalRole(role: JsonObject, options: NormalOptions): JsonObject {
  const gathered = options.ignoreAggregatedRoles === true && isObject(own(role, 'aggregationRule'));
  const rules = own(role, 'rules');
  const empty = rules === null || (isArray(rules) && rules.length === 0);
  if (!gathered && !empty) return role;
  const { rules: _, ...rest } = role;
  return rest;
}

/**
 * A target without its nulls, where its type is built in: null means "not set" there, and sent along it would take a
 * field from whoever manages it (`replicas: null` is how charts leave the count to an autoscaler).
 */
export function withoutNulls(object: JsonObject): JsonObject {
  return isBuiltIn(textOf(object['apiVersion'])) ? (strip(object) as JsonObject) : object; // of an object
}

function strip(value: Json): Json {
  if (isArray(value)) return value.some((item) => strip(item) !== item) ? value.map(strip) : value;
  if (!isObject(value)) return value;
  let copy: Record<string, Json> | undefined;
  for (const key of Object.keys(value)) {
    const before = value[key] ?? null;
    const after = before === null ? undefined : strip(before);
    if (after === before) continue;
    copy ??= { ...value };
    if (after === undefined) delete copy[key];
    else set(copy, key, after);
  }
  return copy ?? value;
}
