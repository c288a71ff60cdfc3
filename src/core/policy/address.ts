/** What an IP address is for us; `private` ranges are ordinary networks. */
export type AddressClass = 'loopback' | 'link-local' | 'metadata' | 'unspecified' | 'multicast' | 'ordinary';

/** Addresses where clouds answer with credentials of the machine, beyond the link-local one. */
const metadataHosts: readonly string[] = ['169.254.169.254', '100.100.100.200', '168.63.129.16', '192.0.0.192'];
const metadataV6: readonly string[] = ['fd00:ec2:0:0:0:0:0:254', 'fd00:ec2:0:0:0:0:0:23', 'fd20:ce:0:0:0:0:0:254'];

/** Classifies an IP address; undefined where the text is none. Addresses that wrap an IPv4 one are judged by it. */
export function classifyAddress(text: string): AddressClass | undefined {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  const four = parseIPv4(bare);
  if (four !== undefined) return classifyIPv4(four);
  const groups = parseIPv6(bare.split('%')[0] ?? '');
  return groups === undefined ? undefined : classifyIPv6(groups);
}

/** Reads a dotted address; only the plain decimal form, for a resolver never answers any other. */
function parseIPv4(text: string): readonly number[] | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part))) return undefined;
  const bytes = parts.map(Number);
  return bytes.every((byte) => byte <= 255) ? bytes : undefined;
}

function classifyIPv4(bytes: readonly number[]): AddressClass {
  const [a = 0, b = 0] = bytes;
  if (metadataHosts.includes(bytes.join('.'))) return 'metadata';
  if (a === 127) return 'loopback';
  if (a === 169 && b === 254) return 'link-local';
  if (a === 0) return 'unspecified';
  return a >= 224 ? 'multicast' : 'ordinary';
}

function parseIPv6(text: string): readonly number[] | undefined {
  if (!/^[0-9a-fA-F:.]{2,45}$/.test(text)) return undefined;
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const head = parseGroups(halves[0] ?? '');
  const tail = halves.length === 2 ? parseGroups(halves[1] ?? '') : [];
  if (head === undefined || tail === undefined) return undefined;
  const gap = 8 - head.length - tail.length;
  if (halves.length === 1 ? gap !== 0 : gap < 1) return undefined;
  return [...head, ...new Array<number>(gap).fill(0), ...tail];
}

function parseGroups(text: string): readonly number[] | undefined {
  if (text === '') return [];
  const groups: number[] = [];
  const parts = text.split(':');
  for (const [i, part] of parts.entries()) {
    const four = i === parts.length - 1 ? parseIPv4(part) : undefined;
    if (four !== undefined) groups.push(...pairs(four));
    else if (/^[0-9a-fA-F]{1,4}$/.test(part)) groups.push(Number.parseInt(part, 16));
    else return undefined;
  }
  return groups;
}

function pairs(bytes: readonly number[]): readonly number[] {
  const [a = 0, b = 0, c = 0, d = 0] = bytes;
  return [a * 256 + b, c * 256 + d];
}

function classifyIPv6(groups: readonly number[]): AddressClass {
  const inner = wrappedIPv4(groups);
  if (inner !== undefined) return classifyIPv4(inner);
  const first = groups[0] ?? 0;
  if (groups.slice(0, 7).every((group) => group === 0)) return groups[7] === 0 ? 'unspecified' : 'loopback';
  if (metadataV6.includes(groups.map((group) => group.toString(16)).join(':'))) return 'metadata';
  if ((first & 0xffc0) === 0xfe80) return 'link-local';
  return (first & 0xff00) === 0xff00 ? 'multicast' : 'ordinary';
}

/** The IPv4 address inside a mapped (`::ffff:`), compatible, translated (`64:ff9b::`) or 6to4 (`2002:`) one. */
function wrappedIPv4(groups: readonly number[]): readonly number[] | undefined {
  const [g0 = 0, g1 = 0, g2 = 0, g3 = 0, g4 = 0, g5 = 0, g6 = 0, g7 = 0] = groups;
  const zeros = g0 === 0 && g1 === 0 && g2 === 0 && g3 === 0;
  if (zeros && g4 === 0 && g5 === 0xffff) return bytesOf(g6, g7);
  if (zeros && g4 === 0xffff && g5 === 0) return bytesOf(g6, g7);
  if (zeros && g4 === 0 && g5 === 0 && g6 !== 0) return bytesOf(g6, g7);
  if (g0 === 0x64 && g1 === 0xff9b) return bytesOf(g6, g7);
  return g0 === 0x2002 ? bytesOf(g1, g2) : undefined;
}

function bytesOf(high: number, low: number): readonly number[] {
  return [high >> 8, high & 255, low >> 8, low & 255];
}
