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
  const secrets = secretsOf(credential);
  return { header: () => header, renew: () => false, keyPair: () => pair, secrets: () => secrets };
}

function secretsOf(credential: Credential): readonly string[] {
  if (credential.type === 'token') return [credential.token];
  if (credential.type !== 'basic') return [];
  return [credential.password, basic(credential.username, credential.password)];
}

function basic(username: string, password: string): string {
  return Buffer.from(`${username}:${password}`).toString('base64');
}

function fixedHeader(credential: Credential): string | undefined {
  if (credential.type === 'token') return bearer(credential.token);
  if (credential.type !== 'basic') return undefined;
  return `Basic ${basic(credential.username, credential.password)}`;
}
