import { LuaFunction } from '../function.ts';
import { entryBytes, type Machine } from '../machine.ts';
import { call, less, put } from '../operations.ts';
import { LuaTable, type LuaValue } from '../table.ts';
import { textOf, typeName } from '../text.ts';
import type { Arguments, Implementation } from './arguments.ts';

/** `table.*`, with `getn` and `maxn` of Lua 5.1, which health scripts still use. */
export const table: Readonly<Record<string, Implementation>> = {
  concat: (args) => joined(args),
  getn: (args) => args.table(1).length,
  insert: (args) => insert(args),
  maxn: (args) => {
    const each = args.table(1);
    const { mapKeys } = each;
    args.machine.charge(mapKeys.length);
    return mapKeys.reduce<number>((most, key) => (typeof key === 'number' && key > most ? key : most), each.length);
  },
  pack: (args) => {
    args.machine.allocate(args.values.length * entryBytes);
    const packed = LuaTable.of(args.values);
    packed.set('n', args.values.length);
    return packed;
  },
  remove: (args) => remove(args),
  sort: (args) => sort(args),
  unpack,
};

/** The elements of a list as values. */
export function unpack(args: Arguments): readonly LuaValue[] {
  const each = args.table(1);
  const from = args.whole(2, 1);
  const to = args.whole(3, each.length);
  const count = to - from + 1;
  if (count > 8000) throw args.machine.fault('too many results to unpack');
  args.machine.charge(Math.max(0, count));
  const values: LuaValue[] = [];
  for (let i = from; i <= to; i++) values.push(each.get(i));
  return values;
}

function joined(args: Arguments): string {
  const each = args.table(1);
  const separator = args.text(2, '');
  const to = args.whole(4, each.length);
  const parts: string[] = [];
  for (let i = args.whole(3, 1); i <= to; i++) {
    args.machine.charge(1);
    const text = textOf(each.get(i));
    if (text === undefined) throw invalid(args.machine, each.get(i), i);
    args.machine.allocate(text.length + separator.length);
    parts.push(text);
  }
  return parts.join(separator);
}

function invalid(machine: Machine, value: LuaValue, place: number): Error {
  return machine.fault(`invalid value (${typeName(value)}) at index ${place} in table for 'concat'`);
}

function insert(args: Arguments): readonly LuaValue[] {
  const { machine } = args;
  const each = args.table(1);
  const end = each.length + 1;
  if (args.values.length === 2) {
    put(machine, each, [end, args.at(2)]);
    return [];
  }
  if (args.values.length !== 3) throw machine.fault("wrong number of arguments to 'insert'");
  const place = args.whole(2);
  if (place < 1 || place > end) throw args.bad(2, 'position out of bounds');
  machine.charge(end - place);
  machine.allocate(entryBytes);
  const list = [...each.list];
  list.splice(place - 1, 0, args.at(3));
  machine.charge(list.length >> 4);
  each.replaceList(list);
  return [];
}

function remove(args: Arguments): LuaValue {
  const each = args.table(1);
  const size = each.length;
  const place = args.whole(2, size);
  if (place < 1 || place > size) return undefined;
  const removed = each.get(place);
  if (place === size) {
    each.set(place, undefined);
    return removed;
  }
  args.machine.charge(size - place + (size >> 4));
  const list = [...each.list];
  list.splice(place - 1, 1);
  each.replaceList(list);
  return removed;
}

function sort(args: Arguments): readonly LuaValue[] {
  const { machine } = args;
  const each = args.table(1);
  const order = args.at(2);
  if (order !== undefined && !(order instanceof LuaFunction)) throw args.bad(2, 'function expected');
  const place = { line: machine.line, what: 'order function' };
  const before = (a: LuaValue, b: LuaValue): boolean => {
    machine.charge(1);
    if (order === undefined) return less(machine, a, b);
    const [answer] = call(machine, order, [a, b], place);
    return answer !== undefined && answer !== false;
  };
  // JavaScript's sort puts undefined last without asking: a hole is Lua's error, as with any order.
  if (each.list.includes(undefined)) throw machine.fault('attempt to compare nil with a value');
  const sorted = each.list.toSorted((a, b) => (before(a, b) ? -1 : before(b, a) ? 1 : 0));
  each.replaceList(sorted);
  return [];
}
