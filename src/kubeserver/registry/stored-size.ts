import { isArray, isObject, type Json } from '../../core/json/index.ts';
import { asJson, type KubeObject } from '../../core/objects/index.ts';
import { StatusError } from '../ports.ts';
import type { Served } from './served.ts';

/** What etcd takes in one request unless it is told otherwise (`--max-request-bytes`). */
const most = 1.5 * 1024 * 1024;

/** Refuses what a real API server could not store, in its words. */
export function refuseTooLarge(key: string, object: KubeObject, served: Served): void {
  // Custom objects are kept as JSON; built-in ones in a denser form, of which only the texts are surely as long.
  const size = served.custom === undefined ? textBytes(asJson(object)) : Buffer.byteLength(JSON.stringify(object));
  if (key.length + size <= most) return;
  throw new StatusError({ code: 500, reason: '', message: 'etcdserver: request is too large' });
}

function textBytes(value: Json): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  let sum = 0;
  if (isArray(value)) for (const item of value) sum += textBytes(item);
  else if (isObject(value)) for (const item of Object.values(value)) sum += textBytes(item ?? null);
  return sum;
}
