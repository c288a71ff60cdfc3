import { randomUUID } from 'node:crypto';
import { isArray, type JsonObject, type MutableJsonObject, objectAt, stringAt } from '../../core/json/index.ts';
import { type KubeObject, uidOf } from '../../core/objects/index.ts';
import type { Inside, User } from '../ports.ts';
import { signClaims, type TokenKey, verifyClaims } from './token-key.ts';
import { serviceAccountGroups, serviceAccountName } from './users.ts';

/** The object a token lives and dies with, beside its service account. */
export interface Binding {
  readonly kind: 'Pod' | 'Secret' | 'Node';
  readonly name: string;
  readonly uid: string;
}

export interface TokenOrder {
  readonly account: KubeObject;
  readonly audiences: readonly string[];
  readonly seconds: number;
  readonly binding?: Binding | undefined;
  /** The node of a bound pod. */
  readonly node?: { readonly name: string; readonly uid: string } | undefined;
}

/** A verified token: who it speaks for, and the audiences it was made for. */
export interface VerifiedToken {
  readonly user: User;
  readonly audiences: readonly string[];
}

/** Makes and checks the tokens of service accounts. */
export class ServiceAccountTokens {
  readonly #inside: Inside;
  readonly #key: TokenKey;
  readonly issuer: string;

  constructor(inside: Inside, key: TokenKey, issuer: string) {
    this.#inside = inside;
    this.#key = key;
    this.issuer = issuer;
  }

  /** A new bound token and the moment it ends. */
  issue({ account, audiences, seconds, binding, node }: TokenOrder): { token: string; expires: Date } {
    const now = Math.floor(this.#inside.now().getTime() / 1000);
    const { name = '', namespace = '' } = account.metadata;
    const kubernetes: MutableJsonObject = { namespace };
    if (node !== undefined) kubernetes['node'] = { ...node };
    if (binding?.kind === 'Node') kubernetes['node'] = { name: binding.name, uid: binding.uid };
    if (binding?.kind === 'Pod') kubernetes['pod'] = { name: binding.name, uid: binding.uid };
    if (binding?.kind === 'Secret') kubernetes['secret'] = { name: binding.name, uid: binding.uid };
    kubernetes['serviceaccount'] = { name, uid: uidOf(account) };
    const token = signClaims(this.#key, {
      aud: audiences,
      exp: now + seconds,
      iat: now,
      iss: this.issuer,
      jti: randomUUID(),
      'kubernetes.io': kubernetes,
      nbf: now,
      sub: serviceAccountName(namespace, name),
    });
    return { token, expires: new Date((now + seconds) * 1000) };
  }

  /** The token in a Secret of type `kubernetes.io/service-account-token`: no end, dies with the Secret. */
  legacy(account: KubeObject, secretName: string): string {
    const { name = '', namespace = '' } = account.metadata;
    return signClaims(this.#key, {
      iss: 'kubernetes/serviceaccount',
      'kubernetes.io/serviceaccount/namespace': namespace,
      'kubernetes.io/serviceaccount/secret.name': secretName,
      'kubernetes.io/serviceaccount/service-account.name': name,
      'kubernetes.io/serviceaccount/service-account.uid': uidOf(account),
      sub: serviceAccountName(namespace, name),
    });
  }

  /** Whom a token speaks for; undefined if it is not ours, or no longer good. */
  verify(token: string): VerifiedToken | undefined {
    const claims = verifyClaims(this.#key, token);
    if (claims === undefined) return undefined;
    return claims['iss'] === 'kubernetes/serviceaccount'
      ? this.#verifyLegacy(claims, token)
      : this.#verifyBound(claims);
  }

  #verifyBound(claims: JsonObject): VerifiedToken | undefined {
    if (claims['iss'] !== this.issuer || !this.#inTime(claims)) return undefined;
    const inner = objectAt(claims, 'kubernetes.io') ?? {};
    const namespace = stringAt(inner, 'namespace') ?? '';
    const name = stringAt(inner, 'serviceaccount', 'name') ?? '';
    const uid = stringAt(inner, 'serviceaccount', 'uid') ?? '';
    if (!this.#alive('ServiceAccount', namespace, name, uid)) return undefined;
    const bound = (['Pod', 'Secret', 'Node'] as const).every((kind) => this.#boundAlive(inner, kind, namespace));
    if (!bound) return undefined;
    const audiences = isArray(claims['aud']) ? claims['aud'].filter((item) => typeof item === 'string') : [];
    return { user: accountUser(namespace, name, uid, extraOf(claims, inner)), audiences };
  }

  #inTime(claims: JsonObject): boolean {
    const now = this.#inside.now().getTime() / 1000;
    const { exp, nbf } = claims;
    // A minute of grace, as in Kubernetes: clocks of issuer and reader may differ.
    return typeof exp === 'number' && now <= exp + 60 && (typeof nbf !== 'number' || now >= nbf - 60);
  }

  #boundAlive(inner: JsonObject, kind: Binding['kind'], namespace: string): boolean {
    const field = kind.toLowerCase();
    const name = stringAt(inner, field, 'name');
    if (name === undefined) return true;
    if (kind === 'Node' && objectAt(inner, 'pod') !== undefined) return true; // only told, not bound
    return this.#alive(kind, kind === 'Node' ? '' : namespace, name, stringAt(inner, field, 'uid') ?? '');
  }

  #alive(kind: string, namespace: string, name: string, uid: string): boolean {
    const object = this.#inside.get('', kind, namespace, name);
    if (object === undefined || uidOf(object) !== uid) return false;
    const deleted = object.metadata.deletionTimestamp;
    return deleted === undefined || this.#inside.now().getTime() - Date.parse(deleted) < 60_000;
  }

  #verifyLegacy(claims: JsonObject, token: string): VerifiedToken | undefined {
    const read = (key: string): string => stringAt(claims, `kubernetes.io/serviceaccount/${key}`) ?? '';
    const [namespace, name, uid] = [read('namespace'), read('service-account.name'), read('service-account.uid')];
    const secret = this.#inside.get('', 'Secret', namespace, read('secret.name'));
    const data = secret === undefined ? undefined : stringAt(secret['data'] as JsonObject | undefined, 'token'); // a stored object is JSON
    if (data === undefined || Buffer.from(data, 'base64').toString('utf8') !== token) return undefined;
    if (secret?.metadata.deletionTimestamp !== undefined) return undefined;
    if (!this.#alive('ServiceAccount', namespace, name, uid)) return undefined;
    return { user: accountUser(namespace, name, uid, {}), audiences: [this.issuer] };
  }
}

function accountUser(namespace: string, name: string, uid: string, extra: User['extra']): User {
  return { name: serviceAccountName(namespace, name), uid, groups: serviceAccountGroups(namespace), extra };
}

function extraOf(claims: JsonObject, inner: JsonObject): User['extra'] {
  const extra: { [key: string]: string[] } = {};
  const jti = stringAt(claims, 'jti');
  if (jti !== undefined) extra['authentication.kubernetes.io/credential-id'] = [`JTI=${jti}`];
  for (const kind of ['node', 'pod'])
    for (const field of ['name', 'uid']) {
      const value = stringAt(inner, kind, field);
      if (value !== undefined) extra[`authentication.kubernetes.io/${kind}-${field}`] = [value];
    }
  return extra;
}
