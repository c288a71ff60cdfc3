import type { Settings } from '../api/index.ts';
import { classifyAddress } from './address.ts';
import { matcherOf } from './matcher.ts';
import { allowed, denied, type Verdict } from './verdict.ts';

/** A connection about to be made because of a tenant's object, after its name was resolved. */
export interface Outbound {
  readonly purpose: 'tenant-cluster' | 'source';
  /** As written in the address, without brackets or port. */
  readonly host: string;
  readonly port: number;
  /** The IP address that will be connected to; it and no other must then be used. */
  readonly address: string;
}

/**
 * Whether a connection may be made: loopback, link-local and metadata addresses only where an admin lists the host.
 * To be asked with the resolved address, right before connecting. The text is the same for every reason.
 */
export function permitsConnection(outbound: Settings['outbound'], target: Outbound): Verdict {
  const kind = classifyAddress(target.address);
  if (kind === 'ordinary' || isListed(outbound, target)) return allowed;
  return denied('address-refused', 'the address is not permitted', 'ComparisonError');
}

/** Whether a host is among the admin's exceptions; unreadable patterns list nothing. */
export function isListed(outbound: Settings['outbound'], target: Omit<Outbound, 'address'>): boolean {
  const host = target.host.includes(':') ? `[${target.host}]` : target.host.toLowerCase();
  const forms = [`${host}:${target.port}`, ...(target.purpose === 'source' ? [host] : [])];
  const patterns = target.purpose === 'source' ? outbound.sourceHosts : outbound.tenantClusterHosts;
  return patterns.some((pattern) => forms.some((form) => matcherOf(pattern.toLowerCase())?.matches(form) === true));
}

/** Whether sources may be read from the machine's own files (`file:`): the word must stand in `source.allowedHosts`. */
export function permitsFiles(outbound: Settings['outbound']): boolean {
  return outbound.sourceHosts.includes('file:');
}
