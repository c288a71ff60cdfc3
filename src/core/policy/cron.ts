/** A five-field schedule, each field as the set of its permitted values (bit n = value n). */
export interface Cron {
  readonly minute: bigint;
  readonly hour: bigint;
  readonly day: bigint;
  readonly month: bigint;
  readonly weekday: bigint;
  /** A day field written as `*` does not restrict; two restricted ones are joined by *or*, as cron does. */
  readonly anyDay: boolean;
  readonly anyWeekday: boolean;
}

interface Range {
  readonly low: number;
  readonly high: number;
  readonly names?: readonly string[];
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const ranges: readonly Range[] = [
  { low: 0, high: 59 },
  { low: 0, high: 23 },
  { low: 1, high: 31 },
  { low: 1, high: 12, names: months },
  { low: 0, high: 6, names: weekdays },
];

/** Reads a five-field schedule; descriptors such as `@daily` are not part of the dialect. */
export function parseCron(text: string): Cron | undefined {
  if (text.length > 256) return undefined;
  const fields = text.trim().split(/[ \t]+/);
  if (fields.length !== 5) return undefined;
  const sets: bigint[] = [];
  for (const [i, field] of fields.entries()) {
    const range = ranges[i];
    const set = range === undefined ? undefined : parseField(field, range);
    if (set === undefined) return undefined;
    sets.push(set);
  }
  const [minute = 0n, hour = 0n, day = 0n, month = 0n, weekday = 0n] = sets;
  return { minute, hour, day, month, weekday, anyDay: isStar(fields[2]), anyWeekday: isStar(fields[4]) };
}

/** A star with a step restricts, as in the library Argo CD uses. */
function isStar(field: string | undefined): boolean {
  return field?.split(',').some((item) => /^[*?](\/1)?$/.test(item)) ?? false;
}

function parseField(field: string, range: Range): bigint | undefined {
  let set = 0n;
  for (const item of field.split(',')) {
    const values = parseItem(item, range);
    if (values === undefined) return undefined;
    set |= values;
  }
  return set;
}

/** One of `*`, `a`, `a-b`, each with an optional `/step`; `a/step` runs to the end of the field. */
function parseItem(item: string, range: Range): bigint | undefined {
  const [span = '', stepText, ...rest] = item.split('/');
  const step = stepText === undefined ? 1 : parseNumber(stepText, { low: 1, high: range.high });
  if (rest.length > 0 || step === undefined) return undefined;
  const bounds = parseSpan(span, range, stepText !== undefined);
  if (bounds === undefined) return undefined;
  let set = 0n;
  for (let value = bounds[0]; value <= bounds[1]; value += step) set |= 1n << BigInt(value);
  return set;
}

function parseSpan(span: string, range: Range, stepped: boolean): readonly [number, number] | undefined {
  if (span === '*' || span === '?') return [range.low, range.high];
  const [from, to, ...rest] = span.split('-');
  const low = parseNumber(from ?? '', range);
  if (low === undefined || rest.length > 0) return undefined;
  if (to === undefined) return [low, stepped ? range.high : low];
  const high = parseNumber(to, range);
  return high === undefined || high < low ? undefined : [low, high];
}

function parseNumber(text: string, range: Range): number | undefined {
  const named = range.names?.indexOf(text.toLowerCase()) ?? -1;
  const value = named >= 0 ? named + range.low : /^\d{1,4}$/.test(text) ? Number(text) : -1;
  return value >= range.low && value <= range.high ? value : undefined;
}

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** A schedule such as 29 February on a Monday may be years away; past this there is none. */
const horizonDays = 366 * 8;

/** The first scheduled minute strictly after an instant, both as milliseconds of a UTC wall clock. */
export function nextStart(cron: Cron, after: number): number | undefined {
  let at = Math.floor(after / minuteMs) * minuteMs + minuteMs;
  const end = at + horizonDays * dayMs;
  while (at < end) {
    const time = new Date(at);
    if (!has(cron.month, time.getUTCMonth() + 1)) {
      at = Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + 1, 1);
    } else if (!onDay(cron, time)) {
      at = (Math.floor(at / dayMs) + 1) * dayMs;
    } else if (!has(cron.hour, time.getUTCHours())) {
      at = (Math.floor(at / (60 * minuteMs)) + 1) * 60 * minuteMs;
    } else if (!has(cron.minute, time.getUTCMinutes())) {
      at += minuteMs;
    } else return at;
  }
  return undefined;
}

function onDay(cron: Cron, time: Date): boolean {
  const day = has(cron.day, time.getUTCDate());
  const weekday = has(cron.weekday, time.getUTCDay());
  return cron.anyDay || cron.anyWeekday ? day && weekday : day || weekday;
}

function has(set: bigint, value: number): boolean {
  return ((set >> BigInt(value)) & 1n) === 1n;
}
