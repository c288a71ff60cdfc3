import { isKnownCall } from './functions.ts';
import { JqSyntax, type Token, tokens } from './lexer.ts';
import type { Node } from './node.ts';

const maxNesting = 100;
const identity: Node = { is: 'identity' };
const keywords = new Set(['and', 'or', 'as', 'if', 'then', 'elif', 'else', 'end', 'try', 'catch', 'reduce', 'foreach']);
const refused = new Set(['def', 'reduce', 'foreach', 'label', 'import', 'include', 'catch', '__loc__']);

/** How tightly an operator binds, and to which side. */
const operators: ReadonlyMap<string, { readonly level: number; readonly right?: boolean; readonly single?: boolean }> =
  new Map([
    ['//', { level: 3, right: true }],
    ['or', { level: 5 }],
    ['and', { level: 6 }],
    ['==', { level: 7, single: true }],
    ['!=', { level: 7, single: true }],
    ['<', { level: 7, single: true }],
    ['<=', { level: 7, single: true }],
    ['>', { level: 7, single: true }],
    ['>=', { level: 7, single: true }],
    ['+', { level: 8 }],
    ['-', { level: 8 }],
    ['*', { level: 9 }],
    ['/', { level: 9 }],
    ['%', { level: 9 }],
  ]);

/** Reads a program; throws JqSyntax where it is none. */
export function parse(source: string): Node {
  const parser = new Parser(tokens(source));
  const node = parser.pipe();
  parser.expectEnd();
  return node;
}

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(list: readonly Token[]) {
    this.#tokens = list;
  }

  expectEnd(): void {
    if (this.#at < this.#tokens.length) throw this.#unexpected();
  }

  pipe(): Node {
    if (++this.#depth > maxNesting) throw new JqSyntax('nests too deep');
    const first = this.#commas();
    if (this.#take('as')) {
      const name = this.#next();
      if (name?.type !== 'word' || !name.text.startsWith('$')) throw new JqSyntax('only a plain $name may follow as');
      this.#expect('|');
      const bound: Node = { is: 'bind', value: first, name: name.text, body: this.pipe() };
      this.#depth--;
      return bound;
    }
    const node: Node = this.#take('|') ? { is: 'pipe', first, next: this.pipe() } : first;
    this.#depth--;
    return node;
  }

  #commas(): Node {
    let left = this.#binary(0);
    while (this.#take(',')) left = { is: 'both', left, right: this.#binary(0) };
    return left;
  }

  #binary(level: number): Node {
    if (++this.#depth > maxNesting) throw new JqSyntax('nests too deep');
    let left = this.#unary();
    for (;;) {
      const token = this.#tokens[this.#at];
      const sign = token?.type === 'sign' || token?.type === 'word' ? token.text : '';
      const operator = operators.get(sign);
      if (operator === undefined || operator.level < level) break;
      this.#at++;
      left = { is: 'binary', sign, left, right: this.#binary(operator.right ? operator.level : operator.level + 1) };
    }
    this.#depth--;
    return left;
  }

  #unary(): Node {
    if (this.#take('-'))
      return { is: 'binary', sign: '-', left: { is: 'literal', value: 0 }, right: this.#postfix(this.#term()) };
    return this.#postfix(this.#term());
  }

  #postfix(term: Node): Node {
    let node = term;
    for (;;) {
      const token = this.#tokens[this.#at];
      if (token?.type === 'field') {
        this.#at++;
        node = { is: 'index', of: node, key: { is: 'literal', value: token.text } };
      } else if (this.#take('?')) node = { is: 'try', body: node };
      else if (this.#take('[')) node = this.#bracket(node);
      else if (this.#isDotBefore('text') || this.#isDotBefore('[')) {
        this.#at++;
        node = this.#afterDot(node);
      } else return node;
    }
  }

  #isDotBefore(what: string): boolean {
    const [dot, next] = [this.#tokens[this.#at], this.#tokens[this.#at + 1]];
    if (dot?.type !== 'sign' || dot.text !== '.') return false;
    return next?.type === what || (next?.type === 'sign' && next.text === what);
  }

  #afterDot(of: Node): Node {
    const token = this.#tokens[this.#at];
    if (token?.type === 'text') {
      this.#at++;
      return { is: 'index', of, key: { is: 'literal', value: token.text } };
    }
    return this.#take('[') ? this.#bracket(of) : of;
  }

  /** What follows `[` after a term. */
  #bracket(of: Node): Node {
    if (this.#take(']')) return { is: 'iterate', of };
    if (this.#take(':')) {
      const to = this.pipe();
      this.#expect(']');
      return { is: 'slice', of, from: undefined, to };
    }
    const key = this.pipe();
    if (!this.#take(':')) {
      this.#expect(']');
      return { is: 'index', of, key };
    }
    if (this.#take(']')) return { is: 'slice', of, from: key, to: undefined };
    const to = this.pipe();
    this.#expect(']');
    return { is: 'slice', of, from: key, to };
  }

  #term(): Node {
    const token = this.#next();
    if (token === undefined) throw new JqSyntax('ends where a value should stand');
    switch (token.type) {
      case 'text':
        return { is: 'literal', value: token.text };
      case 'number':
        return { is: 'literal', value: token.value };
      case 'field':
        return { is: 'index', of: identity, key: { is: 'literal', value: token.text } };
      case 'word':
        return this.#word(token.text);
      case 'sign':
        return this.#sign(token.text);
    }
  }

  #sign(sign: string): Node {
    switch (sign) {
      case '.':
        return this.#afterDot(identity);
      case '..':
        return { is: 'recurse' };
      case '(': {
        const node = this.pipe();
        this.#expect(')');
        return node;
      }
      case '[': {
        if (this.#take(']')) return { is: 'list', items: undefined };
        const items = this.pipe();
        this.#expect(']');
        return { is: 'list', items };
      }
      case '{':
        return this.#object();
      default:
        this.#at--;
        throw this.#unexpected();
    }
  }

  #word(word: string): Node {
    if (refused.has(word)) throw new JqSyntax(`${word} is not supported`);
    if (word.startsWith('$')) return { is: 'variable', name: word };
    if (word === 'if') return this.#if();
    if (word === 'try') return this.#try();
    if (word === 'null') return { is: 'literal', value: null };
    if (word === 'true' || word === 'false') return { is: 'literal', value: word === 'true' };
    if (keywords.has(word)) throw new JqSyntax(`unexpected ${word}`);
    const args: Node[] = [];
    if (this.#take('(')) {
      do args.push(this.pipe());
      while (this.#take(';'));
      this.#expect(')');
    }
    if (!isKnownCall(word, args.length)) throw new JqSyntax(`function not defined: ${word}/${args.length}`);
    return { is: 'call', name: word, args };
  }

  #try(): Node {
    const body = this.#postfix(this.#term());
    if (this.#peek('catch')) throw new JqSyntax('catch is not supported');
    return { is: 'try', body };
  }

  #if(): Node {
    const test = this.pipe();
    this.#expect('then');
    const yes = this.pipe();
    if (this.#take('elif')) return { is: 'if', test, yes, no: this.#if() };
    const no = this.#take('else') ? this.pipe() : identity;
    this.#expect('end');
    return { is: 'if', test, yes, no };
  }

  #object(): Node {
    const entries: { key: Node; value: Node }[] = [];
    if (this.#take('}')) return { is: 'object', entries };
    do entries.push(this.#entry());
    while (this.#take(','));
    this.#expect('}');
    return { is: 'object', entries };
  }

  #entry(): { key: Node; value: Node } {
    const token = this.#next();
    const name = token?.type === 'word' || token?.type === 'text' ? token.text.replace(/^\$/, '') : undefined;
    if (name === undefined && !(token?.type === 'sign' && token.text === '(')) throw new JqSyntax('a key is missing');
    const key: Node = name === undefined ? this.pipe() : { is: 'literal', value: name };
    if (name === undefined) this.#expect(')');
    if (this.#take(':')) return { key, value: this.#binary(4) };
    if (token?.type === 'word' && token.text.startsWith('$'))
      return { key, value: { is: 'variable', name: token.text } };
    return { key, value: { is: 'index', of: identity, key } };
  }

  #next(): Token | undefined {
    return this.#tokens[this.#at++];
  }

  #peek(text: string): boolean {
    const token = this.#tokens[this.#at];
    return (token?.type === 'sign' || token?.type === 'word') && token.text === text;
  }

  #take(text: string): boolean {
    const found = this.#peek(text);
    if (found) this.#at++;
    return found;
  }

  #expect(text: string): void {
    if (!this.#take(text)) throw this.#unexpected();
  }

  #unexpected(): JqSyntax {
    const token = this.#tokens[this.#at];
    if (token === undefined) return new JqSyntax('ends too early');
    return new JqSyntax(`unexpected ${token.type === 'number' ? token.value : JSON.stringify(token.text)}`);
  }
}
