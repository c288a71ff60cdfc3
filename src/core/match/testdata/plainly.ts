/** The grammar of globs told as plainly as can be: try everything. Slow, and right by its looks. */
export function plainly(pattern: string, text: string, stop: string): boolean {
  if (pattern === '') return text === '';
  const [head = '', ...tail] = Array.from(pattern);
  const rest = tail.join('');
  if (head === '*') return star(rest, text, stop);
  if (head === '{') return choices(rest, text, stop);
  if (text === '') return false;
  const [first = '', ...others] = Array.from(text);
  const left = others.join('');
  if (head === '?') return !stop.includes(first) && plainly(rest, left, stop);
  if (head === '[') return set(rest, first, left, stop);
  if (head === '\\') return first === tail[0] && plainly(tail.slice(1).join(''), left, stop);
  return first === head && plainly(rest, left, stop);
}

function star(rest: string, text: string, stop: string): boolean {
  const both = rest.startsWith('*');
  const after = both ? rest.slice(1) : rest;
  for (let end = 0; end <= text.length; end++) {
    if (!both && stop !== '' && text.slice(0, end).includes(stop)) return false;
    if (plainly(after, text.slice(end), stop)) return true;
  }
  return false;
}

/** `{a,b}rest` is `arest` or `brest`. */
function choices(rest: string, text: string, stop: string): boolean {
  const found = [''];
  let depth = 1;
  let at = 0;
  for (; depth > 0; at++) {
    const char = rest[at] ?? '}';
    if (char === '{') depth++;
    if (char === '}') depth--;
    if (depth === 0) break;
    if (char === ',' && depth === 1) found.push('');
    else found[found.length - 1] += char === '\\' ? `\\${rest[++at]}` : char;
  }
  // A star that ends a choice and one that follows the braces stay two stars: `{}` keeps them apart.
  return found.some((choice) => plainly(`${choice}${choice.endsWith('*') ? '{}' : ''}${rest.slice(at + 1)}`, text, stop));
}

function set(rest: string, first: string, left: string, stop: string): boolean {
  const end = rest.indexOf(']');
  const negative = rest.startsWith('!');
  const inner = rest.slice(negative ? 1 : 0, end);
  const range = /^(.)-(.)$/u.exec(inner);
  const hit = range === null ? inner.includes(first) : first >= (range[1] ?? '') && first <= (range[2] ?? '');
  return hit !== negative && plainly(rest.slice(end + 1), left, stop);
}
