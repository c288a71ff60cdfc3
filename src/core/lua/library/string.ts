import { LuaFunction } from '../function.ts';
import type { Machine } from '../machine.ts';
import { call, index } from '../operations.ts';
import { LuaTable, type LuaValue } from '../table.ts';
import { textOf, typeName } from '../text.ts';
import { type Arguments, type Implementation, libraryFunction } from './arguments.ts';
import { format } from './format.ts';
import { type Match, Matcher } from './pattern.ts';

/** `string.*`; what makes long texts is counted before it makes them. */
export const string: Readonly<Record<string, Implementation>> = {
  byte: (args) => {
    const text = args.text(1);
    const from = args.whole(2, 1);
    const [start, end] = range(text, from, args.whole(3, from));
    args.machine.charge(end - start);
    args.machine.allocate((end - start) * 8);
    return [...text.slice(start, end)].map((character) => character.charCodeAt(0));
  },
  char: (args) => String.fromCharCode(...args.values.map((_value, i) => args.whole(i + 1) & 0xff)),
  find: (args) => find(args),
  format,
  gmatch: (args) => allMatches(args),
  gsub: (args) => substitute(args),
  len: (args) => args.text(1).length,
  lower: (args) => sized(args, (text) => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())),
  match: (args) => {
    const text = args.text(1);
    const found = new Matcher(args.machine, text, args.text(2)).find(startOf(text, args.whole(3, 1)));
    return found === undefined ? undefined : wholeOrCaptures(args.machine, text, found);
  },
  rep: (args) => {
    const [text, separator] = [args.text(1), args.text(3, '')];
    const count = Math.max(0, args.whole(2));
    // Asked before it is made: a single call could otherwise take all memory.
    args.machine.allocate(count * (text.length + separator.length));
    if (count === 0) return '';
    return separator === '' ? text.repeat(count) : (text + separator).repeat(count - 1) + text;
  },
  reverse: (args) => sized(args, (text) => [...text].reverse().join('')),
  sub: (args) => {
    const text = args.text(1);
    const [start, end] = range(text, args.whole(2, 1), args.whole(3, -1));
    args.machine.allocate(end - start);
    return text.slice(start, end);
  },
  upper: (args) => sized(args, (text) => text.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase())),
};

function sized(args: Arguments, change: (text: string) => string): string {
  const text = args.text(1);
  args.machine.allocate(text.length);
  args.machine.charge(text.length >> 4);
  return change(text);
}

/** Positions from 1 on, or from the end where negative, as a half-open range from 0 on. */
function range(text: string, from: number, to: number): [start: number, end: number] {
  const start = Math.max(1, from < 0 ? text.length + from + 1 : from);
  const end = Math.min(text.length, to < 0 ? text.length + to + 1 : to);
  return start > end ? [0, 0] : [start - 1, end];
}

function startOf(text: string, from: number): number {
  return Math.max(0, from < 0 ? text.length + from : from - 1);
}

const specials = /[\^$*+?.()[\]%-]/;

function find(args: Arguments): readonly LuaValue[] | LuaValue {
  const [text, pattern] = [args.text(1), args.text(2)];
  const from = startOf(text, args.whole(3, 1));
  if (from > text.length) return undefined;
  const plain = args.at(4) !== undefined && args.at(4) !== false;
  if (plain || !specials.test(pattern)) {
    args.machine.charge(((text.length - from) >> 4) * (1 + (pattern.length >> 4)));
    const at = text.indexOf(pattern, from);
    return at < 0 ? undefined : [at + 1, at + pattern.length];
  }
  const found = new Matcher(args.machine, text, pattern).find(from);
  return found === undefined ? undefined : [found.start + 1, found.end, ...found.captures];
}

function wholeOrCaptures(machine: Machine, text: string, { start, end, captures }: Match): readonly LuaValue[] {
  if (captures.length > 0) return captures;
  machine.allocate(end - start);
  return [text.slice(start, end)];
}

/** Every match in turn; after an empty one the search goes on a character later. */
function* matches(machine: Machine, text: string, pattern: string): Generator<Match> {
  const matcher = new Matcher(machine, text, pattern);
  let from = 0;
  while (from <= text.length) {
    const found = matcher.find(from);
    if (found === undefined) return;
    yield found;
    from = found.end > found.start ? found.end : found.end + 1;
    if (pattern.startsWith('^')) return;
  }
}

function allMatches(args: Arguments): LuaFunction {
  const [text, pattern] = [args.text(1), args.text(2)];
  const all = matches(args.machine, text, pattern);
  return libraryFunction('gmatch', ({ machine }) => {
    const next = all.next();
    return next.done === true ? undefined : wholeOrCaptures(machine, text, next.value);
  });
}

function substitute(args: Arguments): readonly LuaValue[] {
  const { machine } = args;
  const [text, pattern, most] = [args.text(1), args.text(2), args.number(4, Number.POSITIVE_INFINITY)];
  const replacement = replacer(args);
  const parts: string[] = [];
  let [count, done] = [0, 0];
  if (most > 0) {
    for (const found of matches(machine, text, pattern)) {
      const part = replacement(found);
      machine.allocate(found.start - done + part.length);
      parts.push(text.slice(done, found.start), part);
      done = found.end;
      count += 1;
      if (count >= most) break;
    }
  }
  machine.allocate(text.length - done);
  parts.push(text.slice(done));
  return [parts.join(''), count];
}

/** What takes the place of a match: a template, an entry of a table, or what a function answers; nil and false keep it. */
function replacer(args: Arguments): (found: Match) => string {
  const { machine } = args;
  const text = args.text(1);
  const by = args.at(3);
  const place = { line: machine.line, what: 'replacement' };
  const template = textOf(by);
  if (template !== undefined) return (found) => filled(args, template, found);
  const answer = (values: readonly LuaValue[]): LuaValue => {
    if (by instanceof LuaTable) return index(machine, by, values[0], place);
    if (by instanceof LuaFunction) return call(machine, by, values, place)[0];
    throw args.bad(3, `string, function or table expected, got ${typeName(by)}`);
  };
  return (found) => {
    const value = answer(wholeOrCaptures(machine, text, found));
    if (value === undefined || value === false) return text.slice(found.start, found.end);
    const result = textOf(value);
    if (result === undefined) throw machine.fault(`invalid replacement value (a ${typeName(value)})`);
    return result;
  };
}

function filled(args: Arguments, template: string, found: Match): string {
  const plain = !template.includes('%');
  args.machine.charge(plain ? template.length >> 4 : template.length);
  if (plain) return template;
  const whole = args.text(1).slice(found.start, found.end);
  return template.replaceAll(/%(.?)/gs, (_all, character: string) => {
    if (character === '%') return '%';
    const number = character >= '0' && character <= '9' ? Number(character) : undefined;
    if (number === undefined) throw args.machine.fault("invalid use of '%' in replacement string");
    const value = number === 0 || (number === 1 && found.captures.length === 0) ? whole : found.captures[number - 1];
    const part = textOf(value);
    if (part === undefined) throw args.machine.fault(`invalid capture index %${number} in replacement string`);
    // Counted here: a template of many captures could grow past all bounds before it is whole.
    args.machine.allocate(part.length);
    return part;
  });
}
