import { isArgosyError } from '../../core/errors/index.ts';
import { type JsonObject, own, stringAt } from '../../core/json/index.ts';
import type { Resource } from '../types.ts';
import { type Found, groupVersion, listed, objects, texts } from './aggregated.ts';

/** Fetches one path as JSON. */
export type Fetch = (path: string) => Promise<JsonObject>;

/** Reads the versions of the core group, one call each. */
export function readLegacyCore(answer: JsonObject, fetch: Fetch): Promise<Found> {
  return readVersions(
    texts(listed(answer, 'versions')).map((version) => ({ group: '', version })),
    fetch,
  );
}

/** Reads all named groups, one call per group and version; the preferred version of a group comes first. */
export function readLegacyGroups(answer: JsonObject, fetch: Fetch): Promise<Found> {
  const wanted = objects(listed(answer, 'groups')).flatMap((group) => {
    const name = stringAt(group, 'name') ?? '';
    const preferred = stringAt(group, 'preferredVersion', 'version');
    const versions = objects(own(group, 'versions')).map((one) => stringAt(one, 'version') ?? '');
    const ordered = versions.toSorted((a, b) => Number(b === preferred) - Number(a === preferred));
    return ordered.map((version) => ({ group: name, version }));
  });
  return readVersions(wanted, fetch);
}

async function readVersions(wanted: readonly { group: string; version: string }[], fetch: Fetch): Promise<Found> {
  const found: Found = { resources: [], unknown: new Map() };
  const answers = await Promise.all(wanted.map((one) => readVersion(one.group, one.version, fetch)));
  for (const [index, answer] of answers.entries()) {
    const { group = '', version = '' } = wanted[index] ?? {};
    if (typeof answer === 'string') found.unknown.set(groupVersion(group, version), answer);
    else found.resources.push(...answer);
  }
  return found;
}

/** The kinds of one version, or why they could not be read. */
async function readVersion(group: string, version: string, fetch: Fetch): Promise<Resource[] | string> {
  const path =
    group === ''
      ? `/api/${encodeURIComponent(version)}`
      : `/apis/${encodeURIComponent(group)}/${encodeURIComponent(version)}`;
  try {
    return readResourceList(group, version, await fetch(path));
  } catch (error) {
    if (isArgosyError(error) && error.code === 'cancelled') throw error;
    return error instanceof Error ? error.message : 'it could not be read';
  }
}

function readResourceList(group: string, version: string, answer: JsonObject): Resource[] {
  const all = objects(listed(answer, 'resources'));
  const mains = all.filter((one) => !(stringAt(one, 'name') ?? '').includes('/'));
  return mains.map((one) => {
    const plural = stringAt(one, 'name') ?? '';
    const subs = all.map((other) => stringAt(other, 'name') ?? '').filter((name) => name.startsWith(`${plural}/`));
    return {
      group,
      version,
      kind: stringAt(one, 'kind') ?? '',
      plural,
      namespaced: own(one, 'namespaced') === true,
      verbs: texts(own(one, 'verbs')),
      shortNames: texts(own(one, 'shortNames')),
      categories: texts(own(one, 'categories')),
      subresources: subs.map((name) => name.slice(plural.length + 1)),
    };
  });
}
