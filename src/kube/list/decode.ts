import type { Readable } from 'node:stream';
import { ArgosyError } from '../../core/errors/index.ts';
import { isObject, objectAt, stringAt } from '../../core/json/index.ts';
import { type KubeObject, printApiVersion } from '../../core/objects/index.ts';
import { consume } from '../transport/body.ts';
import type { Resource } from '../types.ts';
import { cutForeignFields, fieldsOf, managerBytes } from './managed-fields.ts';
import { Pace } from './pace.ts';
import { isTooDeep, shallow } from './shallow.ts';
import { defaultListLimits, ListSplitter } from './splitter.ts';

/** One page of a list, read to its end. */
export interface PageEnd {
  readonly resourceVersion: string;
  readonly continue: string;
  readonly count: number;
}

export interface DecodeOptions {
  readonly subject: string;
  readonly resource: Resource;
  /** The items say they are PartialObjectMetadata; here they get back the kind they describe. */
  readonly metadataOnly: boolean;
  /** The manager whose entries in `managedFields` are kept. */
  readonly keepFieldsOf?: string | undefined;
  readonly onItem: (item: KubeObject) => void;
  /** Called with every chunk, to show that the answer is alive. */
  readonly onBytes?: (count: number) => void;
}

/** Reads a list from its body item by item; resting often enough to leave the main loop to others. */
export async function decodeList(body: Readable, options: DecodeOptions): Promise<PageEnd> {
  const pace = new Pace();
  const read = itemReader(options);
  const manager = managerBytes(options.keepFieldsOf);
  let count = 0;
  const splitter = new ListSplitter(
    options.subject,
    (bytes, start, end, levels) => {
      count++;
      const cut = cutForeignFields(bytes, { start, end, inside: ['metadata'] }, manager);
      const whole = read(bytes, cut.start, end);
      const item = isTooDeep(levels) ? shallow(whole) : whole;
      options.onItem(cut.kept ? keepFields(item, options.keepFieldsOf ?? '') : item);
    },
    defaultListLimits,
  );
  await consume(body, options.subject, (chunk) => {
    options.onBytes?.(chunk.length);
    pace.begin();
    splitter.push(chunk);
    return pace.end();
  });
  const shell = splitter.end();
  const kind = stringAt(shell, 'kind');
  const metadata = objectAt(shell, 'metadata');
  const version = stringAt(metadata, 'resourceVersion');
  if (kind === undefined || !kind.endsWith('List') || metadata === undefined)
    throw new ArgosyError('kube-malformed', `${options.subject}: the answer is no list`, { subject: options.subject });
  return { resourceVersion: version ?? '', continue: stringAt(metadata, 'continue') ?? '', count };
}

/** The object with the managed fields of one manager only. */
export function keepFields(object: KubeObject, manager: string): KubeObject {
  const managedFields = fieldsOf(
    manager,
    object.metadata.managedFields,
  ) as KubeObject['metadata']['managedFields'] & {}; // entries of a parsed list
  return { ...object, metadata: { ...object.metadata, managedFields } };
}

function itemReader(options: DecodeOptions): (bytes: Buffer, start: number, end: number) => KubeObject {
  const apiVersion = printApiVersion(options.resource.group, options.resource.version);
  const { kind } = options.resource;
  return (bytes, start, end) => {
    const item = parseItem(bytes, start, end, options.subject);
    if (options.metadataOnly || typeof item['kind'] !== 'string' || typeof item['apiVersion'] !== 'string') {
      item['apiVersion'] = apiVersion;
      item['kind'] = kind;
    }
    return item as unknown as KubeObject; // apiVersion, kind and metadata were just made sure of
  };
}

/** Parses one object; it must have metadata, else it is nothing a Kubernetes list holds. */
export function parseItem(bytes: Buffer, start: number, end: number, subject: string): { [key: string]: unknown } {
  try {
    const item: unknown = JSON.parse(bytes.toString('utf8', start, end));
    if (isObject(item) && isObject(item['metadata'])) return item as { [key: string]: unknown }; // ours alone: just parsed
  } catch {
    // Said below: the text could hold secrets and is not repeated.
  }
  throw new ArgosyError('kube-malformed', `${subject}: an item is no Kubernetes object`, { subject });
}
