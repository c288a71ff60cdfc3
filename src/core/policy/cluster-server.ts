import type { Settings } from '../api/index.ts';
import { classifyAddress } from './address.ts';
import { isListed } from './outbound.ts';

/** Every DNS form of "the API server of this cluster", whatever the cluster's domain. */
const localName = /^kubernetes(\.default(\.svc(\..*)?)?)?$/;

/** Tells whether a host means the cluster this runs in. */
export function isLocalApiServer(host: string): boolean {
  return localName.test(host.toLowerCase().replace(/\.+$/, ''));
}

/** Tells whether an address is one of the cluster this runs in, however it is written. */
export function isLocalServer(server: string): boolean {
  return URL.canParse(server) && isLocalApiServer(new URL(server).hostname);
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
  if (kind === 'ordinary' || isListed(outbound, { purpose: 'tenant-cluster', host, port })) {
    return isPlain(server, url) ? undefined : notPlain;
  }
  return `is a ${kind} address; an admin can list it in cluster.tenant.allowedHosts`;
}

function isLoopbackName(host: string): boolean {
  return /(^|\.)localhost\.?$/.test(host);
}

const notPlain = 'is not written plainly: lower case, https://host:port, no empty, dotted or escaped parts';

/** Projects name servers as texts: what can be spelled in many ways could slip past a deny. */
function isPlain(server: string, url: URL): boolean {
  if (url.hostname.endsWith('.') || url.pathname.includes('%') || url.pathname.includes('//')) return false;
  return formsOf(url, pathOf(url)).includes(server);
}

/** Both forms of an address: without its port where that is the default one, and with it. */
function formsOf(url: URL, path: string): readonly string[] {
  if (url.port !== '') return [`${url.origin}${path}`];
  return [`${url.origin}${path}`, `${url.origin}:${url.protocol === 'https:' ? 443 : 80}${path}`];
}

function pathOf(url: URL): string {
  return url.pathname === '/' ? '' : url.pathname;
}

/** What else an address can be denied as: the other form of its port, and the server as a whole whatever the path. */
export function otherSpellings(server: string): readonly string[] {
  if (!URL.canParse(server)) return [];
  const url = new URL(server);
  const forms = new Set([...formsOf(url, pathOf(url)), ...formsOf(url, '')]);
  forms.delete(server);
  return [...forms];
}
