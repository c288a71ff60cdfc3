import { parse } from 'luaparse';
import { toBytes } from './bytes.ts';
import { atLine, LuaError } from './errors.ts';

interface Node {
  readonly loc: { readonly start: { readonly line: number } };
}

export interface Identifier extends Node {
  readonly type: 'Identifier';
  readonly name: string;
}
export interface MemberExpression extends Node {
  readonly type: 'MemberExpression';
  readonly indexer: '.' | ':';
  readonly identifier: Identifier;
  readonly base: Expression;
}
export interface IndexExpression extends Node {
  readonly type: 'IndexExpression';
  readonly base: Expression;
  readonly index: Expression;
}
export interface FunctionNode extends Node {
  readonly type: 'FunctionDeclaration';
  readonly identifier: Identifier | MemberExpression | null;
  readonly isLocal: boolean;
  readonly parameters: readonly (Identifier | { readonly type: 'VarargLiteral' })[];
  readonly body: readonly Statement[];
}
export type TableField = Node &
  (
    | { readonly type: 'TableKey'; readonly key: Expression; readonly value: Expression }
    | { readonly type: 'TableKeyString'; readonly key: Identifier; readonly value: Expression }
    | { readonly type: 'TableValue'; readonly value: Expression }
  );
/** An expression of many values; parentheses around it keep only the first. */
interface Multiple extends Node {
  /** How many parentheses open right before it, those of a call it is the first argument of included. */
  readonly opened: number;
}
export type CallNode = Multiple &
  (
    | { readonly type: 'CallExpression'; readonly base: Expression; readonly arguments: readonly Expression[] }
    | { readonly type: 'TableCallExpression'; readonly base: Expression; readonly arguments: Expression }
    | { readonly type: 'StringCallExpression'; readonly base: Expression; readonly argument: Expression }
  );
export interface OperatorNode extends Node {
  readonly type: 'BinaryExpression' | 'LogicalExpression';
  readonly operator: string;
  readonly left: Expression;
  readonly right: Expression;
}
export interface UnaryNode extends Node {
  readonly type: 'UnaryExpression';
  readonly operator: 'not' | '-' | '#' | '~';
  readonly argument: Expression;
}
export interface TableNode extends Node {
  readonly type: 'TableConstructorExpression';
  readonly fields: readonly TableField[];
}

export type Expression =
  | Identifier
  | MemberExpression
  | IndexExpression
  | CallNode
  | FunctionNode
  | OperatorNode
  | UnaryNode
  | TableNode
  | (Node & { readonly type: 'NilLiteral' })
  | (Multiple & { readonly type: 'VarargLiteral' })
  | (Node & { readonly type: 'BooleanLiteral'; readonly value: boolean })
  | (Node & { readonly type: 'NumericLiteral'; readonly value: number })
  | (Node & { readonly type: 'StringLiteral'; readonly value: string });

type Block = readonly Statement[];

/** One branch of an `if`; the `else` has no condition. */
export interface Clause extends Node {
  readonly condition?: Expression;
  readonly body: Block;
}
export type AssignmentNode = Node & {
  readonly type: 'AssignmentStatement';
  readonly variables: readonly Expression[];
  readonly init: readonly Expression[];
};
export type LocalNode = Node & {
  readonly type: 'LocalStatement';
  readonly variables: readonly Identifier[];
  readonly init: readonly Expression[];
};
export type NumericForNode = Node & {
  readonly type: 'ForNumericStatement';
  readonly variable: Identifier;
  readonly start: Expression;
  readonly end: Expression;
  readonly step: Expression | null;
  readonly body: Block;
};
export type GenericForNode = Node & {
  readonly type: 'ForGenericStatement';
  readonly variables: readonly Identifier[];
  readonly iterators: readonly Expression[];
  readonly body: Block;
};
export type LoopNode = Node & {
  readonly type: 'WhileStatement' | 'RepeatStatement';
  readonly condition: Expression;
  readonly body: Block;
};

export type Statement =
  | AssignmentNode
  | LocalNode
  | NumericForNode
  | GenericForNode
  | LoopNode
  | FunctionNode
  | (Node & { readonly type: 'CallStatement'; readonly expression: CallNode })
  | (Node & { readonly type: 'DoStatement'; readonly body: Block })
  | (Node & { readonly type: 'IfStatement'; readonly clauses: readonly Clause[] })
  | (Node & { readonly type: 'ReturnStatement'; readonly arguments: readonly Expression[] })
  | (Node & { readonly type: 'BreakStatement' })
  | (Node & { readonly type: 'GotoStatement'; readonly label: Identifier })
  | (Node & { readonly type: 'LabelStatement'; readonly label: Identifier });

/** Longer scripts are refused: nobody writes them by hand, and a ConfigMap holds 1 MiB at most. */
const maxSource = 256 * 1024;

/** Parses a script of Lua 5.1 with `goto`; throws LuaError with the line where it cannot. */
export function parseLua(source: string): readonly Statement[] {
  if (source.length > maxSource) throw new LuaError(`the script is longer than ${maxSource} characters`);
  try {
    return parsed(toBytes(source));
  } catch (error) {
    throw new LuaError(problemText(error));
  }
}

const multiple = new Set(['CallExpression', 'TableCallExpression', 'StringCallExpression', 'VarargLiteral']);

interface Ranged {
  readonly type: string;
  readonly range: readonly [start: number, end: number];
  opened?: number;
}

function parsed(source: string): readonly Statement[] {
  const seen: Ranged[] = [];
  const chunk = parse(source, {
    luaVersion: '5.2',
    locations: true,
    ranges: true,
    encodingMode: 'pseudo-latin1',
    onCreateNode: (node: Ranged) => {
      if (multiple.has(node.type)) seen.push(node);
    },
  }) as { body: readonly Statement[]; comments: readonly Ranged[] }; // luaparse's nodes, as named above
  // luaparse drops parentheses, but `(f())` is one value where `f()` is all: they are found again in the text.
  const plain = withoutComments(source, chunk.comments);
  for (const node of seen) node.opened = openedBefore(plain, node.range[0]);
  return chunk.body;
}

function withoutComments(source: string, comments: readonly Ranged[]): string {
  let plain = '';
  for (const { range } of comments) plain += source.slice(plain.length, range[0]) + ' '.repeat(range[1] - range[0]);
  return plain + source.slice(plain.length);
}

function openedBefore(plain: string, start: number): number {
  let count = 0;
  for (let at = start - 1; at >= 0; at--) {
    const character = plain[at] ?? '';
    if (character === '(') count += 1;
    else if (character.trim() !== '') break;
  }
  return count;
}

function problemText(error: unknown): string {
  if (error instanceof RangeError) return 'the script is nested too deeply';
  const line = typeof error === 'object' && error !== null && 'line' in error ? Number(error.line) : 0;
  const message = error instanceof Error ? error.message.replace(/^\[\d+:\d+\] /, '') : String(error);
  return atLine(line, message);
}
