import { ArgosyError } from '../core/errors/index.ts';
import { isArray, isObject, type Json, type JsonObject, own, stringAt } from '../core/json/index.ts';
import type { KubeObject } from '../core/objects/index.ts';
import type { RenderedObject } from './types.ts';
import type { Document } from './yaml/documents.ts';

/** Turns documents into objects: lists are flattened, empty ones dropped; anything else is named and refused. */
export function objectsOf(documents: readonly Document[], file: string | undefined, from: string): RenderedObject[] {
  return documents.flatMap(({ value, line }) => flatten(value, { file, line, from }));
}

interface Place {
  readonly file: string | undefined;
  readonly line: number;
  /** The file or the tool, for messages. */
  readonly from: string;
}

function flatten(value: Json, place: Place): RenderedObject[] {
  // An empty document says nothing, and tools print many.
  if (value === null || (isObject(value) && Object.keys(value).length === 0)) return [];
  if (!isObject(value)) throw noObject(place, 'a map is needed');
  const kind = stringAt(value, 'kind') ?? '';
  const items = own(value, 'items');
  if (kind.endsWith('List') && Object.hasOwn(value, 'items') && (items === null || isArray(items)))
    return (items ?? []).flatMap((item) => flatten(item, place));
  if (kind === '' || (stringAt(value, 'apiVersion') ?? '') === '')
    throw noObject(place, 'apiVersion and kind are needed');
  const metadata = own(value, 'metadata');
  if (metadata !== undefined && !isObject(metadata)) throw noObject(place, 'metadata must be a map');
  const wrong = metadata === undefined ? undefined : wrongIn(metadata);
  if (wrong !== undefined) throw noObject(place, wrong);
  const object = value as unknown as KubeObject; // apiVersion and kind were just seen
  return [place.file === undefined ? { object } : { object, file: place.file, line: place.line }];
}

/** Names and marks decide what an object is and whose: `name: y`, which YAML reads as true, must not get any further. */
function wrongIn(metadata: JsonObject): string | undefined {
  const isText = (value: Json | undefined): boolean =>
    value === undefined || value === null || typeof value === 'string';
  const texts = ['name', 'generateName', 'namespace'].map((field) => [field, own(metadata, field)] as const);
  for (const field of ['labels', 'annotations']) {
    const map = own(metadata, field) ?? {};
    if (!isObject(map)) return `metadata.${field} must be a map`;
    for (const [key, value] of Object.entries(map)) texts.push([`${field}["${key}"]`, value]);
  }
  const wrong = texts.find(([, value]) => !isText(value));
  return wrong && `metadata.${wrong[0]} must be text, not ${JSON.stringify(wrong[1]).slice(0, 50)}: put it in quotes`;
}

function noObject({ file, line, from }: Place, why: string): ArgosyError {
  const where = file === undefined ? from : `${file}:${line}`;
  return new ArgosyError('render-failed', `${where} holds something that is no Kubernetes object: ${why}`, {
    subject: where,
  });
}
