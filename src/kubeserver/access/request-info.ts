import { selectedName } from '../field-terms.ts';
import type { RequestInfo } from '../ports.ts';

const verbs: { readonly [method: string]: string } = {
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

const namespaceSubresources = new Set(['status', 'finalize']);
const pathVerbs = new Set(['proxy', 'watch']);

/** What Kubernetes reads out of a request's method and URL: which resource is meant and what is to be done to it. */
export function parseRequest(method: string, url: string): RequestInfo {
  const mark = url.indexOf('?');
  const path = decoded(mark < 0 ? url : url.slice(0, mark));
  const query = new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
  const parts = path.split('/').filter((part, index, all) => !isEdge(index, all.length, part));
  const plain = nonResource(path, method, query);
  const prefix = parts[0];
  if (parts.length < 3 || (prefix !== 'api' && prefix !== 'apis')) return plain;
  if (prefix === 'apis' && parts.length < 4) return plain;
  const group = prefix === 'apis' ? (parts[1] ?? '') : '';
  const rest = prefix === 'apis' ? parts.slice(2) : parts.slice(1);
  return resourceRequest({ ...plain, isResource: true, group, version: rest[0] ?? '' }, rest.slice(1), method);
}

/** Leading and trailing slashes make no segment; doubled ones inside do, as in Kubernetes. */
function isEdge(index: number, length: number, part: string): boolean {
  return part === '' && (index === 0 || index === length - 1);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // a malformed escape names nothing that exists; the handler answers 404
  }
}

function nonResource(path: string, method: string, query: URLSearchParams): RequestInfo {
  const empty = { group: '', version: '', resource: '', subresource: '', namespace: '', name: '' };
  return { path, verb: method.toLowerCase(), isResource: false, ...empty, query };
}

function resourceRequest(base: RequestInfo, parts: string[], method: string): RequestInfo {
  const viaPath = pathVerbs.has(parts[0] ?? '') && parts.length > 1;
  const verb = viaPath ? (parts[0] ?? '') : (verbs[method.toUpperCase()] ?? '');
  let rest = viaPath ? parts.slice(1) : parts;
  let namespace = '';
  if (rest[0] === 'namespaces' && rest.length > 1) {
    namespace = rest[1] ?? '';
    if (rest.length > 2 && !namespaceSubresources.has(rest[2] ?? '')) rest = rest.slice(2);
  }
  const subresource = rest.length >= 3 && verb !== 'proxy' ? (rest[2] ?? '') : '';
  return withVerb({ ...base, verb, namespace, resource: rest[0] ?? '', name: rest[1] ?? '', subresource });
}

/** Without a name a get is a list or a watch, and a delete is one of the whole collection. */
function withVerb(info: RequestInfo): RequestInfo {
  if (info.name !== '') return info;
  if (info.verb === 'delete') return { ...info, verb: 'deletecollection' };
  if (info.verb !== 'get') return info;
  const watch = info.query.get('watch');
  const watching = watch !== null && !['false', '0'].includes(watch.toLowerCase());
  return { ...info, verb: watching ? 'watch' : 'list', name: nameAsked(info.query.get('fieldSelector') ?? '') };
}

/** A list of exactly one name counts as a request for that name, so that `resourceNames` can allow it. */
function nameAsked(selector: string): string {
  const name = selectedName(selector) ?? '';
  return /[/%]/.test(name) || name === '.' || name === '..' ? '' : name;
}
