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
  return fragment === undefined || fragment === '' ? body : `${body}#${printPart(fragment, isFragmentChar)}`;
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
  if (!rest.startsWith('//') || (scheme === '' && rest.startsWith('///'))) return printPlain(head, rest, tail);
  const slash = rest.indexOf('/', 2);
  const authority = printAuthority(rest.slice(2, slash < 0 ? undefined : slash));
  const path = printPath(slash < 0 ? '' : rest.slice(slash));
  if (authority === undefined || path === undefined) return undefined;
  const empty = authority === '' && path === '';
  return `${head}${empty && scheme !== '' ? '//' : empty ? '' : `//${authority}${path}`}${tail}`;
}

function printPlain(head: string, rest: string, tail: string): string | undefined {
  const path = printPath(rest);
  if (path === undefined) return undefined;
  // Go writes an empty host for every scheme that has a path, and keeps a path of two slashes from posing as one.
  const slashes = path !== '' && (head === '' ? path.startsWith('//') : false) ? '//' : '';
  return `${head}${slashes}${path}${tail}`;
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

/** Characters a host may hold as they are; a percent sign only before a non-ASCII byte. */
const hostChar = /^[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"\u0080-\u{10ffff}]*$/u;

function printHost(host: string): string | undefined {
  const bracket = host.startsWith('[') ? host.lastIndexOf(']') : -1;
  if (host.startsWith('[') && bracket < 0) return undefined;
  const colon = host.lastIndexOf(':');
  const port = bracket >= 0 ? host.slice(bracket + 1) : colon < 0 ? '' : host.slice(colon);
  if (!/^(:\d*)?$/.test(port)) return undefined;
  if (host.includes('%')) return undefined; // escapes and zones in hosts have no use in a repository's address
  if (!hostChar.test(host)) return undefined;
  return escaped(host, (char) => hostChar.test(char) && char.charCodeAt(0) < 128);
}

/** As written where every character may stand in a path, else escaped anew. */
function printPath(path: string): string | undefined {
  return unescaped(path) === undefined ? undefined : printPart(path, isPathChar);
}

function printPart(raw: string, plain: (char: string) => boolean): string {
  if (/^[A-Za-z0-9\-_.~!$&'()*+,;=:@/%[\]]*$/.test(raw)) return raw;
  return escaped(unescaped(raw) ?? '', plain);
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

/** Decodes `%XX`; undefined where one is malformed. Bytes stand as characters below 256, other text as its own bytes. */
function unescaped(text: string): string | undefined {
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) return undefined;
  const bytes = utf8(text);
  return bytes.replaceAll(/%([0-9A-Fa-f]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function escaped(bytes: string, plain: (char: string) => boolean): string {
  let printed = '';
  for (const char of utf8IfWide(bytes)) {
    const code = char.charCodeAt(0);
    printed += code < 128 && plain(char) ? char : `%${code.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return printed;
}

function utf8IfWide(text: string): string {
  return /[\u0100-\u{10ffff}]/u.test(text) ? utf8(text) : text;
}

/** A text as its UTF-8 bytes, one character each. */
function utf8(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
}
