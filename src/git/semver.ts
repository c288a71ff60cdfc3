/** A version as Masterminds/semver reads it: missing parts are zero, a leading `v` is fine, build metadata is ignored. */
export interface Version {
  readonly numbers: readonly [major: number, minor: number, patch: number];
  readonly prerelease: readonly string[];
}

/** One comparison; `given` counts the parts that were written (`1.x` has one). */
interface Term {
  readonly operator: string;
  readonly version: Version;
  readonly given: number;
}

/** Alternatives of comparisons that must all hold. */
export type Constraint = readonly (readonly Term[])[];

const part = '(?:[0-9]+|[xX*])';
const identifiers = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*';
const pattern = `v?(${part})(?:\\.(${part}))?(?:\\.(${part}))?(?:-(${identifiers}))?(?:\\+${identifiers})?`;
const termText = new RegExp(`^(=|!=|>|<|>=|=>|<=|=<|~|~>|\\^)?\\s*${pattern}$`);
const versionText = new RegExp(
  `^v?([0-9]+)(?:\\.([0-9]+))?(?:\\.([0-9]+))?(?:-(${identifiers}))?(?:\\+${identifiers})?$`,
);
const maxConstraintLength = 512;
/** Longer numbers would lose digits; no release has them. */
const maxDigits = 15;

/** Whether a text is a version by itself, which then is a name and not a constraint. */
export function isVersion(text: string): boolean {
  return parseVersion(text) !== undefined;
}

/** Reads a version, or `undefined`. */
export function parseVersion(text: string): Version | undefined {
  if (text.length > maxConstraintLength) return undefined;
  const match = versionText.exec(text);
  if (match === null) return undefined;
  const numbers = [match[1], match[2] ?? '0', match[3] ?? '0'].map((digits) => digits ?? '0');
  if (numbers.some((digits) => digits.length > maxDigits)) return undefined;
  const [major = 0, minor = 0, patch = 0] = numbers.map(Number);
  return { numbers: [major, minor, patch], prerelease: match[4]?.split('.') ?? [] };
}

/** Reads a constraint, or `undefined` where the text is none. */
export function parseConstraint(text: string): Constraint | undefined {
  if (text.length > maxConstraintLength || text.trim() === '') return undefined;
  const groups: Term[][] = [];
  for (const group of text.split('||')) {
    const terms = parseGroup(group);
    if (terms === undefined) return undefined;
    groups.push(terms);
  }
  return groups;
}

/** Whether a version is within a constraint. */
export function satisfies(version: Version, constraint: Constraint): boolean {
  return constraint.some((terms) => {
    // Pre-releases are only for those who ask for one.
    const asked = terms.some((term) => term.version.prerelease.length > 0);
    if (version.prerelease.length > 0 && !asked) return false;
    return terms.every((term) => holds(version, term));
  });
}

/** The name of the highest version within a constraint; names that are no versions are passed over. */
export function pickVersion(constraint: Constraint, names: Iterable<string>): string | undefined {
  let best: { name: string; version: Version } | undefined;
  for (const name of names) {
    const version = parseVersion(name);
    if (version === undefined || !satisfies(version, constraint)) continue;
    const order = best === undefined ? 1 : compareVersions(version, best.version);
    // Equal versions under two names (`v1.0.0`, `1.0.0`): the choice must not depend on the order of the list.
    if (order > 0 || (order === 0 && best !== undefined && name < best.name)) best = { name, version };
  }
  return best?.name;
}

/** Orders versions by precedence: negative, zero or positive. */
export function compareVersions(a: Version, b: Version): number {
  for (const index of [0, 1, 2] as const)
    if (a.numbers[index] !== b.numbers[index]) return a.numbers[index] - b.numbers[index];
  return comparePrereleases(a.prerelease, b.prerelease);
}

function parseGroup(group: string): Term[] | undefined {
  // `1.2 - 3.4` is a range; spaces between an operator and its version belong to the term.
  const plain = group
    .replace(/(\S+)\s+-\s+(\S+)/g, '>=$1 <=$2')
    .replace(/([=!<>~^])\s+/g, '$1')
    .trim();
  const terms = plain.split(/\s*,\s*|\s+/).map(parseTerm);
  return terms.every((term) => term !== undefined) ? terms : undefined;
}

function parseTerm(text: string): Term | undefined {
  const match = termText.exec(text);
  if (match === null) return undefined;
  const parts = [match[2], match[3], match[4]];
  const wild = parts.findIndex((one) => one === undefined || /[xX*]/.test(one));
  const given = wild < 0 ? 3 : wild;
  const digits = parts.slice(0, given).map((one) => one ?? '0');
  if (digits.some((one) => one.length > maxDigits)) return undefined;
  const [major = 0, minor = 0, patch = 0] = digits.map(Number);
  return {
    operator: match[1] ?? '=',
    version: { numbers: [major, minor, patch], prerelease: match[5]?.split('.') ?? [] },
    given,
  };
}

function holds(version: Version, term: Term): boolean {
  const order = compareVersions(version, term.version);
  switch (term.operator) {
    case '=':
      return term.given === 3 ? order === 0 : withinTilde(version, term, order);
    case '!=':
      return term.given === 3 ? order !== 0 : !samePrefix(version, term, term.given);
    case '>':
      return term.given === 3 || term.given === 0 ? order > 0 : order > 0 && !samePrefix(version, term, term.given);
    case '<':
      return order < 0;
    case '>=':
    case '=>':
      return order >= 0;
    case '<=':
    case '=<':
      return order <= 0 || (term.given > 0 && term.given < 3 && samePrefix(version, term, term.given));
    case '^':
      return withinCaret(version, term, order);
    default:
      return withinTilde(version, term, order);
  }
}

/** `~1.2.3` stays within 1.2, `~1` within 1; `~0.0.0` is Masterminds' way to say anything. */
function withinTilde(version: Version, term: Term, order: number): boolean {
  if (order < 0) return false;
  if (term.given !== 1 && term.given !== 2 && term.version.numbers.every((number) => number === 0)) return true;
  return samePrefix(version, term, Math.min(term.given, 2));
}

/** `^` keeps the first part that is not zero; of zeros it keeps as many as were written. */
function withinCaret(version: Version, term: Term, order: number): boolean {
  if (order < 0) return false;
  const first = term.version.numbers.findIndex((number) => number !== 0);
  return samePrefix(version, term, first < 0 ? term.given : Math.min(first + 1, term.given));
}

function samePrefix(version: Version, term: Term, length: number): boolean {
  return term.version.numbers.slice(0, length).every((number, index) => number === version.numbers[index]);
}

function comparePrereleases(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return b.length - a.length;
  for (let index = 0; index < Math.max(a.length, b.length); index += 1) {
    const [left, right] = [a[index], b[index]];
    if (left === undefined || right === undefined) return left === undefined ? -1 : 1;
    if (left === right) continue;
    const [leftNumber, rightNumber] = [/^[0-9]+$/.test(left), /^[0-9]+$/.test(right)];
    if (leftNumber && rightNumber) return left.length - right.length || (left < right ? -1 : 1);
    if (leftNumber !== rightNumber) return leftNumber ? -1 : 1;
    return left < right ? -1 : 1;
  }
  return 0;
}
