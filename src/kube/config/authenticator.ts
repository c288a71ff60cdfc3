import type { Credential, KubeConfig } from '../types.ts';
import { type Authenticator, type AuthSurroundings, bearer } from './credential-port.ts';
import { ExecAuthenticator } from './exec-authenticator.ts';
import { TokenFile } from './token-file.ts';

/** The authenticator for a configuration's credential. */
export function authenticatorFor(config: KubeConfig, surroundings: AuthSurroundings): Authenticator {
  const credential = config.credential;
  switch (credential.type) {
    case 'token-file':
      return new TokenFile(credential.path, surroundings.now);
    case 'exec':
      return new ExecAuthenticator(credential.exec, config, surroundings);
    default:
      return fixed(credential);
  }
}

function fixed(credential: Exclude<Credential, { type: 'token-file' | 'exec' }>): Authenticator {
  const header = fixedHeader(credential);
  const pair = credential.type === 'certificate' ? { cert: credential.cert, key: credential.key } : undefined;
  const secrets =
    credential.type === 'token' ? [credential.token] : credential.type === 'basic' ? [credential.password] : [];
  return { header: () => header, renew: () => false, keyPair: () => pair, secrets: () => secrets };
}

function fixedHeader(credential: Credential): string | undefined {
  if (credential.type === 'token') return bearer(credential.token);
  if (credential.type !== 'basic') return undefined;
  return `Basic ${Buffer.from(`${credential.username}:${credential.password}`).toString('base64')}`;
}
