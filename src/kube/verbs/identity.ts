import { ArgosyError } from '../../core/errors/index.ts';
import type { IdentityHeaders } from '../call/client.ts';
import { hasControl } from '../errors/scrub.ts';
import type { Impersonation } from '../types.ts';

/** The headers that make a request in somebody's name. An identity that came out empty is refused, never left out. */
export function identityHeaders(who: Impersonation): IdentityHeaders {
  const headers: { [name: string]: string | string[] } = { 'impersonate-user': checked(who.user, 'user') };
  if (who.groups !== undefined && who.groups.length > 0)
    headers['impersonate-group'] = who.groups.map((group) => checked(group, 'group'));
  if (who.uid !== undefined) headers['impersonate-uid'] = checked(who.uid, 'uid');
  return headers;
}

function checked(value: unknown, what: string): string {
  if (typeof value !== 'string' || value.trim() === '')
    throw new ArgosyError('identity-empty', `the ${what} to impersonate is empty; nothing was sent`);
  // A header's value loses the blanks around it, which would make it somebody else's name.
  if (value !== value.trim() || hasControl(value) || value.length > 2048)
    throw new ArgosyError(
      'config-invalid',
      `the ${what} to impersonate holds characters no name has; nothing was sent`,
    );
  return Buffer.from(value, 'utf8').toString('latin1'); // headers are bytes to Node; names may be any UTF-8
}
