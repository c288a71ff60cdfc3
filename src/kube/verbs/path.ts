import { ArgosyError } from '../../core/errors/index.ts';
import { hasControl } from '../errors/scrub.ts';
import type { Resource } from '../types.ts';

/** Parameters of a request; what is undefined is left out. */
export type Query = { readonly [name: string]: string | number | boolean | undefined };

/** The path of all objects of a kind, in one namespace or all. */
export function collectionPath(resource: Resource, namespace: string | undefined, query: Query = {}): string {
  const base =
    resource.group === ''
      ? `/api/${segment(resource.version)}`
      : `/apis/${segment(resource.group)}/${segment(resource.version)}`;
  const place = resource.namespaced && namespace ? `/namespaces/${segment(namespace)}` : '';
  return `${base}${place}/${segment(resource.plural)}${printQuery(query)}`;
}

/** The path of one object, or of a subresource of it. */
export function objectPath(
  resource: Resource,
  at: { readonly namespace: string; readonly name: string; readonly subresource?: string | undefined },
  query: Query = {},
): string {
  if (resource.namespaced && at.namespace === '')
    throw new ArgosyError('kube-invalid', `${resource.kind} ${at.name}: a namespace is needed`, { subject: at.name });
  const tail = at.subresource === undefined ? '' : `/${at.subresource.split('/').map(segment).join('/')}`;
  return `${collectionPath(resource, at.namespace)}/${segment(at.name)}${tail}${printQuery(query)}`;
}

/** One piece of a path; a name that would lead elsewhere is refused before anything is sent. */
export function segment(text: string): string {
  if (text === '' || text === '.' || text === '..' || /[/%\\]/.test(text) || hasControl(text))
    throw new ArgosyError('kube-invalid', `${JSON.stringify(text)} cannot be a name in a path`, { subject: text });
  return encodeURIComponent(text);
}

function printQuery(query: Query): string {
  let text = '';
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') text += `${text === '' ? '?' : '&'}${name}=${encodeURIComponent(value)}`;
  return text;
}
