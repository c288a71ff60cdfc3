import { StatusError } from '../ports.ts';

/** In which shape and format a client wants its answer. */
export interface Wanted {
  readonly format: 'json' | 'yaml';
  readonly as: 'object' | 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';
}

interface Range {
  readonly type: string;
  readonly quality: number;
  readonly parameters: ReadonlyMap<string, string>;
}

/** The first form in an Accept header that this server can make; throws 406 where there is none, in the words of the kind. */
export function negotiate(accept: string | undefined, custom = false): Wanted {
  for (const range of ranges(accept ?? '')) {
    const format = formatOf(range.type);
    if (format === undefined) continue;
    const as = shapeOf(range);
    if (as !== undefined) return { format, as };
  }
  // Built-in kinds are refused by the real server's router, custom ones by its handler, each in its own words.
  const types = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';
  throw new StatusError(
    custom
      ? { code: 406, reason: 'NotAcceptable', message: `only the following media types are accepted: ${types}` }
      : {
          code: 406,
          reason: 'NotAcceptable',
          message: `406: Not Acceptable\n\nAvailable representations: ${types}`,
          details: {},
        },
  );
}

function ranges(accept: string): Range[] {
  if (accept.trim() === '') return [{ type: '*/*', quality: 1, parameters: new Map() }];
  const all = accept.split(',').map(parseRange);
  // Stable: equal qualities keep the client's order.
  return all.sort((a, b) => b.quality - a.quality);
}

function parseRange(text: string): Range {
  const [type = '', ...rest] = text.split(';').map((part) => part.trim());
  const parameters = new Map<string, string>();
  for (const part of rest) {
    const [key = '', value = ''] = part.split('=');
    parameters.set(key.trim().toLowerCase(), value.trim());
  }
  const quality = Number(parameters.get('q') ?? '1');
  return { type: type.toLowerCase(), quality: Number.isFinite(quality) ? quality : 0, parameters };
}

function formatOf(type: string): Wanted['format'] | undefined {
  if (type === 'application/json' || type === '*/*' || type === 'application/*') return 'json';
  return type === 'application/yaml' ? 'yaml' : undefined;
}

function shapeOf(range: Range): Wanted['as'] | undefined {
  const as = range.parameters.get('as');
  if (as === undefined) return 'object';
  if (range.parameters.get('g') !== 'meta.k8s.io' || !['v1', 'v1beta1'].includes(range.parameters.get('v') ?? ''))
    return undefined;
  return as === 'Table' || as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList' ? as : undefined;
}
