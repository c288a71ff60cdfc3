import { BlockList, isIP } from 'node:net';

const forbidden = new BlockList();
// "This host", loopback, link-local with the clouds' metadata, multicast and broadcast.
forbidden.addSubnet('0.0.0.0', 8, 'ipv4');
forbidden.addSubnet('127.0.0.0', 8, 'ipv4');
forbidden.addSubnet('169.254.0.0', 16, 'ipv4');
forbidden.addSubnet('224.0.0.0', 4, 'ipv4');
forbidden.addAddress('255.255.255.255', 'ipv4');
// Metadata services that live outside link-local: two clouds' own.
forbidden.addAddress('100.100.100.200', 'ipv4');
forbidden.addAddress('168.63.129.16', 'ipv4');
forbidden.addAddress('::', 'ipv6');
forbidden.addAddress('::1', 'ipv6');
forbidden.addSubnet('fe80::', 10, 'ipv6');
forbidden.addSubnet('ff00::', 8, 'ipv6');
forbidden.addAddress('fd00:ec2::254', 'ipv6');
// Ways to write an IPv4 address as IPv6: mapped, compatible, translated, 6to4, Teredo.
forbidden.addSubnet('::ffff:0:0:0', 96, 'ipv6');
forbidden.addSubnet('2001::', 32, 'ipv6');

/** Whether an address is one that no source may lead to: this machine, its link, or a cloud's metadata. */
export function isForbiddenAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 0) return true;
  if (family === 4) return forbidden.check(address, 'ipv4');
  const inner = embeddedIpv4(address);
  return forbidden.check(address, 'ipv6') || (inner !== undefined && forbidden.check(inner, 'ipv4'));
}

/** The IPv4 address inside an IPv6 one, where the form is one of those that carry one. */
function embeddedIpv4(address: string): string | undefined {
  const words = expand(address);
  if (words === undefined) return undefined;
  const [a, b, c] = words;
  const zeros = words.slice(0, 5).every((word) => word === 0);
  if (zeros && (words[5] === 0xffff || words[5] === 0)) return dotted(words[6], words[7]);
  if (a === 0x64 && b === 0xff9b) return dotted(words[6], words[7]);
  return a === 0x2002 ? dotted(b, c) : undefined;
}

function expand(address: string): number[] | undefined {
  const plain = address.replace(/%.*$/, '').replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...octets: string[]) => {
    const [w = 0, x = 0, y = 0, z = 0] = octets.slice(0, 4).map(Number);
    return `${((w << 8) | x).toString(16)}:${((y << 8) | z).toString(16)}`;
  });
  const [head = '', tail] = plain.split('::');
  const words = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((word) => Number.parseInt(word, 16));
  const [left, right] = [words(head), words(tail ?? '')];
  const gap = tail === undefined ? 0 : 8 - left.length - right.length;
  const all = [...left, ...Array.from({ length: Math.max(gap, 0) }, () => 0), ...right];
  return all.length === 8 ? all : undefined;
}

function dotted(high = 0, low = 0): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
