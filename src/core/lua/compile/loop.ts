import type { GenericForNode, LoopNode, NumericForNode, Statement } from '../ast.ts';
import type { Machine } from '../machine.ts';
import { call, operand, type Place } from '../operations.ts';
import type { LuaValue } from '../table.ts';
import { compileExpression, compileList, placeOf } from './expression.ts';
import { isTrue } from './operator.ts';
import type { Frame, Scope } from './scope.ts';

/** How a statement leaves the ordinary course: with values (`return`), out of a loop, or to a label. */
export type Left = undefined | readonly LuaValue[] | typeof leaveLoop | Jump;
/** A compiled statement. */
export type Run = (frame: Frame, machine: Machine) => Left;

export const leaveLoop = 'break';

/** A `goto` on its way to the innermost block around it that has the label. */
export class Jump {
  readonly label: string;

  constructor(label: string) {
    this.label = label;
  }
}

type CompileBlock = (statements: readonly Statement[], scope: Scope) => Run;

/** `while` and `repeat`; the condition of the latter sees the names of the body. */
export function compileLoop(node: LoopNode, scope: Scope, compileBlock: CompileBlock): Run {
  const repeat = node.type === 'RepeatStatement';
  const { run, test } = scope.block(() => {
    // The order matters: names declared in a repeated body are visible in its condition.
    const first = repeat ? undefined : scope.measured(() => compileExpression(node.condition, scope));
    const body = repeat ? compileBlock(node.body, scope) : scope.block(() => compileBlock(node.body, scope));
    return { run: body, test: first ?? scope.measured(() => compileExpression(node.condition, scope)) };
  });
  const cost = test.cost + 1;
  const goesOn = (frame: Frame, machine: Machine): boolean => {
    machine.charge(cost);
    return isTrue(test.result(frame, machine)) !== repeat;
  };
  return (frame, machine) => {
    let first = repeat;
    while (first || goesOn(frame, machine)) {
      first = false;
      const left = run(frame, machine);
      if (left === leaveLoop) return undefined;
      if (left !== undefined) return left;
    }
    return undefined;
  };
}

/** `for i = start, end, step`. */
export function compileNumericFor(node: NumericForNode, scope: Scope, compileBlock: CompileBlock): Run {
  const { line } = node.loc.start;
  const bounds = [node.start, node.end, ...(node.step === null ? [] : [node.step])].map((each) => ({
    value: compileExpression(each, scope),
    place: placeOf(each),
  }));
  const { slot, run } = scope.block(() => ({
    slot: scope.declare(node.variable.name),
    run: compileBlock(node.body, scope),
  }));
  return (frame, machine) => {
    const [start = 0, end = 0, step = 1] = bounds.map(({ value, place }) =>
      operand(machine, value(frame, machine), place),
    );
    if (step === 0) throw machine.fault("'for' step is zero", line);
    for (let i = start; step > 0 ? i <= end : i >= end; i += step) {
      machine.charge(1);
      frame.locals[slot] = { value: i };
      const left = run(frame, machine);
      if (left === leaveLoop) return undefined;
      if (left !== undefined) return left;
    }
    return undefined;
  };
}

/** `for k, v in …`. */
export function compileGenericFor(node: GenericForNode, scope: Scope, compileBlock: CompileBlock): Run {
  const iterators = compileList(node.iterators, scope);
  const place: Place = { line: node.loc.start.line, what: 'for iterator' };
  const { slots, run } = scope.block(() => ({
    slots: node.variables.map(({ name }) => scope.declare(name)),
    run: compileBlock(node.body, scope),
  }));
  return (frame, machine) => {
    const [next, state, start] = iterators(frame, machine);
    let control = start;
    for (;;) {
      machine.charge(1);
      const values = call(machine, next, [state, control], place);
      control = values[0];
      if (control === undefined) return undefined;
      for (let i = 0; i < slots.length; i++) frame.locals[slots[i] ?? 0] = { value: values[i] };
      const left = run(frame, machine);
      if (left === leaveLoop) return undefined;
      if (left !== undefined) return left;
    }
  };
}
