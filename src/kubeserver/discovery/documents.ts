import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '../../core/json/index.ts';
import type { Registry } from '../registry/registry.ts';
import type { Served, Subresource } from '../registry/served.ts';
import { type Group, groupsOf } from './groups.ts';

/** The documents clients discover the API by; made anew when the registry changes. */
export class Discovery {
  readonly #registry: Registry;
  readonly #address: string;
  #generation = -1;
  #documents = new Map<string, JsonObject>();

  constructor(registry: Registry, address: string) {
    this.#registry = registry;
    this.#address = address;
  }

  /** The document at a path such as `/apis/apps/v1`; undefined where there is none. */
  at(path: string, aggregated: boolean): JsonObject | undefined {
    this.#refresh();
    const plain = path.length > 1 ? path.replace(/\/$/, '') : path;
    return (aggregated ? this.#documents.get(`aggregated ${plain}`) : undefined) ?? this.#documents.get(plain);
  }

  #refresh(): void {
    if (this.#generation === this.#registry.generation) return;
    this.#generation = this.#registry.generation;
    const groups = groupsOf(this.#registry);
    const core = groups.filter(({ name }) => name === '');
    const named = groups.filter(({ name }) => name !== '');
    const documents = new Map<string, JsonObject>();
    documents.set('/api', {
      kind: 'APIVersions',
      versions: ['v1'],
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: this.#address }],
    });
    documents.set('/apis', { kind: 'APIGroupList', apiVersion: 'v1', groups: named.map(groupEntry) });
    documents.set('aggregated /api', aggregatedList(core));
    documents.set('aggregated /apis', aggregatedList(named));
    for (const group of groups) {
      if (group.name !== '')
        documents.set(`/apis/${group.name}`, { kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(group) });
      for (const { apiVersion, kinds } of group.versions)
        documents.set(
          group.name === '' ? `/api/${apiVersion}` : `/apis/${apiVersion}`,
          resourceList(apiVersion, kinds),
        );
    }
    this.#documents = documents;
  }
}

/** The entity tag of a document, as clients use it to ask whether it changed. */
export function entityTag(text: string): string {
  return `"${createHash('sha512').update(text).digest('hex').toUpperCase()}"`;
}

function groupEntry({ name, versions }: Group): JsonObject {
  const all = versions.map((version) => ({ groupVersion: version.apiVersion, version: version.name }));
  return { name, versions: all, preferredVersion: all[0] ?? {} };
}

function resourceList(groupVersion: string, kinds: readonly Served[]): JsonObject {
  const resources = kinds.flatMap((served) => [
    resource(served),
    ...served.subresources.map((sub) => subresource(served, sub)),
  ]);
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources };
}

function resource({ info }: Served): JsonObject {
  const { plural, singular, namespaced, kind, verbs, shortNames, categories, storage } = info;
  return {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs: [...verbs],
    ...(shortNames.length === 0 ? {} : { shortNames: [...shortNames] }),
    ...(categories.length === 0 ? {} : { categories: [...categories] }),
    ...(verbs.includes('list') ? { storageVersionHash: storageHash(storage) } : {}),
  };
}

function storageHash(storage: string): string {
  return createHash('sha512').update(storage).digest().subarray(0, 8).toString('base64');
}

function subresource({ info }: Served, { name, verbs, group, version, kind }: Subresource): JsonObject {
  const foreign = kind === undefined ? {} : { group: group ?? '', version: version ?? '' };
  return {
    name: `${info.plural}/${name}`,
    singularName: '',
    namespaced: info.namespaced,
    ...foreign,
    kind: kind ?? info.kind,
    verbs: [...verbs],
  };
}

function aggregatedList(groups: readonly Group[]): JsonObject {
  const items: Json[] = groups.map(({ name, versions }) => ({
    metadata: name === '' ? {} : { name },
    versions: versions.map((version) => ({
      version: version.name,
      resources: version.kinds.map(aggregatedResource),
      freshness: 'Current',
    })),
  }));
  return { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items };
}

function aggregatedResource({ info, subresources, custom }: Served): JsonObject {
  const { group, version, kind, plural, singular, namespaced, verbs, shortNames, categories } = info;
  // Built-in kinds leave out what their place in the document says already.
  const own = custom === undefined ? { group: '', version: '' } : { group, version };
  const subs: Json[] = subresources.map((sub) => ({
    subresource: sub.name,
    responseKind: { group: sub.group ?? own.group, version: sub.version ?? own.version, kind: sub.kind ?? kind },
    verbs: [...sub.verbs],
  }));
  return {
    resource: plural,
    responseKind: { ...own, kind },
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs: [...verbs],
    ...(shortNames.length === 0 ? {} : { shortNames: [...shortNames] }),
    ...(categories.length === 0 ? {} : { categories: [...categories] }),
    ...(subs.length === 0 ? {} : { subresources: subs }),
  };
}
