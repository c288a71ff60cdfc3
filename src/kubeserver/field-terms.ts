/** One requirement of a field selector; `problem` where its value is not written as it must be. */
export interface FieldTerm {
  readonly text: string;
  readonly field: string;
  /** Undefined where the term has none and says nothing. */
  readonly operator: '!=' | '==' | '=' | undefined;
  readonly value: string;
  readonly problem?: string;
}

/**
 * The terms of a field selector. Access and selection both read it through here: if they took it apart differently, a
 * client could ask for one name and be shown others.
 */
export function fieldTerms(selector: string): FieldTerm[] {
  return splitTerms(selector)
    .filter((text) => text.trim() !== '')
    .map(readTerm);
}

/** The one name a selector asks for; undefined if it asks for none, or cannot be read. */
export function selectedName(selector: string): string | undefined {
  const terms = fieldTerms(selector);
  if (terms.some(({ operator, problem }) => operator === undefined || problem !== undefined)) return undefined;
  return terms.find(({ field, operator }) => field === 'metadata.name' && operator !== '!=')?.value;
}

/** Commas divide terms; a backslash takes away the meaning of what follows it. */
function splitTerms(selector: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < selector.length; i++) {
    if (selector[i] === '\\') i++;
    else if (selector[i] === ',') {
      terms.push(selector.slice(start, i));
      start = i + 1;
    }
  }
  return [...terms, selector.slice(start)];
}

function readTerm(text: string): FieldTerm {
  const match = /^([^=]*?)(!=|==|=)(.*)$/s.exec(text);
  if (match === null) return { text, field: '', operator: undefined, value: '' };
  const [, field = '', found, raw = ''] = match;
  const operator = found === '!=' || found === '==' ? found : '=';
  return { text, field, operator, ...unescaped(raw) };
}

function unescaped(raw: string): { value: string; problem?: string } {
  let value = '';
  for (let i = 0; i < raw.length; i++) {
    const c = raw[i] ?? '';
    if (c === '=') return { value: '', problem: 'invalid field selector: unescaped character in value: 61' };
    if (c !== '\\') value += c;
    else {
      const next = raw[++i] ?? '';
      if (!['\\', ',', '='].includes(next))
        return { value: '', problem: `invalid field selector: invalid escape sequence: \\${next}` };
      value += next;
    }
  }
  return { value };
}
