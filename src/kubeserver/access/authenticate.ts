import { createHash, timingSafeEqual } from 'node:crypto';
import type { Authenticator, User } from '../ports.ts';
import { unauthorized } from './refusal.ts';
import type { ServiceAccountTokens, VerifiedToken } from './service-account-tokens.ts';
import { authenticated } from './users.ts';

/** A token known from the start: the administrator's, or one a test hands out. */
export interface StaticToken {
  readonly token: string;
  readonly user: { readonly name: string; readonly uid?: string; readonly groups?: readonly string[] };
}

/** Reads bearer tokens and client certificates; says who is asking. */
export class TokenAuthenticator implements Authenticator {
  readonly #static: readonly { digest: Buffer; user: User }[];
  readonly #tokens: ServiceAccountTokens;

  constructor(staticTokens: readonly StaticToken[], tokens: ServiceAccountTokens) {
    this.#static = staticTokens.map(({ token, user }) => ({
      digest: digest(token),
      user: { name: user.name, uid: user.uid ?? '', groups: user.groups ?? [], extra: {} },
    }));
    this.#tokens = tokens;
  }

  async authenticate({
    authorization,
    clientCertificate,
  }: Parameters<Authenticator['authenticate']>[0]): Promise<User | undefined> {
    if (clientCertificate !== undefined && clientCertificate.subjectCN !== '')
      return withAuthenticated({
        name: clientCertificate.subjectCN,
        uid: '',
        groups: clientCertificate.organizations,
        extra: {},
      });
    const token = bearer(authorization);
    if (token === undefined) return undefined;
    const found = this.verify(token);
    // A token made for somebody else's audience must not open the API.
    if (found === undefined || !found.audiences.includes(this.#tokens.issuer)) throw unauthorized();
    return withAuthenticated(found.user);
  }

  /** Whom a token speaks for, whatever its audience. */
  verify(token: string): VerifiedToken | undefined {
    const wanted = digest(token);
    const known = this.#static.find((candidate) => timingSafeEqual(candidate.digest, wanted));
    if (known !== undefined) return { user: known.user, audiences: [this.#tokens.issuer] };
    return this.#tokens.verify(token);
  }
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** The token of an Authorization header; other schemes count as no credential, as in Kubernetes. */
function bearer(header: string | undefined): string | undefined {
  const [scheme = '', token = ''] = (header ?? '').trim().split(' ');
  return scheme.toLowerCase() === 'bearer' && token !== '' ? token : undefined;
}

/** Everyone who was recognised is in `system:authenticated`. */
export function withAuthenticated(user: User): User {
  return user.groups.includes(authenticated) ? user : { ...user, groups: [...user.groups, authenticated] };
}
