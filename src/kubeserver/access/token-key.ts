import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import type { JsonObject } from '../../core/json/index.ts';
import { isObject } from '../../core/json/index.ts';

/** The key service-account tokens are signed with; kept as PEM beside the data so that tokens outlive a restart. */
export interface TokenKey {
  readonly id: string;
  readonly algorithm: 'ES256' | 'RS256';
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** A new signing key as PEM. */
export function generateTokenKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** The signing key in a PEM text: EC on P-256 or RSA. */
export function readTokenKey(pem: string): TokenKey {
  const privateKey = createPrivateKey(pem);
  const publicKey = createPublicKey(privateKey);
  const der = publicKey.export({ type: 'spki', format: 'der' });
  const id = createHash('sha256').update(der).digest('base64url');
  const algorithm = privateKey.asymmetricKeyType === 'ec' ? 'ES256' : 'RS256';
  return { id, algorithm, privateKey, publicKey };
}

function encode(value: JsonObject): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decode(part: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Signs claims into a JWT. */
export function signClaims(key: TokenKey, claims: JsonObject): string {
  const text = `${encode({ alg: key.algorithm, kid: key.id })}.${encode(claims)}`;
  const signature = sign('sha256', Buffer.from(text), { key: key.privateKey, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}

/** The claims of a JWT signed with this key; undefined for anything else, whatever its header says. */
export function verifyClaims(key: TokenKey, token: string): JsonObject | undefined {
  const [head = '', body = '', signature = '', ...more] = token.split('.');
  if (more.length > 0 || decode(head)?.['alg'] !== key.algorithm) return undefined;
  const options = { key: key.publicKey, dsaEncoding: 'ieee-p1363' as const };
  const good = verify('sha256', Buffer.from(`${head}.${body}`), options, Buffer.from(signature, 'base64url'));
  return good ? decode(body) : undefined;
}

/** The two documents by which others verify tokens: OpenID configuration and key set. */
export function issuerDocuments(key: TokenKey, issuer: string): { configuration: JsonObject; keys: JsonObject } {
  const jwk = key.publicKey.export({ format: 'jwk' });
  const fields = Object.entries(jwk).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []));
  return {
    configuration: {
      issuer,
      jwks_uri: `${issuer}/openid/v1/jwks`,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: [key.algorithm],
    },
    keys: { keys: [{ use: 'sig', ...Object.fromEntries(fields), kid: key.id, alg: key.algorithm }] },
  };
}
