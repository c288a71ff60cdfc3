import type { AssignmentNode, Clause, Expression, FunctionNode, LocalNode, Statement } from '../ast.ts';
import { LuaError } from '../errors.ts';
import { LuaFunction } from '../function.ts';
import { type Machine, tableBytes } from '../machine.ts';
import { setIndex } from '../operations.ts';
import type { LuaValue } from '../table.ts';
import { compileCall, compileExpression, compileList, placeOf } from './expression.ts';
import { compileGenericFor, compileLoop, compileNumericFor, Jump, leaveLoop, type Run } from './loop.ts';
import { isTrue } from './operator.ts';
import { type Eval, type Frame, Scope } from './scope.ts';

/** Compiles the statements of a block; the names declared in it end with it, unless the caller opened the scope. */
function compileBlock(statements: readonly Statement[], scope: Scope): Run {
  const runs: Run[] = [];
  const labels = new Map<string, number>();
  for (const statement of statements) {
    if (statement.type === 'LabelStatement') labels.set(statement.label.name, runs.length);
    else runs.push(compileCharged(statement, scope));
  }
  return (frame, machine) => {
    for (let i = 0; i < runs.length; i++) {
      const left = runs[i]?.(frame, machine);
      if (left === undefined) continue;
      const target = left instanceof Jump ? labels.get(left.label) : undefined;
      if (target === undefined) return left;
      i = target - 1;
    }
    return undefined;
  };
}

function compileScoped(statements: readonly Statement[], scope: Scope): Run {
  return scope.block(() => compileBlock(statements, scope));
}

/** A statement costs one step and one for each of its expressions; the blocks in it pay for themselves. */
function compileCharged(statement: Statement, scope: Scope): Run {
  const { result, cost } = scope.measured(() => compileStatement(statement, scope));
  return (frame, machine) => {
    machine.charge(cost + 1);
    return result(frame, machine);
  };
}

function compileStatement(node: Statement, scope: Scope): Run {
  switch (node.type) {
    case 'LocalStatement':
      return compileLocal(node, scope);
    case 'AssignmentStatement':
      return compileAssignment(node, scope);
    case 'CallStatement': {
      const called = compileCall(node.expression, scope);
      return (frame, machine) => void called(frame, machine);
    }
    case 'FunctionDeclaration':
      return compileNamedFunction(node, scope);
    case 'DoStatement':
      return compileScoped(node.body, scope);
    case 'IfStatement':
      return compileIf(node.clauses, scope);
    case 'WhileStatement':
    case 'RepeatStatement':
      return compileLoop(node, scope, compileBlock);
    case 'ForNumericStatement':
      return compileNumericFor(node, scope, compileBlock);
    case 'ForGenericStatement':
      return compileGenericFor(node, scope, compileBlock);
    case 'ReturnStatement':
      return compileList(node.arguments, scope);
    case 'BreakStatement':
      return () => leaveLoop;
    case 'GotoStatement': {
      const jump = new Jump(node.label.name);
      return () => jump;
    }
    case 'LabelStatement':
      return () => undefined;
  }
}

function compileLocal(node: LocalNode, scope: Scope): Run {
  const values = compileList(node.init, scope);
  // Declared after its values are compiled: `local x = x` means the outer one on the right.
  const slots = node.variables.map(({ name }) => scope.declare(name));
  return (frame, machine) => {
    const found = values(frame, machine);
    for (let i = 0; i < slots.length; i++) frame.locals[slots[i] ?? 0] = { value: found[i] };
    return undefined;
  };
}

type Assign = (frame: Frame, machine: Machine, value: LuaValue) => void;

function compileAssignment(node: AssignmentNode, scope: Scope): Run {
  const values = compileList(node.init, scope);
  const targets = node.variables.map((variable) => compileTarget(variable, scope));
  return (frame, machine) => {
    // Tables and keys on the left are known before anything is assigned: `i, t[i] = i + 1, 20` means the old i.
    const assigns = targets.map((target) => target(frame, machine));
    const found = values(frame, machine);
    for (let i = 0; i < assigns.length; i++) assigns[i]?.(frame, machine, found[i]);
    return undefined;
  };
}

function compileTarget(node: Expression, scope: Scope): (frame: Frame, machine: Machine) => Assign {
  scope.cost += 1;
  if (node.type === 'Identifier') {
    const assign = compileNameTarget(node.name, scope);
    return () => assign;
  }
  if (node.type !== 'MemberExpression' && node.type !== 'IndexExpression') {
    throw new LuaError(`line ${node.loc.start.line}: cannot assign to this`);
  }
  const base = compileExpression(node.base, scope);
  const key: Eval = node.type === 'IndexExpression' ? compileExpression(node.index, scope) : () => node.identifier.name;
  const place = placeOf(node.base, node.loc.start.line);
  return (frame, machine) => {
    const [table, field] = [base(frame, machine), key(frame, machine)];
    return (_frame, _machine, value) => setIndex(machine, table, [field, value], place);
  };
}

function compileNameTarget(name: string, scope: Scope): Assign {
  const binding = scope.resolve(name);
  if (binding.in === 'globals') return (_frame, machine, value) => machine.globals.set(name, value);
  const { slot } = binding;
  const where = binding.in;
  return (frame, _machine, value) => {
    const box = frame[where][slot];
    if (box !== undefined) box.value = value;
  };
}

function compileIf(clauses: readonly Clause[], scope: Scope): Run {
  const branches = clauses.map(({ condition, body }) => ({
    test: condition === undefined ? undefined : compileExpression(condition, scope),
    run: compileScoped(body, scope),
  }));
  return (frame, machine) => {
    for (const { test, run } of branches) {
      if (test === undefined || isTrue(test(frame, machine))) return run(frame, machine);
    }
    return undefined;
  };
}

function compileNamedFunction(node: FunctionNode, scope: Scope): Run {
  const { identifier } = node;
  if (identifier === null) throw new LuaError(`line ${node.loc.start.line}: a function needs a name here`);
  if (identifier.type === 'Identifier' && node.isLocal) {
    // Declared before its body is compiled: a local function may call itself.
    const slot = scope.declare(identifier.name);
    const made = compileFunction(node, scope, identifier.name);
    return (frame, machine) => {
      const box = { value: undefined as LuaValue };
      frame.locals[slot] = box;
      box.value = made(frame, machine);
      return undefined;
    };
  }
  const name = identifier.type === 'Identifier' ? identifier.name : identifier.identifier.name;
  const target = compileTarget(identifier, scope);
  const made = compileFunction(node, scope, name);
  return (frame, machine) => {
    target(frame, machine)(frame, machine, made(frame, machine));
    return undefined;
  };
}

/** Compiles a function to what makes a new closure of it. */
function compileFunction(node: FunctionNode, scope: Scope, name: string): Eval {
  const variadic = node.parameters.some(({ type }) => type === 'VarargLiteral');
  const inner = new Scope(scope, variadic, compileFunction);
  const { identifier } = node;
  const method = identifier?.type === 'MemberExpression' && identifier.indexer === ':';
  const named = node.parameters.flatMap((parameter) => (parameter.type === 'Identifier' ? [parameter.name] : []));
  const slots = (method ? ['self', ...named] : named).map((each) => inner.declare(each));
  const body = compileBlock(node.body, inner);
  const { captures } = inner;
  return (frame, machine) => {
    machine.allocate(tableBytes);
    const outer = captures.map(
      (from) => (from.in === 'globals' ? undefined : frame[from.in][from.slot]) ?? { value: undefined },
    );
    return new LuaFunction(name, (args, running) => {
      const locals = slots.map((_slot, i) => ({ value: args[i] }));
      const left = body({ locals, outer, rest: variadic ? args.slice(slots.length) : [] }, running);
      return Array.isArray(left) ? left : [];
    });
  };
}

/** Compiles a whole script to a function without names from outside; what it calls itself, it calls `...`. */
export function compileChunk(statements: readonly Statement[]): LuaFunction {
  const body = compileBlock(statements, new Scope(undefined, true, compileFunction));
  return new LuaFunction('script', (rest, machine) => {
    const left = body({ locals: [], outer: [], rest }, machine);
    return Array.isArray(left) ? left : [];
  });
}
