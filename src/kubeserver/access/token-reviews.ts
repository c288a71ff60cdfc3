import { isArray, type JsonObject, type MutableJsonObject, objectAt, stringAt } from '../../core/json/index.ts';
import { asJson, type KubeObject, parseApiVersion, uidOf } from '../../core/objects/index.ts';
import type { Inside, User } from '../ports.ts';
import { badRequest, conflict, invalid, notFound } from '../status.ts';
import { type TokenAuthenticator, withAuthenticated } from './authenticate.ts';
import type { Binding, ServiceAccountTokens, TokenOrder } from './service-account-tokens.ts';

/** A user as reviews and the audit log print it: empty parts left out. */
export function userInfo(user: User): JsonObject {
  const info: MutableJsonObject = {};
  if (user.name !== '') info['username'] = user.name;
  if (user.uid !== '') info['uid'] = user.uid;
  if (user.groups.length > 0) info['groups'] = [...user.groups];
  const extra = Object.keys(user.extra).sort();
  if (extra.length > 0) info['extra'] = Object.fromEntries(extra.map((key) => [key, [...(user.extra[key] ?? [])]]));
  return info;
}

/** Kubernetes' time: whole seconds in UTC. */
export function timestamp(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

/** Who am I? */
export function selfSubjectReview(body: JsonObject, user: User, now: Date): JsonObject {
  return {
    kind: 'SelfSubjectReview',
    apiVersion: body['apiVersion'] ?? 'authentication.k8s.io/v1',
    metadata: { creationTimestamp: timestamp(now) },
    status: { userInfo: userInfo(user) },
  };
}

/** Whose token is this, and is it meant for these audiences? */
export function tokenReview(authenticator: TokenAuthenticator, body: JsonObject, issuer: string): JsonObject {
  const spec = objectAt(body, 'spec') ?? {};
  const token = stringAt(spec, 'token') ?? '';
  if (token === '') throw badRequest('token is required for TokenReview in authentication');
  const asked = audiencesIn(spec);
  const wanted = asked.length === 0 ? [issuer] : asked;
  const found = authenticator.verify(token);
  const audiences = wanted.filter((audience) => found?.audiences.includes(audience));
  const status =
    found === undefined || audiences.length === 0
      ? { user: {}, error: 'invalid bearer token' }
      : { authenticated: true, user: userInfo(withAuthenticated(found.user)), audiences };
  const metadata = objectAt(body, 'metadata') ?? {};
  return { kind: 'TokenReview', apiVersion: body['apiVersion'] ?? 'authentication.k8s.io/v1', metadata, spec, status };
}

function audiencesIn(spec: JsonObject): string[] {
  return isArray(spec['audiences']) ? spec['audiences'].filter((item) => typeof item === 'string') : [];
}

/** Makes a token for a service account: the `token` subresource. */
export function tokenRequest(
  inside: Inside,
  tokens: ServiceAccountTokens,
  body: JsonObject,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): JsonObject {
  const account = inside.get('', 'ServiceAccount', namespace, name);
  if (account === undefined) throw notFound({ group: '', plural: 'serviceaccounts' }, name);
  const spec = objectAt(body, 'spec') ?? {};
  const given = audiencesIn(spec);
  const audiences = given.length === 0 ? [tokens.issuer] : given;
  const seconds = lifetime(spec);
  checkUid(body, account);
  const order = { account, audiences, seconds, ...boundTo(inside, spec, account) };
  const { token, expires } = tokens.issue(order);
  return {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name, namespace, uid: uidOf(account), creationTimestamp: timestamp(inside.now()) },
    spec: { audiences, expirationSeconds: seconds, boundObjectRef: objectAt(spec, 'boundObjectRef') ?? null },
    status: { token, expirationTimestamp: timestamp(expires) },
  };
}

function lifetime(spec: JsonObject): number {
  const asked = spec['expirationSeconds'] ?? 3600;
  const seconds = typeof asked === 'number' ? asked : 0;
  const why =
    seconds < 600
      ? 'may not specify a duration less than 10 minutes'
      : seconds > 2 ** 32
        ? 'may not specify a duration larger than 2^32 seconds'
        : undefined;
  if (why === undefined) return seconds;
  const message = `Invalid value: ${seconds}: ${why}`;
  throw invalid({ group: 'authentication.k8s.io', kind: 'TokenRequest' }, '', [
    { field: 'spec.expirationSeconds', reason: 'FieldValueInvalid', message },
  ]);
}

function checkUid(body: JsonObject, account: KubeObject): void {
  const asked = stringAt(body, 'metadata', 'uid') ?? '';
  if (asked === '' || asked === uidOf(account)) return;
  const why = `the UID in the token request (${asked}) does not match the UID of the service account (${uidOf(account)})`;
  throw conflict({ group: 'authentication.k8s.io', plural: 'TokenRequest' }, account.metadata.name ?? '', why);
}

const bindable = { Pod: 'pods', Secret: 'secrets', Node: 'nodes' } as const;

function boundTo(inside: Inside, spec: JsonObject, account: KubeObject): Pick<TokenOrder, 'binding' | 'node'> {
  const ref = objectAt(spec, 'boundObjectRef');
  if (ref === undefined) return {};
  const [apiVersion, kind, name] = ['apiVersion', 'kind', 'name'].map((key) => stringAt(ref, key) ?? '');
  const { group, version } = parseApiVersion(apiVersion ?? '');
  if (group !== '' || !isBindable(kind))
    throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
  const { name: accountName = '', namespace = '' } = account.metadata;
  const object = inside.get('', kind, kind === 'Node' ? '' : namespace, name ?? '');
  if (object === undefined) throw notFound({ group: '', plural: bindable[kind] }, name ?? '');
  if (kind === 'Pod' && stringAt(asJson(object), 'spec', 'serviceAccountName') !== accountName)
    throw badRequest(
      `cannot bind token for serviceaccount "${accountName}" to pod running with different serviceaccount name.`,
    );
  const uid = stringAt(ref, 'uid') ?? '';
  if (uid !== '' && uid !== uidOf(object))
    throw conflict(
      { group: '', plural: kind },
      name ?? '',
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  return { binding: { kind, name: name ?? '', uid: uidOf(object) }, node: nodeOf(inside, kind, object) };
}

function isBindable(kind: string | undefined): kind is Binding['kind'] {
  return kind === 'Pod' || kind === 'Secret' || kind === 'Node';
}

function nodeOf(inside: Inside, kind: string, object: KubeObject): TokenOrder['node'] {
  const name = kind === 'Pod' ? stringAt(asJson(object), 'spec', 'nodeName') : undefined;
  const node = name === undefined ? undefined : inside.get('', 'Node', '', name);
  return node === undefined || name === undefined ? undefined : { name, uid: uidOf(node) };
}
