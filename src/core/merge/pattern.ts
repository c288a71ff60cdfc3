import { compileRegex } from '../match/index.ts';

type Matcher = (text: string) => boolean;

const compiled = new Map<string, Matcher | undefined>();
const maxKept = 1000;

/** Tells whether a text matches a pattern written for Go; a pattern that cannot be read matches nothing. */
export function matchesPattern(text: string, pattern: string): boolean {
  return matcherOf(pattern)?.(text) ?? false;
}

/** Tells whether a pattern can be read at all. */
export function isPattern(pattern: string): boolean {
  return matcherOf(pattern) !== undefined;
}

function matcherOf(pattern: string): Matcher | undefined {
  if (compiled.has(pattern)) return compiled.get(pattern);
  if (compiled.size >= maxKept) compiled.clear();
  const matcher = compile(pattern);
  compiled.set(pattern, matcher);
  return matcher;
}

/**
 * Go matches in linear time, and so does our automaton. What that cannot read (flags, Unicode classes, wide repeats) falls
 * to JavaScript, unless it repeats a repetition: then a short text could take for ever, and the pattern counts as unreadable.
 */
function compile(pattern: string): Matcher | undefined {
  const plain = translate(pattern);
  const machine = /^\(\?|\(\?[^:=!<]|\\[pPQ]/.test(pattern) ? undefined : compileRegex(plain);
  if (machine?.ok) return (text) => machine.matches(text);
  const flags = /^\(\?([ims]+)\)/.exec(plain);
  if (/[+*}]\)[+*{]/.test(plain)) return undefined;
  return backtracking(plain.slice(flags?.[0].length ?? 0).replaceAll('\\z', '$'), flags?.[1] ?? '');
}

function backtracking(body: string, flags: string): Matcher | undefined {
  for (const mode of ['u', '']) {
    try {
      const expression = new RegExp(body, flags + mode);
      return (text) => expression.test(text);
    } catch {
      // Without `u` JavaScript accepts escapes of plain characters, as Go does for punctuation.
    }
  }
  return undefined;
}

const shorthands: Record<string, string> = { d: '0-9', w: '0-9A-Za-z_', s: '\\t\\n\\f\\r ' };

/** Go's spellings in a dialect both engines read alike: ASCII classes, POSIX names, `$` only at the very end. */
function translate(pattern: string): string {
  let [out, inClass] = ['', false];
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i] ?? '';
    const posixName = inClass ? /^\[:(\w+):\]/.exec(pattern.slice(i, i + 12)) : null;
    if (posixName !== null) {
      out += posix[posixName[1] ?? ''] ?? '';
      i += posixName[0].length - 1;
    } else if (/^\\[pP][A-Z]/.test(pattern.slice(i, i + 3))) {
      out += `\\${pattern[i + 1]}{${pattern[i + 2]}}`;
      i += 2;
    } else if (char === '\\') {
      out += escaped(pattern[++i] ?? '', inClass);
    } else {
      if (char === '[' && !inClass) inClass = true;
      else if (char === ']' && inClass && !/\[\^?$/.test(out)) inClass = false;
      out += char === '$' && !inClass ? '\\z' : char;
    }
  }
  return out.replaceAll('(?P<', '(?<');
}

function escaped(char: string, inClass: boolean): string {
  if (char === 'A') return '^';
  if (char === 'z') return '\\z';
  const short = shorthands[char];
  if (short !== undefined) return inClass ? short : `[${short}]`;
  const negated = shorthands[char.toLowerCase()];
  return negated !== undefined && /[DWS]/.test(char) && !inClass ? `[^${negated}]` : `\\${char}`;
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
