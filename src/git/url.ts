import { ArgosyError } from '../core/errors/index.ts';

/** How a repository is reached. */
export type Transport = 'https' | 'http' | 'ssh' | 'file';

/** The address of a repository, parsed once: policy, credentials and transport all look at this value. */
export interface RepositoryUrl {
  readonly transport: Transport;
  /** Lower case; empty for `file`. */
  readonly host: string;
  readonly port: number;
  /** With a leading slash for https and file; as git wants it for ssh. */
  readonly path: string;
  /** The login of an ssh address. */
  readonly user: string | undefined;
  /** What git is given. Holds no secret. */
  readonly text: string;
  /** Equal for two spellings of one repository. */
  readonly key: string;
}

const defaultPorts: Record<Transport, number> = { https: 443, http: 80, ssh: 22, file: 0 };
const maxLength = 2048;
const hostName = /^(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*\.?$/;
const ipv6 = /^\[[0-9a-f:.]+\]$/;
const login = /^[A-Za-z0-9_][A-Za-z0-9_.+-]*$/;
// Space, control and non-ASCII characters, quotes and backslashes have no business in an address.
const strange = /[^\x21-\x7e]|["'`\\<>^{}|]/;
// Encoded control characters, slashes, backslashes and dots make two readers see two addresses.
const smuggled = /%(?:[01][0-9a-f]|7f|2f|5c|2e|00)/i;

/** Reads an address, or refuses it before any program sees it; the message never quotes it, as it may hold a password. */
export function parseRepositoryUrl(text: string): RepositoryUrl {
  if (text.length === 0) refuse('it is empty');
  if (text.length > maxLength) refuse(`it is longer than ${maxLength} characters`);
  if (strange.test(text)) refuse('it holds spaces, control or special characters');
  if (smuggled.test(text)) refuse('it holds encoded control characters, slashes or dots');
  if (text.startsWith('-')) refuse('it begins with a dash');
  if (text.includes('::')) {
    if (!/^[a-z]+:\/\/(?:[^/@]*@)?\[/.test(text)) refuse('transport helpers are not permitted');
  }
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) return parseScp(text);
  const rest = text.slice(scheme.length + 3);
  if (scheme === 'file') return fileUrl(rest);
  if (scheme === 'https' || scheme === 'http') return webUrl(scheme, rest);
  if (scheme === 'ssh' || scheme === 'git+ssh') return sshUrl(rest);
  return refuse('only https, ssh and file addresses are known');
}

function webUrl(transport: 'https' | 'http', rest: string): RepositoryUrl {
  const { user, host, port, path } = split(transport, rest);
  if (user !== undefined) refuse('it holds a user part; put user name and password into the repository Secret');
  checkPath(path);
  const authority = port === defaultPorts[transport] ? host : `${host}:${port}`;
  return {
    transport,
    host,
    port,
    path,
    user: undefined,
    text: `${transport}://${authority}${path}`,
    key: `${transport}://${authority}/${bare(path)}`,
  };
}

function sshUrl(rest: string): RepositoryUrl {
  const { user, host, port, path } = split('ssh', rest);
  checkPath(path);
  const name = user ?? 'git';
  if (!login.test(name)) refuse('the user name is malformed or holds a password');
  const authority = port === 22 ? host : `${host}:${port}`;
  return {
    transport: 'ssh',
    host,
    port,
    path,
    user: name,
    text: `ssh://${name}@${authority}${path}`,
    key: `ssh://${name}@${authority}/${bare(path)}`,
  };
}

/** `git@host:path`: always turned into the ssh:// form, so that there is one reading of it. */
function parseScp(text: string): RepositoryUrl {
  const match = /^(?:([^@:/]+)@)?([^@:/]+):(?!\/\/)(.+)$/.exec(text);
  if (match === null) refuse('it is neither a URL nor of the form user@host:path');
  const [, user, host, path] = match ?? [];
  // A word and a colon are a scheme we do not know rather than a machine of that name.
  if (user === undefined && host?.includes('.') !== true) refuse('only https, ssh and file addresses are known');
  return sshUrl(`${user === undefined ? '' : `${user}@`}${host}/${(path ?? '').replace(/^\/+/, '')}`);
}

function fileUrl(rest: string): RepositoryUrl {
  const path = rest.startsWith('localhost/') ? rest.slice('localhost'.length) : rest;
  if (!path.startsWith('/')) refuse('a file address needs an absolute path');
  checkPath(path);
  return {
    transport: 'file',
    host: '',
    port: 0,
    path,
    user: undefined,
    text: `file://${path}`,
    key: `file:///${bare(path)}`,
  };
}

function split(
  transport: Transport,
  rest: string,
): { user: string | undefined; host: string; port: number; path: string } {
  const slash = rest.indexOf('/');
  if (slash < 0) refuse('it names no repository');
  const authority = rest.slice(0, slash);
  const at = authority.lastIndexOf('@');
  const user = at < 0 ? undefined : authority.slice(0, at);
  const match = /^(\[[^\]]*\]|[^:]*)(?::([0-9]{1,5}))?$/.exec(authority.slice(at + 1).toLowerCase());
  const host = match?.[1] ?? '';
  const port = match?.[2] === undefined ? defaultPorts[transport] : Number(match[2]);
  if (!hostName.test(host) && !ipv6.test(host)) refuse('the host name is malformed');
  if (port < 1 || port > 65535) refuse('the port is malformed');
  return { user, host, port, path: rest.slice(slash) };
}

function checkPath(path: string): void {
  if (/[?#]/.test(path)) refuse('it holds a query or fragment');
  const segments = path.split('/');
  if (segments.some((segment) => segment === '.' || segment === '..')) refuse('its path holds dot segments');
  if (segments.some((segment) => segment.startsWith('-'))) refuse('a part of its path begins with a dash');
  if (bare(path) === '') refuse('it names no repository');
}

function bare(path: string): string {
  return path
    .replace(/\/{2,}/g, '/')
    .replace(/^\/|\/$/g, '')
    .replace(/\.git$/, '');
}

function refuse(why: string): never {
  throw new ArgosyError('git-refused', `the repository address is not permitted: ${why}`, { fault: 'user' });
}
