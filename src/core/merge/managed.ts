import { isArray, isObject, type Json, type JsonObject, own, stringAt } from '../json/index.ts';
import { type FieldSet, isEmpty, parseFields, printFields, setOf, union } from './fields.ts';

export type Operation = 'Apply' | 'Update';

/** What one manager owns, as an entry of `metadata.managedFields`. */
export interface Managed {
  readonly manager: string;
  readonly operation: Operation;
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string | undefined;
  readonly fields: FieldSet;
}

/** The managers of an object by their identity. */
export type Managers = ReadonlyMap<string, Managed>;

/** What makes two entries one manager: appliers keep their identity over versions, updaters do not. */
export function managerId(entry: Omit<Managed, 'time' | 'fields'>): string {
  return JSON.stringify({
    ...(entry.manager === '' ? {} : { manager: entry.manager }),
    operation: entry.operation,
    ...(entry.operation === 'Apply' ? {} : { apiVersion: entry.apiVersion }),
    ...(entry.subresource === '' ? {} : { subresource: entry.subresource }),
  });
}

/** Reads `metadata.managedFields`; undefined where an entry is malformed. */
export function parseManagers(list: Json | undefined): Managers | undefined {
  const managers = new Map<string, Managed>();
  if (list === undefined || list === null) return managers;
  if (!isArray(list)) return undefined;
  for (const item of list) {
    const entry = parseEntry(item);
    if (entry === undefined) return undefined;
    managers.set(managerId(entry), entry);
  }
  return managers;
}

function parseEntry(item: Json): Managed | undefined {
  const operation = own(item, 'operation');
  const apiVersion = stringAt(item, 'apiVersion') ?? '';
  const fields = parseFields(own(item, 'fieldsV1'));
  if (operation !== 'Apply' && operation !== 'Update') return undefined;
  if (apiVersion === '' || own(item, 'fieldsType') !== 'FieldsV1' || fields === undefined) return undefined;
  return {
    manager: stringAt(item, 'manager') ?? '',
    operation,
    apiVersion,
    subresource: stringAt(item, 'subresource') ?? '',
    time: stringAt(item, 'time'),
    fields,
  };
}

/** Writes `metadata.managedFields` in Kubernetes' order: operation, time, manager, version, subresource. */
export function printManagers(managers: Managers): JsonObject[] {
  return [...managers.values()].sort(inOrder).map((entry) => ({
    ...(entry.manager === '' ? {} : { manager: entry.manager }),
    operation: entry.operation,
    apiVersion: entry.apiVersion,
    ...(entry.time === undefined ? {} : { time: entry.time }),
    fieldsType: 'FieldsV1',
    fieldsV1: printFields(entry.fields),
    ...(entry.subresource === '' ? {} : { subresource: entry.subresource }),
  }));
}

function inOrder(a: Managed, b: Managed): number {
  return (
    compareText(a.operation, b.operation) ||
    seconds(a.time) - seconds(b.time) ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

function seconds(time: string | undefined): number {
  return time === undefined ? 0 : Math.floor(Date.parse(time) / 1000);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const unowned = setOf(
  ['apiVersion'],
  ['kind'],
  ['metadata'],
  ['metadata', 'name'],
  ['metadata', 'namespace'],
  ['metadata', 'creationTimestamp'],
  ['metadata', 'selfLink'],
  ['metadata', 'uid'],
  ['metadata', 'clusterName'],
  ['metadata', 'generation'],
  ['metadata', 'managedFields'],
  ['metadata', 'resourceVersion'],
);

/** Fields nobody owns: what names the object and what the server keeps about it. */
export { unowned as unownedFields };

const maxUpdaters = 10;
const bucketName = 'ancient-changes';

/** Folds the oldest updaters of a version into one entry while there are more than ten. */
export function capUpdaters(managers: Managers): Managers {
  const updaters = [...managers].filter(([, entry]) => entry.operation === 'Update');
  if (updaters.length <= maxUpdaters) return managers;
  updaters.sort(([a, x], [b, y]) => seconds(x.time) - seconds(y.time) || compareText(a, b));
  const capped = new Map(managers);
  const firstOf = new Map<string, string>();
  let count = updaters.length;
  for (const [id, entry] of updaters) {
    if (count <= maxUpdaters) break;
    const first = firstOf.get(entry.apiVersion);
    if (first === undefined) {
      firstOf.set(entry.apiVersion, id);
      continue;
    }
    fold(capped, { id, entry, first });
    count--;
  }
  return capped;
}

function fold(managers: Map<string, Managed>, at: { id: string; entry: Managed; first: string }): void {
  const identity = {
    manager: bucketName,
    operation: 'Update' as const,
    apiVersion: at.entry.apiVersion,
    subresource: '',
  };
  const bucket = managerId(identity);
  const sofar = managers.get(bucket) ?? managers.get(at.first);
  if (!managers.has(bucket)) managers.delete(at.first);
  managers.delete(at.id);
  const fields = sofar === undefined ? at.entry.fields : union(at.entry.fields, sofar.fields);
  managers.set(bucket, { ...identity, time: at.entry.time, fields });
}

/** Sets one manager's fields, or drops a manager that owns nothing any more. */
export function withFields(managers: Map<string, Managed>, id: string, entry: Managed): void {
  if (isEmpty(entry.fields)) managers.delete(id);
  else managers.set(id, entry);
}

/** The object without its managed fields. */
export function withoutManaged(object: JsonObject): JsonObject {
  const metadata = own(object, 'metadata');
  if (!isObject(metadata) || !Object.hasOwn(metadata, 'managedFields')) return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}

/** The object with these managers written into it; without any, it has no managed fields. */
export function withManaged(object: JsonObject, managers: Managers): JsonObject {
  const bare = withoutManaged(object);
  if (managers.size === 0) return bare;
  const metadata = own(bare, 'metadata');
  return { ...bare, metadata: { ...(isObject(metadata) ? metadata : {}), managedFields: printManagers(managers) } };
}

/** A point in time as Kubernetes writes it, to the second. */
export function timestamp(now: Date): string {
  return `${now.toISOString().slice(0, 19)}Z`;
}
