import { Hidden, type Repository as RepositorySecret } from '../core/api/index.ts';
import { ArgosyError } from '../core/errors/index.ts';

/** A GitHub App to log in as. */
export interface GithubAppLogin {
  readonly id: string;
  /** Found by asking where it is not given. */
  readonly installation: string | undefined;
  readonly privateKey: Hidden;
  /** The API, without a trailing slash. */
  readonly api: string;
}

/** What a repository Secret gives to log in with, checked for shape. */
export interface Login {
  readonly username: string;
  readonly password: Hidden | undefined;
  readonly bearer: Hidden | undefined;
  readonly sshKey: Hidden | undefined;
  readonly githubApp: GithubAppLogin | undefined;
  readonly certificate: { readonly certificate: Hidden; readonly key: Hidden } | undefined;
  readonly insecure: boolean;
  readonly proxy: Hidden | undefined;
  readonly noProxy: string;
}

const maxBytes = 64 * 1024;

/** Reads the login out of a Secret; a value of hostile shape is refused by the name of its key, never quoted. */
export function readLogin(secret: RepositorySecret | undefined, repository: RepositorySecret | undefined): Login {
  const text = (key: string): Hidden | undefined => {
    const value = secret?.secrets.get(key);
    if (value === undefined || value.isEmpty) return undefined;
    if (value.reveal().length > maxBytes) throw malformed(key, 'is too long');
    if (value.reveal().includes('\0')) throw malformed(key, 'holds a NUL character');
    return value;
  };
  const unsupported = ['gcpServiceAccountKey', 'azureServicePrincipalClientSecret'].find(
    (key) => text(key) !== undefined,
  );
  const password = text('password');
  const bearer = password === undefined ? text('bearerToken') : undefined;
  if (bearer !== undefined && !/^[\x21-\x7e]+$/.test(bearer.reveal().trim()))
    throw malformed('bearerToken', 'is not one word');
  const username = secret?.username ?? '';
  if (/[\p{Cc}:]/u.test(username) || username.length > 1024)
    throw malformed('username', 'holds control characters or a colon');
  if (unsupported !== undefined && password === undefined && bearer === undefined)
    throw malformed(unsupported, 'is a kind of login that is not supported');
  return {
    // GitHub and others take any name beside a token, this one by custom.
    username: username === '' ? 'x-access-token' : username,
    password,
    bearer: bearer && new Hidden(bearer.reveal().trim()),
    sshKey: readSshKey(text('sshPrivateKey')),
    githubApp: readGithubApp(secret, text('githubAppPrivateKey')),
    certificate: readCertificate(text('tlsClientCertData'), text('tlsClientCertKey')),
    insecure: secret?.insecure === true || repository?.insecure === true,
    proxy: text('proxy') ?? repository?.secrets.get('proxy'),
    noProxy: readNoProxy(secret?.noProxy || repository?.noProxy || ''),
  };
}

function readSshKey(key: Hidden | undefined): Hidden | undefined {
  if (key === undefined) return undefined;
  if (!/^\s*-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----\r?\n/.test(key.reveal()))
    throw malformed('sshPrivateKey', 'is not a private key in PEM form');
  // OpenSSH refuses a key without its last line feed, or with those of Windows.
  return new Hidden(`${key.reveal().replaceAll('\r\n', '\n').trim()}\n`);
}

function readGithubApp(
  secret: RepositorySecret | undefined,
  privateKey: Hidden | undefined,
): GithubAppLogin | undefined {
  if (secret === undefined || privateKey === undefined) return undefined;
  const id = secret.plain.get('githubAppID') ?? '';
  const installation = secret.plain.get('githubAppInstallationID') ?? '';
  if (!/^[A-Za-z0-9.]{1,40}$/.test(id)) throw malformed('githubAppID', 'is not an id');
  if (!/^[0-9]{0,20}$/.test(installation)) throw malformed('githubAppInstallationID', 'is not a number');
  const base = secret.plain.get('githubAppEnterpriseBaseUrl') ?? '';
  const api = (base === '' ? 'https://api.github.com' : base).replace(/\/+$/, '');
  if (!URL.canParse(api) || !/^https?:$/.test(new URL(api).protocol))
    throw malformed('githubAppEnterpriseBaseUrl', 'is not an address');
  return { id, installation: installation === '' || installation === '0' ? undefined : installation, privateKey, api };
}

function readCertificate(certificate: Hidden | undefined, key: Hidden | undefined): Login['certificate'] {
  if (certificate === undefined && key === undefined) return undefined;
  if (certificate === undefined || key === undefined)
    throw malformed('tlsClientCertData', 'and tlsClientCertKey belong together');
  return { certificate, key };
}

function readNoProxy(text: string): string {
  if (!/^[\x20-\x7e]*$/.test(text) || text.length > 4096) throw malformed('noProxy', 'holds strange characters');
  return text;
}

function malformed(key: string, what: string): ArgosyError {
  return new ArgosyError('config-invalid', `the repository Secret cannot be used: ${key} ${what}`);
}
