import { type Json, type JsonObject, stringAt } from '../../core/json/index.ts';
import { asJson, type KubeObject } from '../../core/objects/index.ts';
import type { Column, Served } from '../registry/served.ts';
import { jsonPath } from './json-path.ts';
import { printers } from './kinds.ts';
import type { Printer } from './printer.ts';
import { age } from './text.ts';

/** Objects as the table kubectl prints. `include`: what each row carries of its object: `None`, `Metadata` or `Object`. */
export function tableOf(
  objects: readonly KubeObject[],
  served: Served,
  include: string,
  metadata: JsonObject,
): JsonObject {
  const now = new Date();
  const rows: Json[] = objects.map((object) => ({
    cells: cellsOf(asJson(object), served, now),
    object: rowObject(object, include),
  }));
  return { kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata, columnDefinitions: columnsOf(served), rows };
}

function rowObject(object: KubeObject, include: string): Json {
  if (include === 'None') return null;
  if (include === 'Object') return asJson(object);
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: asJson(object)['metadata'] ?? {} };
}

const nameColumn = { name: 'Name', type: 'string', format: 'name', description: '', priority: 0 };
const lastSeen = { name: 'Last Seen', type: 'string', format: '', description: '', priority: 0 };

function columnsOf(served: Served): Json[] {
  if (served.custom !== undefined) return [nameColumn, ...customColumns(served.custom.columns)];
  const printer = printerOf(served);
  const first = served.info.storage === 'events' ? lastSeen : nameColumn;
  if (printer === undefined)
    return [nameColumn, { name: 'Created At', type: 'date', format: '', description: '', priority: 0 }];
  return [first, ...printer.columns.map(column)];
}

function printerOf(served: Served): Printer | undefined {
  return Object.hasOwn(printers, served.info.storage) ? printers[served.info.storage] : undefined;
}

function column(text: string): Json {
  const [name = '', type = 'string', priority = '0'] = text.split(':');
  return { name, type, format: '', description: '', priority: Number(priority) };
}

/** Without columns of its own a custom kind shows its age. */
function customColumns(columns: readonly Column[]): Json[] {
  if (columns.length === 0) return [{ name: 'Age', type: 'date', format: '', description: '', priority: 0 }];
  return columns.map(({ name, type, format, description, priority }) => ({
    name,
    type,
    format,
    description,
    priority,
  }));
}

function cellsOf(object: JsonObject, served: Served, now: Date): Json[] {
  const name = stringAt(object, 'metadata', 'name') ?? '';
  const created = stringAt(object, 'metadata', 'creationTimestamp');
  if (served.custom !== undefined) {
    const { columns } = served.custom;
    return [name, ...(columns.length === 0 ? [age(created, now)] : columns.map((one) => customCell(object, one, now)))];
  }
  return printerOf(served)?.cells(object, now) ?? [name, created ?? ''];
}

function customCell(object: JsonObject, { jsonPath: path, type }: Column, now: Date): Json {
  const [found] = jsonPath(object, path);
  if (found === undefined) return null;
  if (type === 'date') return typeof found === 'string' ? age(found, now) : '<invalid>';
  if (type === 'integer' || type === 'number') return typeof found === 'number' ? found : null;
  if (type === 'boolean') return typeof found === 'boolean' ? found : null;
  return typeof found === 'string' ? found : JSON.stringify(found);
}
