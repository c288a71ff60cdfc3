declare const checked: unique symbol;

/** The user name of a service account, only ever made by `serviceAccountUser`: it cannot be empty or malformed. */
export type ServiceAccountUser = string & { readonly [checked]: 'service account' };

/** Why a request goes out under the cluster's own credential. */
export type ClusterReason =
  /** Impersonation is switched off. */
  | 'impersonation-off'
  /** Nothing matched and the admin set `enforced: "false"`. */
  | 'not-enforced'
  /** The tenant's Secret is itself the tenant's identity. */
  | 'tenant-credential';

/** As whom a request for an Application is made: there is no third way and no empty one. */
export type Identity =
  | { readonly as: 'impersonate'; readonly user: ServiceAccountUser }
  | { readonly as: 'cluster'; readonly because: ClusterReason };

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Tells whether a text can be the name of a namespace. */
export function isNamespaceName(text: string): boolean {
  const last = text.length - 1;
  if (last < 0 || last > 62 || text.charCodeAt(0) === dash || text.charCodeAt(last) === dash) return false;
  // By hand, for every new namespace of every object comes through here.
  for (let at = 0; at <= last; at++) {
    const code = text.charCodeAt(at);
    const isLetter = code >= 97 && code <= 122;
    const isDigit = code >= 48 && code <= 57;
    if (!isLetter && !isDigit && code !== dash) return false;
  }
  return true;
}

const dash = 45;

/** Tells whether a text can be the name of most namespaced objects. */
export function isSubdomain(text: string): boolean {
  return text.length <= 253 && subdomain.test(text);
}

/** The user of a service account, or undefined where namespace or name is none. */
export function serviceAccountUser(namespace: string, name: string): ServiceAccountUser | undefined {
  if (!isNamespaceName(namespace) || !isSubdomain(name)) return undefined;
  return `system:serviceaccount:${namespace}:${name}` as ServiceAccountUser; // both parts were checked above
}
