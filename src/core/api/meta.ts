import { isObject, type Json, type JsonObject } from '../json/index.ts';
import type { ObjectMeta } from '../objects/index.ts';
import { type Decode, integer, list, map, type Notes, shape, text } from './decode.ts';

const known = shape<
  Pick<
    ObjectMeta,
    | 'name'
    | 'namespace'
    | 'uid'
    | 'resourceVersion'
    | 'generation'
    | 'creationTimestamp'
    | 'deletionTimestamp'
    | 'labels'
    | 'annotations'
    | 'finalizers'
  >
>({
  name: text,
  namespace: text,
  uid: text,
  resourceVersion: text,
  generation: integer,
  creationTimestamp: text,
  deletionTimestamp: text,
  labels: map(text),
  annotations: map(text),
  finalizers: list(text),
});

/** Metadata of an object; the fields the house does not read stay as they are. */
export const metadata: Decode<NamedMeta> = (value, path, notes) => {
  const meta = known(value, path, notes);
  if (meta === undefined) return undefined;
  if (typeof meta.name !== 'string' || meta.name === '') return notes.add(`${path}.name`, 'is required');
  return meta as NamedMeta; // name was seen, namespace is read through `namespace ?? ''`
};

/** Metadata of an object that has a name, as all stored objects have. */
export interface NamedMeta extends ObjectMeta {
  readonly name: string;
}

/** The top of an object of one kind, or undefined with a note. */
export function objectOf(json: Json, group: string, kind: string, notes: Notes): JsonObject | undefined {
  if (!isObject(json)) return notes.add('', `must be an object of kind ${kind}`);
  if (json['kind'] !== kind) return notes.add('kind', `must be ${kind}`);
  const version = json['apiVersion'];
  const prefix = group === '' ? 'v' : `${group}/`;
  if (typeof version !== 'string' || !version.startsWith(prefix)) {
    return notes.add('apiVersion', `must be ${group === '' ? 'v1' : `${group}/v1alpha1`}`);
  }
  return json;
}
