import type { JsonObject } from '../../core/json/index.ts';
import type { Authenticator, Authorizer, Inside, RequestInfo, User } from '../ports.ts';
import {
  localSubjectAccessReview,
  selfSubjectAccessReview,
  selfSubjectRulesReview,
  subjectAccessReview,
} from './access-reviews.ts';
import { type StaticToken, TokenAuthenticator } from './authenticate.ts';
import { type Headers, type Impersonation, Impersonator, wantedUser } from './impersonate.ts';
import { PolicyIndex } from './policy-index.ts';
import { RbacAuthorizer } from './rbac.ts';
import { notAllowed } from './refusal.ts';
import { ServiceAccountTokens } from './service-account-tokens.ts';
import { issuerDocuments, readTokenKey } from './token-key.ts';
import { selfSubjectReview, tokenRequest, tokenReview } from './token-reviews.ts';
import { anonymous, attributesOf } from './users.ts';

export interface AccessOptions {
  readonly inside: Inside;
  /** PEM of the key service-account tokens are signed with (`generateTokenKey`), kept with the data. */
  readonly tokenKey: string;
  /** The `iss` of tokens and the API's own audience. */
  readonly issuer?: string;
  readonly staticTokens: readonly StaticToken[];
}

/** What the chain of handlers needs to know who asks and whether they may. */
export interface Access {
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer & Pick<RbacAuthorizer, 'heldRules' | 'roleRules'>;
  readonly tokens: ServiceAccountTokens;
  /** Who asks (anonymous included); throws 401 for a bad credential. */
  identify(request: Parameters<Authenticator['authenticate']>[0]): Promise<User>;
  /** Whom the request acts as, if its headers ask for somebody else; throws 400 or 403. */
  impersonation(user: User, headers: Headers, info: RequestInfo): Impersonation | undefined;
  /** Throws 403 unless allowed; else the audit annotations of the decision. */
  check(user: User, info: RequestInfo): { [annotation: string]: string };
  /** Answers a create of an access or token review or a token request; undefined if the request is none of these. */
  review(info: RequestInfo, body: JsonObject, user: User): JsonObject | undefined;
  /** What `/.well-known/openid-configuration` and `/openid/v1/jwks` answer. */
  readonly issuerDocuments: { readonly configuration: JsonObject; readonly keys: JsonObject };
  stop(): void;
}

/** Puts authentication, impersonation, RBAC and reviews together over a store. */
export function createAccess(options: AccessOptions): Access {
  const { inside, staticTokens, issuer = 'https://kubernetes.default.svc.cluster.local' } = options;
  const key = readTokenKey(options.tokenKey);
  const tokens = new ServiceAccountTokens(inside, key, issuer);
  const authenticator = new TokenAuthenticator(staticTokens, tokens);
  const index = new PolicyIndex(inside);
  const authorizer = new RbacAuthorizer(index);
  const impersonator = new Impersonator(authorizer);
  return {
    authenticator,
    authorizer,
    tokens,
    identify: async (request) => (await authenticator.authenticate(request)) ?? anonymous,
    impersonation: (user, headers, info) => {
      const wanted = wantedUser(headers);
      return wanted === undefined ? undefined : impersonator.impersonate(user, wanted, info);
    },
    check: (user, info) => check(authorizer, user, info),
    review: (info, body, user) => {
      if (info.verb !== 'create') return undefined;
      if (info.resource === 'serviceaccounts' && info.subresource === 'token' && info.group === '')
        return tokenRequest(inside, tokens, body, info);
      if (info.group === 'authorization.k8s.io') return accessReview(authorizer, info, body, user);
      if (info.group !== 'authentication.k8s.io') return undefined;
      if (info.resource === 'selfsubjectreviews') return selfSubjectReview(body, user, inside.now());
      return info.resource === 'tokenreviews' ? tokenReview(authenticator, body, issuer) : undefined;
    },
    issuerDocuments: issuerDocuments(key, issuer),
    stop: () => index.stop(),
  };
}

function check(authorizer: Authorizer, user: User, info: RequestInfo): { [annotation: string]: string } {
  const asked = attributesOf(user, info);
  const { allowed, reason } = authorizer.authorize(asked);
  if (!allowed) throw notAllowed(asked, reason);
  return { 'authorization.k8s.io/decision': 'allow', 'authorization.k8s.io/reason': reason };
}

function accessReview(authorizer: Authorizer, info: RequestInfo, body: JsonObject, user: User): JsonObject | undefined {
  if (info.resource === 'selfsubjectaccessreviews') return selfSubjectAccessReview(authorizer, body, user);
  if (info.resource === 'subjectaccessreviews') return subjectAccessReview(authorizer, body);
  if (info.resource === 'selfsubjectrulesreviews') return selfSubjectRulesReview(authorizer, body, user);
  if (info.resource !== 'localsubjectaccessreviews') return undefined;
  return localSubjectAccessReview(authorizer, body, info.namespace);
}
