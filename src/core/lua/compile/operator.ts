import type { UnaryNode } from '../ast.ts';
import { LuaError } from '../errors.ts';
import { arithmetic, atMost, concat, lengthOf, less, operand, type Place, same } from '../operations.ts';
import type { LuaValue } from '../table.ts';
import type { Eval } from './scope.ts';

interface Places {
  readonly line: number;
  readonly left: Place;
  readonly right: Place;
}

/** Nil and false are false; everything else is true, also 0 and the empty text. */
export function isTrue(value: LuaValue): boolean {
  return value !== undefined && value !== false;
}

/** `not`, `-` and `#`. */
export function compileUnary({ operator, loc }: UnaryNode, argument: Eval, place: Place): Eval {
  switch (operator) {
    case 'not':
      return (frame, machine) => !isTrue(argument(frame, machine));
    case '-':
      return (frame, machine) => -operand(machine, argument(frame, machine), place);
    case '#':
      return (frame, machine) => lengthOf(machine, argument(frame, machine), place);
    default:
      throw new LuaError(`line ${loc.start.line}: unknown operator '${operator}'`);
  }
}

/** `and` and `or`: the right side is only looked at where the left does not decide. */
export function compileLogical(operator: string, left: Eval, right: Eval): Eval {
  const stopsAt = operator === 'or';
  return (frame, machine) => {
    const value = left(frame, machine);
    return isTrue(value) === stopsAt ? value : right(frame, machine);
  };
}

/** Operators with two sides, the left side evaluated first. */
export function compileOperator(operator: string, [a, b]: readonly [Eval, Eval], places: Places): Eval {
  const { line, left, right } = places;
  const compute = arithmetic.get(operator);
  if (compute !== undefined) {
    return (frame, machine) => {
      const [x, y] = [a(frame, machine), b(frame, machine)];
      return compute(operand(machine, x, left), operand(machine, y, right));
    };
  }
  switch (operator) {
    case '..':
      return (frame, machine) => concat(machine, [a(frame, machine), b(frame, machine)], [left, right]);
    case '==':
      return (frame, machine) => same(machine, a(frame, machine), b(frame, machine));
    case '~=':
      return (frame, machine) => !same(machine, a(frame, machine), b(frame, machine));
    case '<':
      return (frame, machine) => less(machine, a(frame, machine), b(frame, machine), line);
    case '<=':
      return (frame, machine) => atMost(machine, a(frame, machine), b(frame, machine), line);
    case '>':
    case '>=': {
      const test = operator === '>' ? less : atMost;
      return (frame, machine) => {
        const x = a(frame, machine);
        return test(machine, b(frame, machine), x, line);
      };
    }
    default:
      throw new LuaError(`line ${line}: unknown operator '${operator}'`);
  }
}
