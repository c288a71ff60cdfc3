import { type ASTNode, Environment, Optional, type ParseResult } from '@marcbachmann/cel-js';
import { isPattern, matchesPattern } from './pattern.ts';

/** A rule ready to run, or why it can never run. */
export type CelRule =
  | {
      readonly kind: 'ready';
      readonly usesOldSelf: boolean;
      readonly nesting: number;
      readonly nodes: number;
      run(scope: CelScope): CelOutcome;
    }
  | { readonly kind: 'broken'; readonly error: string };

export interface CelScope {
  readonly self: unknown;
  readonly oldSelf?: unknown;
}

export type CelOutcome =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly error: string };

const limits = { maxAstNodes: 2_000, maxDepth: 60, maxListElements: 500, maxMapEntries: 500, maxCallArguments: 16 };
const environment = new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false, limits })
  .registerVariable('self', 'dyn')
  .registerVariable('oldSelf', 'dyn')
  .registerFunction('list.isSorted(): bool', (list: readonly unknown[]) => isSorted(list))
  .registerFunction('list.sum(): dyn', (list: readonly (bigint | number)[]) => sum(list))
  .registerFunction('list.min(): dyn', (list: readonly unknown[]) => extreme(list, -1))
  .registerFunction('list.max(): dyn', (list: readonly unknown[]) => extreme(list, 1))
  .registerFunction('list.indexOf(dyn): int', (list: readonly unknown[], item: unknown) => BigInt(list.indexOf(item)))
  .registerFunction('list.lastIndexOf(dyn): int', (list: readonly unknown[], item: unknown) =>
    BigInt(list.lastIndexOf(item)),
  )
  .registerFunction('string.charAt(int): string', (text: string, at: bigint) => Array.from(text)[Number(at)] ?? '')
  .registerFunction('string.replace(string, string): string', (text: string, from: string, to: string) =>
    text.replaceAll(from, () => to),
  )
  .registerFunction('string.matchesGo(string): bool', (text: string, pattern: string) => matches(text, pattern))
  .registerFunction('isURL(string): bool', (text: string) => /^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/\S+$/.test(text));

const compiled = new Map<string, CelRule>();
const maxKept = 2_000;

/** Compiles an expression once; the same text is the same rule. */
export function compileRule(expression: string): CelRule {
  const known = compiled.get(expression);
  if (known !== undefined) return known;
  if (compiled.size >= maxKept) compiled.clear();
  const rule = compile(expression);
  compiled.set(expression, rule);
  return rule;
}

function compile(expression: string): CelRule {
  try {
    const parsed = environment.parse(withSafeMatches(expression));
    const checked = parsed.check();
    if (!checked.valid) return { kind: 'broken', error: textOf(checked.error) };
    const { nesting, nodes, names } = measure(parsed.ast);
    return { kind: 'ready', usesOldSelf: names.has('oldSelf'), nesting, nodes, run: (scope) => run(parsed, scope) };
  } catch (error) {
    return { kind: 'broken', error: textOf(error) };
  }
}

function run(parsed: ParseResult, scope: CelScope): CelOutcome {
  try {
    return { kind: 'value', value: parsed({ self: scope.self, oldSelf: scope.oldSelf ?? null }) as unknown };
  } catch (error) {
    return { kind: 'failed', error: textOf(error) };
  }
}

/** Patterns in rules run on our automaton: the library's own `matches` can be made to take for ever. */
function withSafeMatches(expression: string): string {
  const cuts: number[] = [];
  findMatches(environment.parse(expression).ast, expression, cuts);
  return cuts.sort((a, b) => b - a).reduce((text, at) => `${text.slice(0, at)}Go${text.slice(at)}`, expression);
}

function findMatches(node: unknown, source: string, cuts: number[]): void {
  if (Array.isArray(node)) for (const part of node) findMatches(part, source, cuts);
  if (!isNode(node)) return;
  if (node.op === 'rcall' && Array.isArray(node.args) && node.args[0] === 'matches') {
    const name = /[\s)]*\.\s*matches/y;
    name.lastIndex = (node.args[1] as ASTNode).end; // a call's receiver
    if (!name.test(source)) throw new Error('matches() is called in a way that cannot be read');
    cuts.push(name.lastIndex);
  }
  findMatches(node.args, source, cuts);
}

function isNode(node: unknown): node is { readonly op: unknown; readonly args: unknown } {
  return typeof node === 'object' && node !== null && 'op' in node && 'args' in node;
}

/** The library's summary, beginning in lower case as Kubernetes' messages do. */
function textOf(error: unknown): string {
  const summary = (error as { summary?: unknown } | undefined)?.summary; // its errors carry one
  const text = typeof summary === 'string' ? summary : error instanceof Error ? error.message : String(error);
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}

const loops = new Set(['all', 'exists', 'exists_one', 'existsOne', 'map', 'filter']);

interface Measure {
  nesting: number;
  nodes: number;
  readonly names: Set<string>;
}

/** How deep loops are nested and how large the expression is: together with the data they bound the work. */
function measure(ast: ASTNode): Measure {
  const found: Measure = { nesting: 0, nodes: 0, names: new Set() };
  walk(ast, 0, found);
  return found;
}

function walk(node: unknown, depth: number, found: Measure): void {
  if (Array.isArray(node)) {
    for (const part of node) walk(part, depth, found);
    return;
  }
  if (!isNode(node)) return;
  found.nodes++;
  if (node.op === 'id' && typeof node.args === 'string') found.names.add(node.args);
  const isLoop = node.op === 'rcall' && Array.isArray(node.args) && loops.has(String(node.args[0]));
  const inner = isLoop ? depth + 1 : depth;
  found.nesting = Math.max(found.nesting, inner);
  walk(node.args, inner, found);
}

/** An optional value for rules that ask for one. */
export function optional(value: unknown): unknown {
  return value === undefined ? Optional.none() : Optional.of(value);
}

/** A duration such as `1h30m` as rules see it, or undefined where the text is none. */
export function celDuration(text: string): unknown {
  try {
    return environment.evaluate('duration(self)', { self: text });
  } catch {
    return undefined;
  }
}

function isSorted(list: readonly unknown[]): boolean {
  return list.every((item, index) => index === 0 || !less(item, list[index - 1]));
}

function less(a: unknown, b: unknown): boolean {
  return (a as string) < (b as string); // CEL's ordered types order alike in JavaScript
}

function sum(list: readonly (bigint | number)[]): bigint | number {
  if (list.some((item) => typeof item === 'number'))
    return list.reduce<number>((total, item) => total + Number(item), 0);
  return list.reduce<bigint>((total, item) => total + BigInt(item), 0n);
}

function extreme(list: readonly unknown[], sign: 1 | -1): unknown {
  if (list.length === 0) throw new Error(`${sign > 0 ? 'max' : 'min'} called on empty list`);
  return list.reduce((best, item) => ((sign > 0 ? less(best, item) : less(item, best)) ? item : best));
}

function matches(text: string, pattern: string): boolean {
  if (!isPattern(pattern)) throw new Error(`error parsing regexp: ${pattern}`);
  return matchesPattern(text, pattern);
}
