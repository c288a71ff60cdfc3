const compiled = new Map<string, RegExp | undefined>();
const maxKept = 1000;

/** Tells whether a text matches a pattern written for Go; a pattern that cannot be read matches nothing. */
export function matchesPattern(text: string, pattern: string): boolean {
  return compile(pattern)?.test(text) ?? false;
}

function compile(pattern: string): RegExp | undefined {
  if (compiled.has(pattern)) return compiled.get(pattern);
  if (compiled.size >= maxKept) compiled.clear();
  const expression = translate(pattern);
  compiled.set(pattern, expression);
  return expression;
}

/** Go's spellings that JavaScript lacks: leading flags, `\A`, `\z`, `(?P<name>`, POSIX classes. */
function translate(pattern: string): RegExp | undefined {
  const flags = /^\(\?([ims]+)\)/.exec(pattern);
  const body = pattern
    .slice(flags?.[0].length ?? 0)
    .replace(/\\A/g, '^')
    .replace(/\\z/g, '$')
    .replace(/\(\?P</g, '(?<')
    .replace(/\[:(alnum|alpha|digit|lower|upper|space|punct|xdigit):\]/g, (_, name: string) => posix[name] ?? '');
  for (const mode of ['u', '']) {
    try {
      return new RegExp(body, `${flags?.[1] ?? ''}${mode}`);
    } catch {
      // Without `u` JavaScript accepts escapes of plain characters, as Go does for punctuation.
    }
  }
  return undefined;
}

const posix: Record<string, string> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  digit: '0-9',
  lower: 'a-z',
  upper: 'A-Z',
  space: '\\t\\n\\v\\f\\r ',
  punct: '!-\\/:-@\\[-`{-~',
  xdigit: '0-9A-Fa-f',
};
