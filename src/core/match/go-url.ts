/**
 * Parses a URL as Go's `net/url` does and prints it again; undefined where Go refuses it. Argo CD compares what this
 * answers, so its ways count: a path with a character that must be escaped is escaped throughout, a `*` in it included.
 */
export function printGoUrl(written: string): string | undefined {
  const [url, fragment] = splitAt(written, '#');
  if (hasControl(url)) return undefined;
  if (fragment !== undefined && unescaped(fragment) === undefined) return undefined;
  const body = url === '*' ? '*' : printBody(url);
  if (body === undefined) return undefined;
  return fragment === undefined || fragment === ''
    ? body
    : `${body}#${printPart(fragment, fragmentAsWritten, isFragmentChar)}`;
}

function printBody(url: string): string | undefined {
  const split = splitScheme(url);
  if (split === undefined) return undefined;
  const { scheme } = split;
  const [rest, query] = splitAt(split.rest, '?');
  const tail = query === undefined ? '' : `?${query}`;
  if (!rest.startsWith('/')) {
    if (scheme !== '') return `${scheme}:${rest}${tail}`;
    if (firstSegment(rest).includes(':')) return undefined;
  }
  const head = scheme === '' ? '' : `${scheme}:`;
  if (!rest.startsWith('//') || (scheme === '' && rest.startsWith('///'))) {
    const path = printPath(rest);
    return path === undefined ? undefined : `${head}${path}${tail}`;
  }
  const slash = rest.indexOf('/', 2);
  const authority = printAuthority(rest.slice(2, slash < 0 ? undefined : slash));
  const path = printPath(slash < 0 ? '' : rest.slice(slash));
  if (authority === undefined || path === undefined) return undefined;
  const slashes = authority === '' && path === '' ? '' : '//';
  return `${head}${slashes}${authority}${path}${tail}`;
}

function splitAt(text: string, mark: string): readonly [string, string | undefined] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

function splitScheme(url: string): { readonly scheme: string; readonly rest: string } | undefined {
  if (url.startsWith(':')) return undefined;
  const found = /^([a-z][a-z0-9+.-]*):/i.exec(url);
  if (found === null) return { scheme: '', rest: url };
  return { scheme: (found[1] ?? '').toLowerCase(), rest: url.slice(found[0].length) };
}

function firstSegment(path: string): string {
  return splitAt(path, '/')[0];
}

function hasControl(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 32 || code === 127) return true;
  }
  return false;
}

function printAuthority(authority: string): string | undefined {
  const at = authority.lastIndexOf('@');
  const host = printHost(authority.slice(at + 1));
  if (host === undefined) return undefined;
  if (at < 0) return host;
  const user = authority.slice(0, at);
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user)) return undefined;
  const [name, password] = splitAt(user, ':');
  const parts = [name, password].map((part) => (part === undefined ? undefined : unescaped(part)));
  if (parts[0] === undefined || (password !== undefined && parts[1] === undefined)) return undefined;
  const printed = [parts[0], parts[1]].map((part) => (part === undefined ? undefined : escaped(part, isUserChar)));
  return `${printed[0]}${printed[1] === undefined ? '' : `:${printed[1]}`}@${host}`;
}

/** What a host may hold as it is; escapes and zones in hosts have no use in a repository's address. */
const hostChars = /^[A-Za-z0-9\-_.~!$&'()*+,;=:<>"\u0080-\u{10ffff}]*$/u;
const ipv6Host = /^\[(?=[0-9a-f:.]*:[0-9a-f:.]*:)[0-9a-f:.]{2,45}\](:\d*)?$/i;

function printHost(host: string): string | undefined {
  if (host.startsWith('[')) return ipv6Host.test(host) ? host : undefined;
  const colon = host.lastIndexOf(':');
  const port = colon < 0 ? '' : host.slice(colon);
  if (!/^(:\d*)?$/.test(port) || !hostChars.test(host)) return undefined;
  return escaped(utf8(host), (char) => hostChars.test(char));
}

/** As written where every character may stand in a path, else escaped anew. */
function printPath(path: string): string | undefined {
  return unescaped(path) === undefined ? undefined : printPart(path, pathAsWritten, isPathChar);
}

const pathAsWritten = /^[A-Za-z0-9\-_.~!$&'()*+,;=:@/%[\]]*$/;
const fragmentAsWritten = /^[A-Za-z0-9\-_.~!$&'()*+,;=:@/%[\]?]*$/;

function printPart(raw: string, asWritten: RegExp, plain: (char: string) => boolean): string {
  return asWritten.test(raw) ? raw : escaped(unescaped(raw) ?? '', plain);
}

function isPathChar(char: string): boolean {
  return /[A-Za-z0-9\-_.~$&+,/:;=@]/.test(char);
}

function isFragmentChar(char: string): boolean {
  return /[A-Za-z0-9\-_.~$&+,/:;=?@!()*]/.test(char);
}

function isUserChar(char: string): boolean {
  return /[A-Za-z0-9\-_.~$&+,;=]/.test(char);
}

/** Decodes `%XX`; undefined where one is malformed. Each byte of the answer is one character. */
function unescaped(text: string): string | undefined {
  const bytes = utf8(text);
  if (!text.includes('%')) return bytes;
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) return undefined;
  return bytes.replaceAll(/%([0-9A-Fa-f]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** Escapes a text of bytes. */
function escaped(bytes: string, plain: (char: string) => boolean): string {
  let printed = '';
  for (const char of bytes) {
    const code = char.charCodeAt(0);
    printed += code < 128 && plain(char) ? char : `%${code.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return printed;
}

/** A text as its UTF-8 bytes, one character each. */
function utf8(text: string): string {
  if (isAscii(text)) return text;
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) return false;
  return true;
}
