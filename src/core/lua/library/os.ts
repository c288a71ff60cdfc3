import { LuaTable, type LuaValue } from '../table.ts';
import type { Arguments, Implementation } from './arguments.ts';

/** `os.time`, `os.date`, `os.difftime` and `os.clock`, and nothing that reaches outside; all times are UTC. */
export const os: Readonly<Record<string, Implementation>> = {
  clock: (args) => args.machine.steps / 1_000_000,
  date: (args) => date(args),
  difftime: (args) => args.number(1) - args.number(2, 0),
  time: (args) => (args.at(1) === undefined ? Math.floor(args.machine.now()) : timeOf(args)),
};

function timeOf(args: Arguments): LuaValue {
  const table = args.table(1);
  const field = (name: string, absent?: number): number => {
    const value = Number(table.get(name) ?? absent);
    if (!Number.isFinite(value)) throw args.machine.fault(`field '${name}' missing in date table`);
    return value;
  };
  const day = [field('year'), field('month') - 1, field('day')] as const;
  return Math.floor(Date.UTC(...day, field('hour', 12), field('min', 0), field('sec', 0)) / 1000);
}

const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

const two = (value: number): string => String(value).padStart(2, '0');

/** What each conversion of a format prints. */
const conversions: Readonly<Record<string, (date: Date) => string>> = {
  a: (date) => (days[date.getUTCDay()] ?? '').slice(0, 3),
  A: (date) => days[date.getUTCDay()] ?? '',
  b: (date) => (months[date.getUTCMonth()] ?? '').slice(0, 3),
  B: (date) => months[date.getUTCMonth()] ?? '',
  c: (date) => date.toUTCString(),
  d: (date) => two(date.getUTCDate()),
  F: (date) => date.toISOString().slice(0, 10),
  H: (date) => two(date.getUTCHours()),
  I: (date) => two(date.getUTCHours() % 12 || 12),
  j: (date) => String(dayOfYear(date)).padStart(3, '0'),
  m: (date) => two(date.getUTCMonth() + 1),
  M: (date) => two(date.getUTCMinutes()),
  p: (date) => (date.getUTCHours() < 12 ? 'AM' : 'PM'),
  S: (date) => two(date.getUTCSeconds()),
  T: (date) => date.toISOString().slice(11, 19),
  w: (date) => String(date.getUTCDay()),
  x: (date) => date.toISOString().slice(0, 10),
  X: (date) => date.toISOString().slice(11, 19),
  y: (date) => two(date.getUTCFullYear() % 100),
  Y: (date) => String(date.getUTCFullYear()),
  z: () => '+0000',
  Z: () => 'UTC',
  '%': () => '%',
};

function date(args: Arguments): LuaValue {
  const format = args.text(1, '%c').replace(/^!/, '');
  const when = new Date(args.number(2, Math.floor(args.machine.now())) * 1000);
  if (Number.isNaN(when.getTime())) throw args.bad(2, 'time out of range');
  if (format.startsWith('*t')) return fieldsOf(when);
  args.machine.allocate(format.length * 10);
  return format.replaceAll(/%(.)/gs, (_all, letter: string) => {
    const print = Object.hasOwn(conversions, letter) ? conversions[letter] : undefined;
    if (print === undefined) throw args.bad(1, `invalid conversion specifier '%${letter}'`);
    return print(when);
  });
}

function fieldsOf(date: Date): LuaTable {
  const table = new LuaTable();
  table.set('year', date.getUTCFullYear());
  table.set('month', date.getUTCMonth() + 1);
  table.set('day', date.getUTCDate());
  table.set('hour', date.getUTCHours());
  table.set('min', date.getUTCMinutes());
  table.set('sec', date.getUTCSeconds());
  table.set('wday', date.getUTCDay() + 1);
  table.set('yday', dayOfYear(date));
  table.set('isdst', false);
  return table;
}

function dayOfYear(date: Date): number {
  return Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000) + 1;
}
