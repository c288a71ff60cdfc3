import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Repository as RepositorySecret } from '../core/api/index.ts';
import { ArgosyError } from '../core/errors/index.ts';
import type { Scratch, Spawner } from '../spawn/index.ts';
import type { GitConfig } from './environment.ts';
import type { GithubApps } from './github-app.ts';
import { type Login, readLogin } from './login.ts';
import type { Outbound } from './outbound.ts';
import { sshSettings } from './ssh.ts';
import type { RepositoryUrl, Transport } from './url.ts';

/** Everything one conversation with a server needs. */
export interface Connection {
  /** What git is given as the address. Holds no secret. */
  readonly address: string;
  readonly call: {
    readonly transport: Transport;
    readonly config: GitConfig;
    readonly env: Readonly<Record<string, string>>;
  };
  /** Removes keys and certificates from the disk. */
  close(): Promise<void>;
}

/** Opens a conversation: checks where it leads and prepares the credential. */
export type Connect = () => Promise<Connection>;

/** What servers are believed to be who they say. */
export interface Trust {
  /** PEM certificates for a host, in place of the machine's own. */
  caBundle(host: string): string | undefined;
  /** The text of a `known_hosts` file. */
  knownHosts(): string;
}

/** What connections are made of. */
export interface ConnectParts {
  readonly spawner: Spawner;
  readonly outbound: Outbound;
  readonly trust: Trust;
  readonly githubApps: GithubApps;
}

/** Whom to be, and the Secret whose flags hold. */
export interface ConnectAs {
  readonly login: RepositorySecret | undefined;
  readonly repository: RepositorySecret | undefined;
}

/** Makes one connection; the address that was checked is the one that git connects to. */
export async function openConnection(parts: ConnectParts, url: RepositoryUrl, as: ConnectAs): Promise<Connection> {
  const login = readLogin(as.login, as.repository);
  const proxy = login.proxy === undefined ? undefined : await checkProxy(parts.outbound, login.proxy.reveal());
  const addresses = await resolveTarget(parts.outbound, url, proxy !== undefined);
  const files = createFiles(parts.spawner);
  try {
    const web = url.transport === 'https' || url.transport === 'http';
    const settings = web
      ? await webSettings(parts, url, { login, addresses, proxy, files })
      : url.transport === 'ssh'
        ? await sshSettings(url, { login, address: addresses[0], knownHosts: parts.trust.knownHosts(), files })
        : { config: [], env: {} };
    return { address: url.text, call: { transport: url.transport, ...settings }, close: () => files.remove() };
  } catch (error) {
    await files.remove();
    throw error;
  }
}

/** Small files that must not outlive a conversation. */
export interface Files {
  /** Writes a file only we can read, and returns its path. */
  write(name: string, content: string): Promise<string>;
  remove(): Promise<void>;
}

function createFiles(spawner: Spawner): Files {
  let scratch: Promise<Scratch> | undefined;
  return {
    async write(name, content) {
      scratch ??= spawner.scratch();
      const path = join((await scratch).path, name);
      await writeFile(path, content, { mode: 0o600, flag: 'wx' });
      return path;
    },
    remove: async () => (await scratch)?.remove(),
  };
}

interface WebParts {
  readonly login: Login;
  readonly addresses: readonly string[];
  readonly proxy: string | undefined;
  readonly files: Files;
}

async function webSettings(
  { trust, githubApps }: ConnectParts,
  url: RepositoryUrl,
  { login, addresses, proxy, files }: WebParts,
): Promise<{ config: GitConfig; env: Record<string, string> }> {
  const config: [string, string][] = [];
  const authorization = await authorizationOf(login, url, githubApps);
  // Scoped to this server: whatever git may be talked into, the header goes nowhere else.
  const origin = `${url.transport}://${url.host}:${url.port}/`;
  if (authorization !== undefined) config.push([`http.${origin}.extraHeader`, `Authorization: ${authorization}`]);
  // Behind a proxy too: its exceptions (noProxy) connect directly.
  if (addresses.length > 0)
    config.push([
      'http.curloptResolve',
      `${url.host.replace(/^\[|\]$/g, '')}:${url.port}:${addresses.map(bracketed).join(',')}`,
    ]);
  config.push(['http.proxy', proxy ?? '']);
  if (login.insecure) config.push(['http.sslVerify', 'false']);
  const ca = trust.caBundle(url.host);
  if (ca !== undefined) config.push(['http.sslCAInfo', await files.write('ca.pem', ca)]);
  if (login.certificate !== undefined) {
    config.push(['http.sslCert', await files.write('client.crt', login.certificate.certificate.reveal())]);
    config.push(['http.sslKey', await files.write('client.key', login.certificate.key.reveal())]);
  }
  return { config, env: { no_proxy: login.noProxy } };
}

/** The header to log in with over https, where the login has one. */
export async function authorizationOf(login: Login, url: RepositoryUrl, apps: GithubApps): Promise<string | undefined> {
  if (login.bearer !== undefined) return `Bearer ${login.bearer.reveal()}`;
  if (login.password !== undefined) return basic(login.username, login.password.reveal());
  if (login.githubApp !== undefined) return basic('x-access-token', (await apps.token(login.githubApp, url)).reveal());
  return undefined;
}

function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

function bracketed(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}

/** Behind a proxy the name is the proxy's to resolve; addresses that we can see are still checked. */
async function resolveTarget(outbound: Outbound, url: RepositoryUrl, proxied: boolean): Promise<readonly string[]> {
  try {
    return await outbound.check(url);
  } catch (error) {
    if (proxied && error instanceof ArgosyError && error.code === 'git-unreachable') return [];
    throw error;
  }
}

async function checkProxy(outbound: Outbound, text: string): Promise<string> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const schemes = ['http:', 'https:', 'socks5:', 'socks5h:'];
  if (url === undefined || !schemes.includes(url.protocol) || !/^[\x21-\x7e]+$/.test(text))
    throw new ArgosyError('config-invalid', 'the proxy of the repository is not a http, https or socks5 address');
  const port =
    url.port === '' ? (url.protocol === 'https:' ? 443 : url.protocol === 'http:' ? 80 : 1080) : Number(url.port);
  await outbound.checkHost({ host: url.hostname.toLowerCase(), port });
  return text;
}
