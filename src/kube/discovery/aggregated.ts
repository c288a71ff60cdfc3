import { ArgosyError } from '../../core/errors/index.ts';
import { isArray, isObject, type Json, type JsonObject, own, stringAt } from '../../core/json/index.ts';
import type { Resource } from '../types.ts';

/** What one answer of discovery said. */
export interface Found {
  readonly resources: Resource[];
  readonly unknown: Map<string, string>;
}

/** Asks for the one-call form first; a server that does not know it answers in the old one. */
export const discoveryAccept = [
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList',
  'application/json',
].join(',');

/** Reads an APIGroupDiscoveryList; undefined if the answer is in the old form. */
export function readAggregated(answer: JsonObject): Found | undefined {
  if (answer['kind'] !== 'APIGroupDiscoveryList') return undefined;
  listed(answer, 'items');
  const found: Found = { resources: [], unknown: new Map() };
  for (const group of objects(answer['items'])) readGroup(group, found);
  return found;
}

function readGroup(group: JsonObject, found: Found): void {
  const name = stringAt(group, 'metadata', 'name') ?? '';
  for (const version of objects(group['versions'])) {
    const text = stringAt(version, 'version') ?? '';
    // Stale: the server behind this group does not answer; what is listed is from before, if at all.
    if (version['freshness'] === 'Stale')
      found.unknown.set(groupVersion(name, text), 'the server of this API does not answer');
    else for (const one of objects(version['resources'])) found.resources.push(readResource(name, text, one));
  }
}

function readResource(group: string, version: string, one: JsonObject): Resource {
  const subresources = objects(one['subresources']).map((sub) => stringAt(sub, 'subresource') ?? '');
  return {
    group,
    version,
    kind: stringAt(one, 'responseKind', 'kind') ?? '',
    plural: stringAt(one, 'resource') ?? '',
    namespaced: one['scope'] === 'Namespaced',
    verbs: texts(own(one, 'verbs')),
    shortNames: texts(own(one, 'shortNames')),
    categories: texts(own(one, 'categories')),
    subresources,
  };
}

/** `apps/v1`, or `v1` for the core group. */
export function groupVersion(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`;
}

/** The list under a key. A server that says nothing is not one that serves nothing: without the list it throws. */
export function listed(answer: JsonObject, key: string): readonly Json[] {
  const list = own(answer, key);
  if (isArray(list)) return list;
  throw new ArgosyError('kube-malformed', `discovery: the answer has no ${key}`, { subject: 'discovery' });
}

/** The objects of a list; whatever else is in it is passed over. */
export function objects(value: Json | undefined): readonly JsonObject[] {
  return isArray(value) ? value.filter(isObject) : [];
}

/** The texts of a list. */
export function texts(value: Json | undefined): readonly string[] {
  return isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
