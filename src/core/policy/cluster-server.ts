import type { Settings } from '../api/index.ts';
import { classifyAddress } from './address.ts';
import { isListed } from './outbound.ts';

/** Every DNS form of "the API server of this cluster", whatever the cluster's domain. */
const localName = /^kubernetes(\.default(\.svc(\..*)?)?)?$/;

/** Tells whether a host means the cluster this runs in. */
export function isLocalApiServer(host: string): boolean {
  return localName.test(host.toLowerCase().replace(/\.+$/, ''));
}

/** Why the address of a tenant's cluster cannot be taken, or undefined. Nothing lifts the ban on the local API server. */
export function serverProblem(server: string, outbound: Settings['outbound']): string | undefined {
  if (!URL.canParse(server)) return 'is not an address such as https://host:6443';
  const url = new URL(server);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const secure = url.protocol === 'https:';
  if (!secure && !(url.protocol === 'http:' && outbound.tenantClusterInsecure)) return 'must begin with https://';
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    return 'must hold host, port and path only';
  }
  if (isLocalApiServer(host)) return 'is the address of the local cluster, which no tenant may register';
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
  const kind = isLoopbackName(host) ? 'loopback' : (classifyAddress(host) ?? 'ordinary');
  if (kind === 'ordinary' || isListed(outbound, { purpose: 'tenant-cluster', host, port })) return undefined;
  return `is a ${kind} address; an admin can list it in cluster.tenant.allowedHosts`;
}

function isLoopbackName(host: string): boolean {
  return /(^|\.)localhost\.?$/.test(host);
}
