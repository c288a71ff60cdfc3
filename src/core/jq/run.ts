import { equal, isArray, isObject, type Json, own } from '../json/index.ts';
import { JqExhausted, spend, spendOnFunction, spendOnOperator, weightOf } from './cost.ts';
import { withoutPaths } from './delete-paths.ts';
import { entriesOf, filterFunction, fromEntries, operate, plainFunction } from './functions.ts';
import type { Node } from './node.ts';
import { isTrue, JqFailure, setKey, typeOf } from './values.ts';

/** A step into a value. */
export type Step = string | number;

/** A value and, where it is a part of the input, the way to it. */
export interface Found {
  readonly value: Json;
  readonly path: readonly Step[] | undefined;
}

/** What a run may still do, and what names stand for. */
export interface Run {
  steps: number;
  readonly names: ReadonlyMap<string, Json>;
}

type Outputs = Generator<Found, void, undefined>;
const made = (value: Json): Found => ({ value, path: undefined });

/** Runs a program on a value; yields what it answers, one by one. */
export function* run(node: Node, input: Found, state: Run): Outputs {
  spend(state, 1);
  switch (node.is) {
    case 'identity':
      return yield input;
    case 'recurse':
      return yield* recurse(input, state);
    case 'literal':
      return yield made(node.value);
    case 'variable':
      return yield made(named(node.name, state));
    case 'iterate':
      for (const of of run(node.of, input, state)) yield* children(of, state);
      return;
    case 'pipe':
      for (const first of run(node.first, input, state)) yield* run(node.next, first, state);
      return;
    case 'both':
      yield* run(node.left, input, state);
      return yield* run(node.right, input, state);
    case 'try':
      return yield* attempt(node.body, input, state);
    case 'if':
      for (const { value } of run(node.test, input, state))
        yield* run(isTrue(value) ? node.yes : node.no, input, state);
      return;
    default:
      return yield* runMore(node, input, state);
  }
}

function* runMore(node: Node, input: Found, state: Run): Outputs {
  switch (node.is) {
    case 'index':
      return yield* index(node, input, state);
    case 'slice':
      return yield* slice(node, input, state);
    case 'binary':
      return yield* binary(node, input, state);
    case 'bind':
      for (const { value } of run(node.value, input, state)) {
        const inner: Run = nested(state, new Map(state.names).set(node.name, value));
        yield* run(node.body, input, inner);
      }
      return;
    case 'list':
      return yield made(node.items === undefined ? [] : [...run(node.items, input, state)].map(({ value }) => value));
    case 'object':
      return yield* construct(node.entries, input, state);
    case 'call':
      return yield* call(node, input, state);
    default:
      return;
  }
}

/** Other names, the same steps. */
function nested(state: Run, names: ReadonlyMap<string, Json>): Run {
  return {
    names,
    get steps() {
      return state.steps;
    },
    set steps(left) {
      state.steps = left;
    },
  };
}

function named(name: string, state: Run): Json {
  const value = state.names.get(name);
  if (value === undefined) throw new JqFailure(`variable not defined: ${name}`);
  return value;
}

function step({ path }: Found, key: Step, value: Json): Found {
  return { value, path: path === undefined ? undefined : [...path, key] };
}

function* children(of: Found, state: Run): Outputs {
  const { value } = of;
  if (!isArray(value) && !isObject(value)) throw new JqFailure(`cannot iterate over: ${typeOf(value)}`);
  const keys = isArray(value) ? value.keys() : Object.keys(value);
  for (const key of keys) {
    spend(state, 1);
    yield step(of, key, (typeof key === 'number' ? at(of, key).value : own(value, key)) ?? null);
  }
}

function* recurse(of: Found, state: Run, depth = 1): Outputs {
  descend(state, depth);
  yield of;
  if (!isArray(of.value) && !isObject(of.value)) return;
  for (const child of children(of, state)) yield* recurse(child, state, depth + 1);
}

function* recurseBy(body: Node, of: Found, state: Run, depth = 1): Outputs {
  descend(state, depth);
  yield of;
  for (const next of run(body, of, state)) yield* recurseBy(body, next, state, depth + 1);
}

/** What is found deep down is handed up through every level: that is what it costs. */
function descend(state: Run, depth: number): void {
  spend(state, depth);
}

function* attempt(body: Node, input: Found, state: Run): Outputs {
  try {
    yield* run(body, input, state);
  } catch (error) {
    if (!(error instanceof JqFailure) || error instanceof JqExhausted) throw error;
    // To fail takes longer than to go on.
    spend(state, 8);
  }
}

function* index(node: Node & { is: 'index' }, input: Found, state: Run): Outputs {
  for (const of of run(node.of, input, state)) {
    for (const { value: key } of run(node.key, input, state)) yield at(of, key);
  }
}

function at(of: Found, key: Json): Found {
  const { value } = of;
  if (typeof key === 'string' && (isObject(value) || value === null)) return step(of, key, own(value, key) ?? null);
  if (typeof key === 'number' && (isArray(value) || value === null)) {
    const list = value ?? [];
    const place = Math.floor(key) < 0 ? Math.floor(key) + list.length : Math.floor(key);
    return step(of, place, list[place] ?? null);
  }
  throw new JqFailure(`cannot index ${typeOf(value)} with ${typeOf(key)}`);
}

/** A part of a list or text; the parts of a list keep their way, so that they can be removed one by one. */
function* slice(node: Node & { is: 'slice' }, input: Found, state: Run): Outputs {
  const bound = (part: Node | undefined): number | undefined => {
    if (part === undefined) return undefined;
    const [first] = run(part, input, state);
    if (typeof first?.value !== 'number') throw new JqFailure('a slice needs numbers');
    return first.value;
  };
  const [from, to] = [bound(node.from), bound(node.to)];
  for (const { value } of run(node.of, input, state)) {
    if (isArray(value)) spend(state, value.length >> 4);
    else if (typeof value === 'string') spend(state, value.length >> 2);
    if (value === null) yield made(null);
    else if (isArray(value)) yield made(value.slice(from, to));
    else if (typeof value === 'string') yield made(Array.from(value).slice(from, to).join(''));
    else throw new JqFailure(`cannot slice ${typeOf(value)}`);
  }
}

function* binary({ sign, left, right }: Node & { is: 'binary' }, input: Found, state: Run): Outputs {
  if (sign === '//') return yield* alternative(left, right, input, state);
  if (sign === 'and' || sign === 'or') {
    for (const { value } of run(left, input, state)) {
      if (isTrue(value) === (sign === 'or')) yield made(sign === 'or');
      else for (const other of run(right, input, state)) yield made(isTrue(other.value));
    }
    return;
  }
  for (const b of run(right, input, state))
    for (const a of run(left, input, state)) {
      spendOnOperator(state, sign, a.value, b.value);
      yield made(operate(sign, a.value, b.value));
    }
}

function* alternative(left: Node, right: Node, input: Found, state: Run): Outputs {
  let some = false;
  for (const found of attempt(left, input, state)) {
    if (!isTrue(found.value)) continue;
    some = true;
    yield found;
  }
  if (!some) yield* run(right, input, state);
}

function* construct(entries: readonly { key: Node; value: Node }[], input: Found, state: Run): Outputs {
  const map: Record<string, Json> = {};
  for (const { key, value } of entries) {
    const [name] = run(key, input, state);
    const [content] = run(value, input, state);
    if (typeof name?.value !== 'string') throw new JqFailure('an object needs texts as keys');
    if (content === undefined) return;
    setKey(map, name.value, content.value);
  }
  yield made(map);
}

function* call({ name, args }: Node & { is: 'call' }, input: Found, state: Run): Outputs {
  const id = `${name}/${args.length}`;
  const filter = filterFunction(id);
  if (filter !== undefined) {
    if (filter(input.value)) yield input;
    return;
  }
  const plain = plainFunction(id);
  if (plain === undefined) return yield* special(id, args[0] ?? { is: 'identity' }, input, state);
  const [argument] = args;
  if (argument === undefined) {
    spendOnFunction(state, id, input.value);
    return yield made(plain(input.value, []));
  }
  for (const { value } of run(argument, input, state)) {
    spendOnFunction(state, id, input.value, value);
    yield made(plain(input.value, [value]));
  }
}

function* special(id: string, body: Node, input: Found, state: Run): Outputs {
  switch (id) {
    case 'select/1':
      for (const { value } of run(body, input, state)) if (isTrue(value)) yield input;
      return;
    case 'map/1':
      return yield made(
        [...children(input, state)].flatMap((item) => [...run(body, item, state)].map(({ value }) => value)),
      );
    case 'any/1':
    case 'all/1': {
      const wanted = id === 'any/1';
      for (const item of children(input, state))
        for (const { value } of run(body, item, state)) if (isTrue(value) === wanted) return yield made(wanted);
      return yield made(!wanted);
    }
    case 'IN/1': {
      const isIn = [...run(body, input, state)].some(({ value }) => {
        spendOnOperator(state, '==', value, input.value);
        return equal(value, input.value);
      });
      return yield made(isIn);
    }
    case 'first/0':
      return yield at(input, 0);
    case 'last/0':
      return yield at(input, -1);
    case 'first/1':
      for (const found of run(body, input, state)) return yield found;
      return;
    case 'recurse/0':
      return yield* recurse(input, state);
    case 'recurse/1':
      return yield* recurseBy(body, input, state);
    case 'with_entries/1': {
      spend(state, weightOf(input.value, state.steps));
      const entries = entriesOf(input.value).flatMap((entry) => [...run(body, made(entry), state)]);
      return yield made(fromEntries(entries.map(({ value }) => value)));
    }
    case 'del/1':
      spend(state, weightOf(input.value, state.steps));
      return yield made(withoutPaths(input.value, pathsFound(body, input.value, state)));
    default: // empty/0
      return;
  }
}

/** The ways to everything a program finds in a value; what it made up itself has none. */
export function pathsFound(node: Node, value: Json, state: Run): (readonly Step[])[] {
  const paths: (readonly Step[])[] = [];
  for (const { path } of run(node, { value, path: [] }, state)) {
    if (path === undefined) throw new JqFailure('invalid path expression');
    paths.push(path);
  }
  return paths;
}
