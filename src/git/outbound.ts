import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { ArgosyError } from '../core/errors/index.ts';
import { compileGlob } from '../core/match/index.ts';
import { isForbiddenAddress } from './address.ts';
import type { RepositoryUrl } from './url.ts';

/** A host on its way to be connected to. */
export interface Target {
  readonly host: string;
  readonly port: number;
}

/** Finds the addresses of a host name. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** Decides where a source may lead, and to which addresses exactly the connection goes. */
export interface Outbound {
  /** Refuses transports and hosts that are not permitted; returns the addresses to connect to, and no others. */
  check(url: RepositoryUrl): Promise<readonly string[]>;
  /** The same for one host, such as a proxy or an API. */
  checkHost(target: Target): Promise<readonly string[]>;
  /** Whether an admin lists this host. */
  isListed(target: Target): boolean;
}

const resolveMs = 5_000;

/** The outbound rules with the admin's list of exceptions, read anew at each connection. */
export function createOutbound(allowedHosts: () => readonly string[], resolve: Resolve = systemResolve): Outbound {
  const isListed = ({ host, port }: Target): boolean =>
    allowedHosts().some((pattern) => matchesHost(pattern, host, port));
  const checkHost = async (target: Target): Promise<readonly string[]> => {
    const bare = target.host.replace(/^\[|\]$/g, '');
    const addresses = isIP(bare) !== 0 ? [bare] : await within(resolve(bare), bare);
    if (addresses.length === 0)
      throw new ArgosyError('git-unreachable', 'the host name has no address', { subject: target.host });
    // One forbidden address is enough: which one is tried first is not for the tenant's name server to choose.
    if (addresses.some(isForbiddenAddress) && !isListed(target))
      throw new ArgosyError('git-refused', 'the host leads to a loopback, link-local or metadata address', {
        subject: target.host,
        hint: 'an admin can list it in argocd-cm under source.allowedHosts',
      });
    return addresses;
  };
  return {
    isListed,
    checkHost,
    async check(url) {
      if (url.transport === 'file') {
        if (allowedHosts().includes('file:')) return [];
        throw new ArgosyError('git-refused', 'file addresses are not permitted', {
          subject: url.text,
          hint: 'an admin can list `file:` in argocd-cm under source.allowedHosts',
        });
      }
      if (url.transport === 'http' && !isListed(url))
        throw new ArgosyError('git-refused', 'plain http is not permitted for this host', {
          subject: url.text,
          hint: 'use https, or let an admin list the host in argocd-cm under source.allowedHosts',
        });
      return checkHost(url);
    },
  };
}

/** `host` stands for all its ports; IPv6 addresses are written in brackets. */
function matchesHost(pattern: string, host: string, port: number): boolean {
  if (pattern === 'file:' || pattern === '') return false;
  const withPort = /:[0-9*]+$/.test(pattern) ? pattern : `${pattern}:*`;
  // The brackets of an IPv6 address are no character class.
  const compiled = compileGlob(withPort.toLowerCase().replace(/[[\]]/g, '\\$&'));
  return compiled.ok && compiled.matches(`${host}:${port}`);
}

async function systemResolve(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

async function within(answer: Promise<readonly string[]>, host: string): Promise<readonly string[]> {
  const failed = new ArgosyError('git-unreachable', 'the host name cannot be resolved', { subject: host });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(failed), resolveMs);
  });
  try {
    return await Promise.race([answer, late]);
  } catch {
    throw failed;
  } finally {
    clearTimeout(timer);
  }
}
