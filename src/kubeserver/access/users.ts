import type { Attributes, RequestInfo, User } from '../ports.ts';

export const masters = 'system:masters';
export const authenticated = 'system:authenticated';
export const unauthenticated = 'system:unauthenticated';

/** Who a request without a credential comes from. */
export const anonymous: User = { name: 'system:anonymous', uid: '', groups: [unauthenticated], extra: {} };

/** The name of a service account as a user. */
export function serviceAccountName(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

export function serviceAccountGroups(namespace: string): string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}

/** The namespace and name in a service account's user name, or undefined for any other user. */
export function splitServiceAccount(user: string): { namespace: string; name: string } | undefined {
  const [system, kind, namespace, name, ...more] = user.split(':');
  if (system !== 'system' || kind !== 'serviceaccount' || more.length > 0) return undefined;
  if (namespace === undefined || name === undefined) return undefined;
  const label = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
  const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
  return label.test(namespace) && subdomain.test(name) && name.length <= 253 ? { namespace, name } : undefined;
}

/** What the authorizer is asked about a request. */
export function attributesOf(user: User, info: RequestInfo): Attributes {
  const { verb, isResource, group, version, resource, subresource, namespace, name, path } = info;
  return { user, verb, isResource, group, version, resource, subresource, namespace, name, path };
}
