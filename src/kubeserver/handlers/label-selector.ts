import { labelValueProblems, qualifiedNameProblems } from '../registry/names.ts';
import { badRequest } from '../status.ts';

type Labels = { readonly [key: string]: string };
export type LabelTest = (labels: Labels) => boolean;

const symbols = ['==', '!=', '=', '!', '(', ')', ',', '<', '>'];

function tokens(text: string): string[] {
  const found: string[] = [];
  let i = 0;
  while (i < text.length) {
    const rest = text.slice(i);
    const space = /^\s+/.exec(rest)?.[0];
    const symbol = symbols.find((candidate) => rest.startsWith(candidate));
    const word = space ?? symbol ?? /^[^\s=!(),<>]+/.exec(rest)?.[0] ?? rest;
    if (space === undefined) found.push(word);
    i += word.length;
  }
  return found;
}

/** Reads a label selector, equality- and set-based; throws 400 in the real server's words. */
export function parseLabelSelector(text: string): LabelTest {
  const parser = new Parser(tokens(text));
  const tests = parser.requirements();
  return (labels) => tests.every((test) => test(labels));
}

class Parser {
  readonly #tokens: readonly string[];
  #next = 0;

  constructor(all: readonly string[]) {
    this.#tokens = all;
  }

  requirements(): LabelTest[] {
    const tests: LabelTest[] = [];
    if (this.#tokens.length === 0) return tests;
    for (;;) {
      tests.push(this.#requirement());
      const token = this.#take();
      if (token === undefined) return tests;
      if (token !== ',') this.#fail(`found '${token}', expected: ',' or 'end of string'`);
      const after = this.#peek();
      if (after === undefined || (!isWord(after) && after !== '!'))
        this.#fail(`found '${after ?? ''}', expected: identifier after ','`);
    }
  }

  #requirement(): LabelTest {
    const negated = this.#peek() === '!';
    if (negated) this.#next++;
    const key = this.#word();
    checkKey(key);
    const operator = this.#peek();
    if (operator === undefined || operator === ',') return (labels) => Object.hasOwn(labels, key) !== negated;
    if (negated) this.#fail(`found '${operator}', expected: ',' or 'end of string'`);
    this.#next++;
    return this.#comparison(key, operator);
  }

  #comparison(key: string, operator: string): LabelTest {
    const has = (labels: Labels): string | undefined => (Object.hasOwn(labels, key) ? labels[key] : undefined);
    if (operator === '=' || operator === '==') {
      const value = this.#value();
      return (labels) => has(labels) === value;
    }
    if (operator === '!=') {
      const value = this.#value();
      return (labels) => has(labels) !== value;
    }
    if (operator === 'in' || operator === 'notin') return this.#set(key, operator, has);
    if (operator === '<' || operator === '>') return this.#order(operator, has);
    return this.#fail(`found '${operator}', expected: in, notin, =, ==, !=, gt, lt`);
  }

  #set(key: string, operator: string, has: (labels: Labels) => string | undefined): LabelTest {
    const opening = this.#take();
    if (opening !== '(') this.#fail(`found '${opening ?? ''}' expected: '('`);
    const values = new Set<string>();
    for (;;) {
      const token = this.#take();
      if (token === ')') break;
      if (token === ',') {
        if (this.#peek() === ')') values.add('');
        continue;
      }
      if (token === undefined || !isWord(token)) this.#fail(`found '${token ?? ''}', expected: ',', ')' or identifier`);
      checkValue(key, token);
      values.add(token);
    }
    if (values.size === 0) values.add('');
    return operator === 'in'
      ? (labels) => values.has(has(labels) ?? '\u0000')
      : (labels) => !values.has(has(labels) ?? '\u0000');
  }

  #order(operator: string, has: (labels: Labels) => string | undefined): LabelTest {
    const text = this.#value();
    if (!/^[+-]?\d+$/.test(text))
      this.#fail(
        `values[0]: Invalid value: ${JSON.stringify(text)}: for 'Gt', 'Lt' operators, the value must be an integer`,
      );
    const bound = Number(text);
    return (labels) => {
      const value = has(labels);
      if (value === undefined || !/^[+-]?\d+$/.test(value)) return false;
      return operator === '>' ? Number(value) > bound : Number(value) < bound;
    };
  }

  #value(): string {
    const token = this.#peek();
    if (token === undefined || token === ',') return '';
    return this.#word(true);
  }

  #word(isValue = false): string {
    const token = this.#take();
    if (token === undefined || !isWord(token))
      this.#fail(`found '${token ?? ''}', expected: ${isValue ? 'identifier' : "!, identifier, or 'end of string'"}`);
    if (isValue) checkValue('', token);
    return token;
  }

  #peek(): string | undefined {
    return this.#tokens[this.#next];
  }

  #take(): string | undefined {
    return this.#tokens[this.#next++];
  }

  #fail(why: string): never {
    throw badRequest(`unable to parse requirement: ${why}`);
  }
}

function isWord(token: string): boolean {
  return !symbols.includes(token);
}

function checkKey(key: string): void {
  const [problem] = qualifiedNameProblems(key);
  if (problem !== undefined)
    throw badRequest(`unable to parse requirement: <nil>: Invalid value: ${JSON.stringify(key)}: ${problem}`);
}

function checkValue(key: string, value: string): void {
  const [problem] = labelValueProblems(value);
  if (problem !== undefined)
    throw badRequest(
      `unable to parse requirement: values[0][${key}]: Invalid value: ${JSON.stringify(value)}: ${problem}`,
    );
}
