const formats = new Map<string, Intl.DateTimeFormat | undefined>();

/**
 * How far a time zone's clock is ahead of UTC at an instant, in milliseconds; undefined for an unknown zone.
 * The tables come with the runtime; the instant is always given, so the answer is a function of its arguments.
 */
export function zoneOffset(zone: string, instant: number): number | undefined {
  if (zone === '' || zone === 'UTC') return 0;
  const format = formatOf(zone);
  if (format === undefined) return undefined;
  const part: { [type: string]: number } = {};
  for (const { type, value } of format.formatToParts(new Date(instant))) part[type] = Number(value);
  const wall = Date.UTC(
    part['year'] ?? 0,
    (part['month'] ?? 1) - 1,
    part['day'] ?? 1,
    part['hour'] ?? 0,
    part['minute'] ?? 0,
    part['second'] ?? 0,
  );
  return wall - Math.floor(instant / 1000) * 1000;
}

/** Making a format is dear and zones are few; names that are no zone are not kept, a project could invent them without end. */
function formatOf(zone: string): Intl.DateTimeFormat | undefined {
  const known = formats.get(zone);
  if (known !== undefined || zone.length > 64 || !/^[A-Za-z][A-Za-z0-9_+\-/]*$/.test(zone)) return known;
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formats.set(zone, format);
    return format;
  } catch {
    return undefined;
  }
}
