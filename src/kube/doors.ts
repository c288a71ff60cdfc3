import { ArgosyError } from '../core/errors/index.ts';
import type { Connection, Reader, Writer } from './types.ts';

/** As whom a tenant's request is made: somebody, or knowingly the cluster's credential. There is no third. */
export type TenantIdentity =
  | { readonly as: 'impersonate'; readonly user: string }
  | { readonly as: 'cluster'; readonly because: string };

/** What the shared cache may do with a cluster: look, never change. */
export type CacheDoor = Pick<Reader, 'discover' | 'list' | 'watch' | 'follow' | 'mayI'>;

/** The door for our own objects: Applications, projects, settings, Events. */
export type ControlDoor = Reader & Writer;

/** The door for a tenant's objects. */
export type TenantDoor = Reader & Writer;

/** The installation's own work on its own cluster, with its own credential. */
export function controlDoor(connection: Connection): ControlDoor {
  return verbsOf(connection);
}

/** The shared cache's view of a cluster, with the cluster's credential. What it hands out can change nothing. */
export function cacheDoor(connection: Connection): CacheDoor {
  return lookingVerbs(connection);
}

/** A tenant's requests. An impersonation never falls back to the cluster's credential: an empty user throws. */
export function tenantDoor(connection: Connection, identity: TenantIdentity): TenantDoor {
  if (identity.as === 'impersonate') return verbsOf(connection.as({ user: identity.user }));
  if (identity.as === 'cluster' && identity.because !== '') return verbsOf(connection);
  throw new ArgosyError('identity-empty', 'a tenant request has no identity; nothing was sent');
}

/** Only the verbs: a door leads to no other identity and closes nothing. */
function verbsOf(verbs: Reader & Writer): Reader & Writer {
  return {
    ...lookingVerbs(verbs),
    get: (resource, namespace, name, options) => verbs.get(resource, namespace, name, options),
    logs: (namespace, pod, options, onText) => verbs.logs(namespace, pod, options, onText),
    version: (options) => verbs.version(options),
    create: (resource, object, options) => verbs.create(resource, object, options),
    update: (resource, object, options) => verbs.update(resource, object, options),
    patch: (...change) => verbs.patch(...change),
    apply: (resource, object, options) => verbs.apply(resource, object, options),
    delete: (resource, namespace, name, options) => verbs.delete(resource, namespace, name, options),
  };
}

function lookingVerbs(reader: Reader): CacheDoor {
  return {
    discover: (options) => reader.discover(options),
    list: (resource, options, onItem) => reader.list(resource, options, onItem),
    watch: (resource, options, onEvent) => reader.watch(resource, options, onEvent),
    follow: (resource, options, sink) => reader.follow(resource, options, sink),
    mayI: (review, options) => reader.mayI(review, options),
  };
}
