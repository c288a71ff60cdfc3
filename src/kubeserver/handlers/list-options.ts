import type { KubeObject } from '../../core/objects/index.ts';
import { StatusError } from '../ports.ts';
import type { Served } from '../registry/served.ts';
import { badRequest, type Cause, invalid } from '../status.ts';
import { parseFieldSelector } from './field-selector.ts';
import { parseLabelSelector } from './label-selector.ts';

/** The query of a list or watch, checked. */
export interface ListOptions {
  readonly matches: (object: KubeObject) => boolean;
  /** True where a selector was given. */
  readonly selective: boolean;
  readonly limit: number;
  readonly continue: string;
  readonly resourceVersion: string;
  readonly match: string;
  readonly timeoutSeconds: number | undefined;
  readonly bookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
}

/** Reads and checks the query; throws 400 or 422 as the real server does. */
export function listOptions(query: URLSearchParams, served: Served, isWatch: boolean): ListOptions {
  const labels = query.get('labelSelector') ?? '';
  const fields = query.get('fieldSelector') ?? '';
  const labelTest = labels === '' ? undefined : parseLabelSelector(labels);
  const fieldTest = fields === '' ? undefined : parseFieldSelector(fields, served);
  const options: ListOptions = {
    matches: (object) =>
      (labelTest === undefined || labelTest(object.metadata.labels ?? {})) &&
      (fieldTest === undefined || fieldTest(object)),
    selective: labelTest !== undefined || fieldTest !== undefined,
    limit: Math.max(0, integer(query, 'limit') ?? 0),
    continue: query.get('continue') ?? '',
    resourceVersion: query.get('resourceVersion') ?? '',
    match: query.get('resourceVersionMatch') ?? '',
    timeoutSeconds: integer(query, 'timeoutSeconds'),
    bookmarks: flag(query, 'allowWatchBookmarks') ?? false,
    sendInitialEvents: flag(query, 'sendInitialEvents'),
  };
  const causes = isWatch ? watchProblems(options) : listProblems(options);
  if (causes.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', causes);
  return options;
}

function integer(query: URLSearchParams, key: string): number | undefined {
  const text = query.get(key);
  if (text === null || text === '') return undefined;
  if (!/^[+-]?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  return Number(text);
}

/** Anything but `false` and `0` is true, as in the real server. */
export function flag(query: URLSearchParams, key: string): boolean | undefined {
  const text = query.get(key);
  return text === null ? undefined : !['false', '0'].includes(text.toLowerCase());
}

const forbid = (field: string, why: string): Cause => ({
  field,
  reason: 'FieldValueForbidden',
  message: `Forbidden: ${why}`,
});

function listProblems(options: ListOptions): Cause[] {
  const { match, resourceVersion, sendInitialEvents } = options;
  if (sendInitialEvents !== undefined) return [forbid('sendInitialEvents', 'sendInitialEvents is forbidden for list')];
  if (match === '') return [];
  if (resourceVersion === '')
    return [forbid('resourceVersionMatch', 'resourceVersionMatch is forbidden unless resourceVersion is provided')];
  if (options.continue !== '')
    return [forbid('resourceVersionMatch', 'resourceVersionMatch is forbidden when continue is provided')];
  if (match !== 'Exact' && match !== 'NotOlderThan')
    return [
      {
        field: 'resourceVersionMatch',
        reason: 'FieldValueNotSupported',
        message: `Unsupported value: ${JSON.stringify(match)}: supported values: "Exact", "NotOlderThan", ""`,
      },
    ];
  if (match === 'Exact' && resourceVersion === '0')
    return [forbid('resourceVersionMatch', 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"')];
  return [];
}

function watchProblems({ match, sendInitialEvents }: ListOptions): Cause[] {
  if (sendInitialEvents === undefined)
    return match === ''
      ? []
      : [
          forbid(
            'resourceVersionMatch',
            'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
          ),
        ];
  if (match !== 'NotOlderThan')
    return [forbid('resourceVersionMatch', 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan')];
  return [];
}

/** A resourceVersion as a number; throws as the real server does for a list. */
export function revisionOf(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw badRequest(
    `invalid resource version: resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
  );
}

/** 504 for a revision that is not there yet. */
export function tooLarge(wanted: number, current: number): StatusError {
  return new StatusError({
    code: 504,
    reason: 'Timeout',
    message: `Timeout: Too large resource version: ${wanted}, current: ${current}`,
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  });
}
