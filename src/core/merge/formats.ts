const hostname = /^([a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)(\.[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*\.?$/;
const uuid = (version: string): RegExp =>
  new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$`, 'i');
const anyUuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** The formats the API server checks; others are notes to the reader. */
const formats: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['date-time', isDateTime],
  ['datetime', isDateTime],
  ['date', (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && isRealDate(text)],
  ['duration', isDuration],
  ['byte', isBase64],
  ['uri', isUri],
  ['email', (text) => /^[^\s@<>]+@[^\s@<>]+$/.test(text)],
  ['hostname', (text) => text.length <= 255 && hostname.test(text)],
  ['ipv4', isIpv4],
  ['ipv6', (text) => text.includes(':') && isIpv6(text)],
  ['ip', (text) => isIpv4(text) || isIpv6(text)],
  ['cidr', isCidr],
  ['mac', (text) => /^([0-9a-f]{2}[:-]){5}[0-9a-f]{2}$/i.test(text)],
  ['uuid', (text) => anyUuid.test(text)],
  ['uuid3', (text) => uuid('3').test(text)],
  ['uuid4', (text) => uuid('4').test(text)],
  ['uuid5', (text) => uuid('5').test(text)],
  ['bsonobjectid', (text) => /^[0-9a-f]{24}$/i.test(text)],
  ['hexcolor', (text) => /^#?([0-9a-f]{3}|[0-9a-f]{6})$/i.test(text)],
  ['k8s-short-name', (text) => text.length <= 63 && label.test(text)],
  ['k8s-long-name', (text) => text.length <= 253 && text.split('.').every((part) => label.test(part))],
]);

/** Tells whether a text has a format; formats nobody checks are always had. */
export function hasFormat(text: string, format: string): boolean {
  return formats.get(format)?.(text) ?? true;
}

function isDateTime(text: string): boolean {
  return (
    /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:?\d{2})$/.test(text) &&
    isRealDate(text.slice(0, 10))
  );
}

function isRealDate(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function isDuration(text: string): boolean {
  return (
    text === '0' ||
    /^[+-]?(\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))*$/.test(text) ||
    /^\d+\s*(ns|nano|us|micro|ms|milli|s|sec|secs|second|seconds|m|min|mins|minute|minutes|h|hr|hour|hours|d|day|days|w|wk|week|weeks)$/.test(
      text,
    )
  );
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

function isUri(text: string): boolean {
  return /^([a-zA-Z][a-zA-Z0-9+.-]*:[^\s]*|\/[^\s]*)$/.test(text);
}

function isIpv4(text: string): boolean {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
}

function isIpv6(text: string): boolean {
  const halves = text.split('::');
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const tail = groups.at(-1) ?? '';
  const dotted = tail.includes('.');
  const plain = dotted ? groups.slice(0, -1) : groups;
  if (dotted && !isIpv4(tail)) return false;
  const size = plain.length + (dotted ? 2 : 0);
  const fits = halves.length === 2 ? size <= 7 : size === 8;
  return fits && plain.every((group) => /^[0-9a-f]{1,4}$/i.test(group));
}

function isCidr(text: string): boolean {
  const [address = '', bits = '', ...rest] = text.split('/');
  if (rest.length > 0 || !/^\d{1,3}$/.test(bits)) return false;
  return isIpv4(address) ? Number(bits) <= 32 : isIpv6(address) && Number(bits) <= 128;
}
