import { ArgosyError } from '../../core/errors/index.ts';
import { isObject, type Json, type JsonObject, own, stringAt } from '../../core/json/index.ts';
import { type KubeObject, printApiVersion } from '../../core/objects/index.ts';
import { fromStatusObject } from '../errors/translate.ts';
import { keepFields } from '../list/decode.ts';
import { cutForeignFields, managerBytes } from '../list/managed-fields.ts';
import { isDeep, shallow } from '../list/shallow.ts';
import type { Resource, WatchEvent } from '../types.ts';

const changes = new Set(['ADDED', 'MODIFIED', 'DELETED']);
const initialEventsEnd = 'k8s.io/initial-events-end';

/** What an event is read against. */
export interface EventContext {
  readonly subject: string;
  readonly resource: Resource;
  readonly metadataOnly: boolean;
  readonly secrets: readonly string[];
  /** The manager whose entries in `managedFields` are kept. */
  readonly keepFieldsOf?: string | undefined;
}

/** Reads one line of a watch. An ERROR event, and a line that is none, throw: no event is ever passed over. */
export function decodeEvent(bytes: Buffer, start: number, end: number, context: EventContext): WatchEvent {
  const range = { start, end, inside: ['object', 'metadata'] };
  const cut = cutForeignFields(bytes, range, managerBytes(context.keepFieldsOf));
  const deep = isDeep(bytes, cut.start, end);
  const event = parseLine(bytes.toString('utf8', cut.start, end), context);
  const type = stringAt(event, 'type');
  const object = own(event, 'object');
  if (!isObject(object)) throw malformed(context);
  if (type === 'ERROR')
    throw fromStatusObject(object, { status: 500, subject: context.subject, secrets: context.secrets });
  const metadata = own(object, 'metadata');
  if (!isObject(metadata)) throw malformed(context);
  if (type === 'BOOKMARK') return bookmark(metadata, context);
  if (type === undefined || !changes.has(type)) throw malformed(context);
  const whole = deep ? shallow(named(object, context)) : named(object, context);
  const kept = cut.kept ? keepFields(whole, context.keepFieldsOf ?? '') : whole;
  return { type: type as 'ADDED' | 'MODIFIED' | 'DELETED', object: kept }; // checked the line above
}

function bookmark(metadata: JsonObject, context: EventContext): WatchEvent {
  const resourceVersion = stringAt(metadata, 'resourceVersion');
  if (resourceVersion === undefined) throw malformed(context);
  return {
    type: 'BOOKMARK',
    resourceVersion,
    initialEventsEnd: stringAt(metadata, 'annotations', initialEventsEnd) === 'true',
  };
}

function named(object: JsonObject, context: EventContext): KubeObject {
  const { resource, metadataOnly } = context;
  if (!metadataOnly && typeof object['apiVersion'] === 'string' && typeof object['kind'] === 'string')
    return object as unknown as KubeObject; // apiVersion, kind and metadata are there
  const apiVersion = printApiVersion(resource.group, resource.version);
  return { ...object, apiVersion, kind: resource.kind } as unknown as KubeObject; // metadata was checked by the caller
}

function parseLine(text: string, context: EventContext): JsonObject {
  try {
    const value = JSON.parse(text) as Json; // parsed JSON is Json
    if (isObject(value)) return value;
  } catch {
    // Said below.
  }
  throw malformed(context);
}

function malformed(context: EventContext): ArgosyError {
  return new ArgosyError('kube-malformed', `${context.subject}: a line is no watch event`, {
    subject: context.subject,
  });
}
