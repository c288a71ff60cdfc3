const units: ReadonlyMap<string, number> = new Map([
  ['ns', 1e-6],
  ['us', 1e-3],
  ['µs', 1e-3],
  ['μs', 1e-3],
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
]);

/** Longest duration Go can hold, about 292 years. */
const longest = (2 ** 63 - 1) / 1e6;

/** Reads a duration as Go writes it (`1h30m`, `500ms`, `0`) into milliseconds; undefined where it is none. */
export function parseDuration(written: string): number | undefined {
  const negative = written.startsWith('-');
  const body = /^[+-]/.test(written) ? written.slice(1) : written;
  if (body === '0') return 0;
  if (body === '' || body.length > 100) return undefined;
  const part = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y;
  let total = 0;
  while (part.lastIndex < body.length) {
    const found = part.exec(body);
    if (found === null) return undefined;
    total += Number(found[1]) * (units.get(found[2] ?? '') ?? Number.NaN);
  }
  if (!Number.isFinite(total) || total > longest) return undefined;
  return negative ? -total : total;
}
