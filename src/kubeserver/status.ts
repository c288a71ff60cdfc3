import type { Json, JsonObject } from '../core/json/index.ts';
import { StatusError } from './ports.ts';

/** A resource as messages name it: `configmaps`, `deployments.apps`. */
export interface Named {
  readonly group: string;
  readonly plural: string;
}

/** One reason why an object is invalid. */
export interface Cause {
  readonly field: string;
  readonly reason:
    | 'FieldValueRequired'
    | 'FieldValueInvalid'
    | 'FieldValueDuplicate'
    | 'FieldValueNotSupported'
    | 'FieldValueForbidden'
    | 'FieldValueTooLong'
    | 'FieldValueTooMany'
    | 'FieldValueNotFound'
    | 'FieldValueTypeInvalid'
    | 'InternalError';
  /** Without the field: `Required value: name or generateName is required`. */
  readonly message: string;
}

export function resourceText(resource: Named): string {
  return resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
}

function details(resource: Named, name: string): JsonObject {
  return {
    ...(name === '' ? {} : { name }),
    ...(resource.group === '' ? {} : { group: resource.group }),
    kind: resource.plural,
  };
}

export function notFound(resource: Named, name: string): StatusError {
  const message = `${resourceText(resource)} "${name}" not found`;
  return new StatusError({ code: 404, reason: 'NotFound', message, details: details(resource, name) });
}

export function alreadyExists(resource: Named, name: string): StatusError {
  const message = `${resourceText(resource)} "${name}" already exists`;
  return new StatusError({ code: 409, reason: 'AlreadyExists', message, details: details(resource, name) });
}

export const modified = 'the object has been modified; please apply your changes to the latest version and try again';

export function conflict(resource: Named, name: string, why: string = modified): StatusError {
  const message = `Operation cannot be fulfilled on ${resourceText(resource)} "${name}": ${why}`;
  return new StatusError({ code: 409, reason: 'Conflict', message, details: details(resource, name) });
}

export function badRequest(message: string): StatusError {
  return new StatusError({ code: 400, reason: 'BadRequest', message });
}

/** A refusal by permission or admission, in the words of the real server. */
export function forbidden(resource: Named, name: string, why: string): StatusError {
  const message =
    name === '' && resource.plural === ''
      ? `forbidden: ${why}`
      : `${resourceText(resource)}${name === '' ? '' : ` "${name}"`} is forbidden: ${why}`;
  return new StatusError({ code: 403, reason: 'Forbidden', message, details: details(resource, name) });
}

/** An object that breaks rules of its kind: all causes at once, as the real server lists them. */
export function invalid(
  kind: { readonly group: string; readonly kind: string },
  name: string,
  causes: readonly Cause[],
): StatusError {
  const texts = causes.map(({ field, message }) => `${field}: ${message}`);
  const list = texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
  const text = kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`;
  return new StatusError({
    code: 422,
    reason: 'Invalid',
    message: causes.length === 0 ? `${text} "${name}" is invalid` : `${text} "${name}" is invalid: ${list}`,
    details: {
      ...(name === '' ? {} : { name }),
      ...(kind.group === '' ? {} : { group: kind.group }),
      ...(kind.kind === '' ? {} : { kind: kind.kind }),
      causes: causes.map(({ reason, message, field }) => ({ reason, message, field })),
    },
  });
}

export function methodNotAllowed(): StatusError {
  return new StatusError({
    code: 405,
    reason: 'MethodNotAllowed',
    message: 'the server does not allow this method on the requested resource',
    details: {},
  });
}

export function noSuchResource(): StatusError {
  return new StatusError({
    code: 404,
    reason: 'NotFound',
    message: 'the server could not find the requested resource',
    details: {},
  });
}

/** 410: what was asked for has been compacted away. */
export function expired(message: string): StatusError {
  return new StatusError({ code: 410, reason: 'Expired', message });
}

export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`;
  return new StatusError({ code: 415, reason: 'UnsupportedMediaType', message });
}

export function internal(message: string): StatusError {
  return new StatusError({
    code: 500,
    reason: 'InternalError',
    message: `Internal error occurred: ${message}`,
    details: { causes: [{ message }] },
  });
}

/** The Status object a client gets for a refusal. */
export function statusObject(error: StatusError, listMeta: JsonObject = {}): JsonObject {
  const { code, reason, message, details: more } = error.status;
  const body: { [key: string]: Json } = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: listMeta,
    status: 'Failure',
    message,
  };
  if (reason !== '') body['reason'] = reason;
  if (more !== undefined) body['details'] = more;
  body['code'] = code;
  return body;
}
