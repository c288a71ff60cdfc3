import { CORE_SCHEMA, load } from 'js-yaml';
import type { Json, JsonObject } from '../../json/index.ts';
import { type KubeObject, objectKey, printKey } from '../../objects/index.ts';
import { type Live, type LiveObject, type Target, targetsOf } from '../index.ts';

/** An object from YAML. */
export function object(yaml: string): KubeObject {
  return load(yaml, { schema: CORE_SCHEMA }) as KubeObject; // tests write objects
}

/** The same object with managed fields: what each manager owns, ours by apply, everybody else's by update. */
export function owned(live: KubeObject, managers: { readonly [name: string]: JsonObject }): KubeObject {
  const managedFields = Object.entries(managers).map(
    ([manager, fieldsV1]): Json => ({
      manager,
      operation: manager === 'argocd-controller' ? 'Apply' : 'Update',
      apiVersion: live.apiVersion,
      fieldsType: 'FieldsV1',
      fieldsV1,
    }),
  );
  return { ...live, metadata: { ...live.metadata, managedFields } };
}

/** FieldsV1 of what an object sets, every map field by field and every list as a whole. */
export function fieldsOf(value: Json): JsonObject {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return {};
  return Object.fromEntries(Object.entries(value as JsonObject).map(([key, below]) => [`f:${key}`, fieldsOf(below)]));
}

export function target(yaml: string | KubeObject, instance = 'shop', namespaced = true): Target {
  const options = { instance, destinationNamespace: 'prod', namespaced: () => namespaced };
  const [made] = targetsOf([{ object: typeof yaml === 'string' ? object(yaml) : yaml, source: 0 }], options);
  if (made === undefined) throw new Error('no target');
  return made;
}

export function live(...objects: readonly KubeObject[]): Live {
  const entries = objects.map((each): [string, LiveObject] => {
    const key = objectKey(each);
    return [printKey(key), { key, object: each }];
  });
  return { objects: new Map(entries), unknown: new Map() };
}
