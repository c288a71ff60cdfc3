/** What Go's decoder says about a text that is no JSON. Only called for such a text. */
export function goJsonProblem(text: string): string {
  const scanner = new Scanner(text);
  try {
    scanner.value();
    scanner.space();
    if (scanner.position < text.length) return scanner.unexpected('after top-level value');
  } catch (problem) {
    return problem instanceof Error ? problem.message : String(problem);
  }
  return 'unexpected end of JSON input';
}

/** Paths of keys that occur twice in one object of a valid JSON text, in the order Go reports them. */
export function duplicateKeys(text: string): string[] {
  const scanner = new Scanner(text);
  try {
    scanner.value();
  } catch {
    return [];
  }
  return scanner.duplicates;
}

class Scanner {
  readonly #text: string;
  position = 0;
  readonly duplicates: string[] = [];
  readonly #path: string[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  space(): void {
    while (/[ \t\r\n]/.test(this.#text[this.position] ?? '')) this.position++;
  }

  unexpected(where: string): string {
    const char = this.#text[this.position];
    if (char === undefined) return 'unexpected end of JSON input';
    return `invalid character ${char === "'" ? `'\\''` : char === '"' ? `'"'` : `'${char}'`} ${where}`;
  }

  value(): void {
    this.space();
    const char = this.#text[this.position] ?? '';
    if (char === '{') this.#object();
    else if (char === '[') this.#array();
    else if (char === '"') this.#string();
    else if (/[-0-9]/.test(char)) this.#number();
    else this.#word();
  }

  #fail(where: string): never {
    throw new Error(this.unexpected(where));
  }

  #object(): void {
    this.position++;
    const seen = new Set<string>();
    this.space();
    if (this.#text[this.position] === '}') {
      this.position++;
      return;
    }
    for (;;) {
      this.space();
      if (this.#text[this.position] !== '"') this.#fail('looking for beginning of object key string');
      const key = this.#string();
      this.#path.push(this.#path.length === 0 ? key : `.${key}`);
      if (seen.has(key)) this.duplicates.push(this.#path.join(''));
      seen.add(key);
      this.space();
      if (this.#text[this.position] !== ':') this.#fail('after object key');
      this.position++;
      this.value();
      this.#path.pop();
      if (this.#closes('}', 'after object key:value pair')) return;
    }
  }

  #array(): void {
    this.position++;
    this.space();
    if (this.#text[this.position] === ']') {
      this.position++;
      return;
    }
    for (let index = 0; ; index++) {
      this.#path.push(`[${index}]`);
      this.value();
      this.#path.pop();
      if (this.#closes(']', 'after array element')) return;
    }
  }

  /** After an element: true at the end, false at a comma. */
  #closes(end: string, where: string): boolean {
    this.space();
    const char = this.#text[this.position];
    if (char !== end && char !== ',') this.#fail(where);
    this.position++;
    return char === end;
  }

  #string(): string {
    const start = this.position++;
    for (;;) {
      const char = this.#text[this.position];
      if (char === undefined || char < ' ') this.#fail('in string literal');
      this.position += char === '\\' ? 2 : 1;
      if (char === '"') break;
    }
    const raw = this.#text.slice(start, this.position);
    try {
      return String(JSON.parse(raw));
    } catch {
      return raw.slice(1, -1);
    }
  }

  #number(): void {
    const match = /-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
    match.lastIndex = this.position;
    const found = match.exec(this.#text)?.[0];
    this.position += found?.length ?? 1;
    if (found === undefined) this.#fail('in numeric literal');
  }

  #word(): void {
    const start = this.position;
    const word = ['true', 'false', 'null'].find((candidate) => candidate[0] === this.#text[start]);
    if (word === undefined) this.#fail('looking for beginning of value');
    for (let i = 0; i < word.length; i++, this.position++)
      if (this.#text[this.position] !== word[i]) this.#fail(`in literal ${word} (expecting '${word[i]}')`);
  }
}
