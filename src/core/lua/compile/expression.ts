import type { CallNode, Expression, Identifier, TableNode } from '../ast.ts';
import { LuaError } from '../errors.ts';
import { tableBytes } from '../machine.ts';
import { call, index, type Place, put } from '../operations.ts';
import { LuaTable } from '../table.ts';
import { compileLogical, compileOperator, compileUnary } from './operator.ts';
import type { Eval, EvalAll, Scope } from './scope.ts';

/** Compiles an expression to a closure that answers its first value. */
export function compileExpression(node: Expression, scope: Scope): Eval {
  scope.cost += 1;
  switch (node.type) {
    case 'NilLiteral':
      return () => undefined;
    case 'BooleanLiteral':
    case 'NumericLiteral':
    case 'StringLiteral': {
      const { value } = node;
      return () => value;
    }
    case 'Identifier':
      return compileName(node, scope);
    case 'MemberExpression': {
      const key = node.identifier.name;
      return compileIndex(node.base, () => key, scope, node.loc.start.line);
    }
    case 'IndexExpression':
      return compileIndex(node.base, compileExpression(node.index, scope), scope, node.loc.start.line);
    case 'FunctionDeclaration':
      return scope.compileFunction(node, scope, '');
    case 'TableConstructorExpression':
      return compileTable(node, scope);
    case 'UnaryExpression':
      return compileUnary(node, compileExpression(node.argument, scope), placeOf(node.argument));
    case 'LogicalExpression':
      return compileLogical(node.operator, compileExpression(node.left, scope), compileExpression(node.right, scope));
    case 'BinaryExpression':
      return compileOperator(
        node.operator,
        [compileExpression(node.left, scope), compileExpression(node.right, scope)],
        {
          line: node.loc.start.line,
          left: placeOf(node.left),
          right: placeOf(node.right),
        },
      );
    default: {
      const all = compileAll(node, scope);
      return (frame, machine) => all(frame, machine)[0];
    }
  }
}

/**
 * Compiles a list of expressions: the last one gives all its values, the others their first. `around` is how many
 * parentheses belong to the list itself, as those of a call do.
 */
export function compileList(nodes: readonly Expression[], scope: Scope, around = 0): EvalAll {
  const last = nodes.at(-1);
  if (last === undefined) return () => [];
  if (nodes.length === 1) return compileLast(last, scope, around);
  const heads = nodes.slice(0, -1).map((node) => compileExpression(node, scope));
  const tail = compileLast(last, scope, 0);
  return (frame, machine) => {
    const values = heads.map((head) => head(frame, machine));
    const more = tail(frame, machine);
    machine.charge(more.length);
    for (const value of more) values.push(value);
    return values;
  };
}

function compileLast(node: Expression, scope: Scope, around: number): EvalAll {
  if (!('opened' in node) || node.opened <= around) return compileAll(node, scope);
  const one = compileExpression(node, scope);
  return (frame, machine) => [one(frame, machine)];
}

function compileAll(node: Expression, scope: Scope): EvalAll {
  switch (node.type) {
    case 'CallExpression':
    case 'TableCallExpression':
    case 'StringCallExpression':
      scope.cost += 1;
      return compileCall(node, scope);
    case 'VarargLiteral':
      if (!scope.variadic)
        throw new LuaError(`line ${node.loc.start.line}: cannot use '...' outside a vararg function`);
      scope.cost += 1;
      return (frame) => frame.rest;
    default: {
      const one = compileExpression(node, scope);
      return (frame, machine) => [one(frame, machine)];
    }
  }
}

/** Compiles a call, also one that stands as a statement. */
export function compileCall(node: CallNode, scope: Scope): EvalAll {
  const args = compileList(argumentsOf(node), scope, node.type === 'CallExpression' ? 1 : 0);
  const place = placeOf(node.base, node.loc.start.line);
  const method = node.base.type === 'MemberExpression' && node.base.indexer === ':' ? node.base : undefined;
  if (method === undefined) {
    const called = compileExpression(node.base, scope);
    return (frame, machine) => call(machine, called(frame, machine), args(frame, machine), place);
  }
  const self = compileExpression(method.base, scope);
  const selfPlace = placeOf(method.base, method.loc.start.line);
  const { name } = method.identifier;
  return (frame, machine) => {
    const receiver = self(frame, machine);
    const called = index(machine, receiver, name, selfPlace);
    return call(machine, called, [receiver, ...args(frame, machine)], place);
  };
}

function argumentsOf(node: CallNode): readonly Expression[] {
  switch (node.type) {
    case 'CallExpression':
      return node.arguments;
    case 'TableCallExpression':
      return [node.arguments];
    case 'StringCallExpression':
      return [node.argument];
  }
}

function compileName({ name }: Identifier, scope: Scope): Eval {
  const binding = scope.resolve(name);
  if (binding.in === 'globals') return (_frame, machine) => machine.globals.get(name);
  const { slot } = binding;
  return binding.in === 'locals' ? (frame) => frame.locals[slot]?.value : (frame) => frame.outer[slot]?.value;
}

function compileIndex(base: Expression, key: Eval, scope: Scope, line: number): Eval {
  const table = compileExpression(base, scope);
  const place = placeOf(base, line);
  return (frame, machine) => index(machine, table(frame, machine), key(frame, machine), place);
}

function compileTable({ fields, loc }: TableNode, scope: Scope): Eval {
  const { line } = loc.start;
  const pairs: (readonly [Eval, Eval])[] = [];
  const listed: Expression[] = [];
  for (const field of fields) {
    if (field.type === 'TableValue') {
      listed.push(field.value);
      continue;
    }
    const { key } = field;
    const name: Eval = field.type === 'TableKeyString' ? () => field.key.name : compileExpression(key, scope);
    pairs.push([name, compileExpression(field.value, scope)]);
  }
  const list = compileList(listed, scope);
  return (frame, machine) => {
    machine.allocate(tableBytes);
    const table = LuaTable.of(list(frame, machine));
    machine.allocate(table.length * 8);
    for (const [key, value] of pairs) put(machine, table, [key(frame, machine), value(frame, machine)], line);
    return table;
  };
}

/** How an error names an expression. */
export function placeOf(node: Expression, line: number = node.loc.start.line): Place {
  switch (node.type) {
    case 'Identifier':
      return { line, what: `variable '${node.name}'` };
    case 'MemberExpression':
      return { line, what: `${node.indexer === ':' ? 'method' : 'field'} '${node.identifier.name}'` };
    case 'IndexExpression':
      return { line, what: node.index.type === 'StringLiteral' ? `field '${node.index.value}'` : "field '?'" };
    default:
      return { line, what: '' };
  }
}
