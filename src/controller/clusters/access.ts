import type { ClusterCache, Fetch } from '../../cache/index.ts';
import type { Tracking } from '../../core/diff/index.ts';
import { isArgosyError } from '../../core/errors/index.ts';
import type { KubeObject } from '../../core/objects/index.ts';
import type { Identity } from '../../core/policy/index.ts';
import { type Connection, type Reader, type Resource, tenantDoor, type Writer } from '../../kube/index.ts';
import type { ClusterAccess } from '../application/world.ts';
import { instanceOf } from './projector.ts';

const fetchMs = 15_000;

/** One cluster for an Application: its cached view, and the door in the Application's name. */
export function accessThrough(connection: Connection, cache: ClusterCache, tracking: Tracking): ClusterAccess {
  return {
    resource: (group, kind) => cache.resource(group, kind),
    live: (instance, targets, kinds, identity) =>
      cache.live(instance, { targets, kinds }, fetchAs(connection, identity)),
    unowned: (namespace, instance) => cache.unowned(namespace, instance),
    as: (identity) => telling(tenantDoor(connection, identity), cache, tracking),
  };
}

/** Single objects are read in the Application's name, never with more rights than it has. */
function fetchAs(connection: Connection, identity: Identity): Fetch {
  const door = tenantDoor(connection, identity);
  return async (resource, { namespace, name }) => {
    try {
      return await door.get(resource, namespace, name, { deadlineMs: fetchMs });
    } catch (error) {
      if (isArgosyError(error) && error.code === 'kube-not-found') return undefined;
      throw error;
    }
  };
}

/** The door, telling the cache what the API server answers: the next pass must not see less than this one has written. */
function telling(door: Reader & Writer, cache: ClusterCache, tracking: Tracking): Reader & Writer {
  const seen = (object: KubeObject, dryRun: boolean | undefined): KubeObject => {
    if (dryRun !== true) cache.observe(object, instanceOf(object, tracking) ?? '');
    return object;
  };
  const gone = ({ group, kind }: Resource, namespace: string, name: string): void =>
    cache.observeGone({ group, kind, namespace, name });
  return {
    ...door,
    create: async (resource, object, options) => seen(await door.create(resource, object, options), options?.dryRun),
    update: async (resource, object, options) => seen(await door.update(resource, object, options), options?.dryRun),
    // oxlint-disable-next-line max-params -- the verbs of a door take what they take
    patch: async (resource, namespace, name, type, body, options) =>
      seen(await door.patch(resource, namespace, name, type, body, options), options?.dryRun),
    apply: (resource, object, options) => {
      const send = (): Promise<KubeObject> => door.apply(resource, object, options);
      return options.dryRun === true ? send() : cache.writing(instanceOf(object, tracking) ?? '', send);
    },
    async delete(resource, namespace, name, options) {
      try {
        const left = await door.delete(resource, namespace, name, options);
        if (options?.dryRun === true) return left;
        if (left === undefined) gone(resource, namespace, name);
        else seen(left, false);
        return left;
      } catch (error) {
        if (isArgosyError(error) && error.code === 'kube-not-found') gone(resource, namespace, name);
        throw error;
      }
    },
  };
}
