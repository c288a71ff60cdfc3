import { type MutableJsonObject, thaw } from '../../core/json/index.ts';
import { asJson, groupOf, type KubeObject } from '../../core/objects/index.ts';
import type { Inside, RequestInfo, User } from '../ports.ts';
import { StatusError } from '../ports.ts';
import { noSuchResource } from '../status.ts';
import type { Cluster, Writing } from './cluster.ts';
import { fromStored } from './convert.ts';
import { decodeObject } from './decode.ts';
import { removeObject } from './remove.ts';
import { keyOf, keyPrefix, type Served } from './served.ts';
import { createObject, updateObject } from './write.ts';

const system: User = { name: 'system:apiserver', uid: '', groups: ['system:masters'], extra: {} };

/** The cluster as actors and admission see it: the same writes as over HTTP, without HTTP and past authorization. */
export function insideOf(cluster: () => Cluster): Inside {
  const served = (group: string, kind: string): Served => {
    const found = cluster().registry.byKind(group, kind);
    if (found === undefined) throw noSuchResource();
    return found;
  };
  return {
    get store() {
      return cluster().store;
    },
    now: () => cluster().now(),
    resourceFor: (group, kind) => cluster().registry.byKind(group, kind)?.info,
    resources: () =>
      cluster()
        .registry.all()
        .map(({ info }) => info),
    get: (group, kind, namespace, name) => {
      const found = cluster().registry.byKind(group, kind);
      if (found === undefined) return undefined;
      const entry = cluster().store.get(keyOf(found, namespace, name));
      return entry === undefined ? undefined : fromStored(entry.object, found);
    },
    list: (group, kind, namespace = '') => {
      const found = cluster().registry.byKind(group, kind);
      if (found === undefined) return [];
      return cluster()
        .store.list(keyPrefix(found, namespace))
        .entries.map(({ object }) => fromStored(object, found));
    },
    create: (object) => create(cluster(), served(groupOf(object.apiVersion), object.kind), object),
    // oxlint-disable-next-line max-params -- an object is named by four words before anything is said of it
    update: async (group, kind, namespace, name, change, options = {}) => {
      const found = served(group, kind);
      let left = false;
      const make = (old: KubeObject): MutableJsonObject => {
        const changed = change(thaw(asJson(old)));
        left = changed === undefined;
        const object = changed ?? thaw(asJson(old));
        // A change from inside is made to what is there now.
        (object['metadata'] as { resourceVersion?: string }).resourceVersion = ''; // every object has metadata
        return object;
      };
      try {
        const writing = writingOf(found, { verb: 'update', namespace, name, subresource: options.subresource ?? '' });
        const { object } = await updateObject(
          cluster(),
          found,
          { subresource: options.subresource ?? '', make },
          writing,
        );
        return left ? undefined : object;
      } catch (error) {
        if (error instanceof StatusError && error.status.code === 404) return undefined;
        throw error;
      }
    },
    // oxlint-disable-next-line max-params -- likewise
    delete: async (group, kind, namespace, name, options = {}) => {
      const found = served(group, kind);
      const removal = { propagation: options.propagation, uid: options.uid, gracePeriod: options.gracePeriod };
      await removeObject(
        cluster(),
        found,
        removal,
        writingOf(found, { verb: 'delete', namespace, name, subresource: '' }),
      );
    },
    watch: (group, kind, onEvent) => {
      const found = served(group, kind);
      return cluster().store.watch(keyPrefix(found, ''), cluster().store.revision, onEvent);
    },
  };
}

function create(cluster: Cluster, served: Served, object: KubeObject): Promise<KubeObject> {
  const decoded = decodeObject(asJson(object), served, { validation: 'Ignore', warn: () => undefined });
  const asked = { verb: 'create', namespace: object.metadata.namespace ?? '', name: '', subresource: '' };
  return createObject(cluster, served, decoded, writingOf(served, asked));
}

function writingOf(served: Served, asked: Pick<RequestInfo, 'verb' | 'namespace' | 'name' | 'subresource'>): Writing {
  const { group, version, plural } = served.info;
  const info: RequestInfo = {
    ...asked,
    path: '',
    isResource: true,
    group,
    version,
    resource: plural,
    query: new URLSearchParams(),
  };
  return { info, user: system, dryRun: false, manager: '' };
}
