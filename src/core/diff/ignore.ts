import type { IgnoreDifference, IgnoreRules, ResourceOverride } from '../api/index.ts';
import { compileJq, type Jq, type JqProblem } from '../jq/index.ts';
import { compileGlob } from '../match/index.ts';
import type { ObjectKey } from '../objects/index.ts';

/** What does not count in one object. */
export interface Ignored {
  /** Each as its steps. */
  readonly pointers: readonly (readonly string[])[];
  readonly programs: readonly Jq[];
  readonly managers: ReadonlySet<string>;
}

/** The ignore rules of an Application and of the settings, ready for use. */
export interface IgnoreTable {
  /** Undefined where everything counts. */
  of(key: ObjectKey): Ignored | undefined;
  /** How many rules there are to be asked for each object. */
  readonly size: number;
  /** Rules that cannot be used: then nothing can be compared. */
  readonly problems: readonly string[];
}

type Which = 'ignoreDifferences' | 'ignoreResourceUpdates';

interface Rule extends Ignored {
  readonly applies: (key: ObjectKey) => boolean;
}

const nothing: IgnoreTable = { of: () => undefined, size: 0, problems: [] };

/** Gathers the rules of an Application and those an admin wrote for whole kinds; they add up. */
export function ignoreTable(
  own: readonly IgnoreDifference[],
  overrides: ReadonlyMap<string, ResourceOverride> = new Map(),
  which: readonly Which[] = ['ignoreDifferences'],
): IgnoreTable {
  const problems: string[] = [];
  const rules = own.map((each) => ruleOf(each, ownMatcher(each), problems));
  for (const [kind, override] of overrides) {
    for (const part of which) {
      const written = override[part];
      if (written !== undefined) rules.push(ruleOf(written, kindMatcher(kind), problems));
    }
  }
  if (rules.length === 0) return nothing;
  return { of: (key) => merged(rules.filter(({ applies }) => applies(key))), size: rules.length, problems };
}

function ruleOf(written: IgnoreRules, applies: Rule['applies'], problems: string[]): Rule {
  const programs = (written.jqPathExpressions ?? []).flatMap((source) => {
    const jq = compiled(source);
    if (jq.ok) return [jq];
    problems.push(`the jqPathExpression ${JSON.stringify(source)} cannot be used: ${jq.message}`);
    return [];
  });
  const pointers = (written.jsonPointers ?? []).flatMap((text) => {
    const steps = pointerSteps(text);
    if (steps !== undefined) return [steps];
    problems.push(`the jsonPointer ${JSON.stringify(text)} cannot be used: it must begin with /`);
    return [];
  });
  return { applies, programs, pointers, managers: new Set(written.managedFieldsManagers) };
}

function merged(rules: readonly Rule[]): Ignored | undefined {
  if (rules.length < 2) return rules[0];
  return {
    pointers: rules.flatMap(({ pointers }) => pointers),
    programs: rules.flatMap(({ programs }) => programs),
    managers: new Set(rules.flatMap(({ managers }) => [...managers])),
  };
}

function ownMatcher({ group = '', kind, name = '', namespace = '' }: IgnoreDifference): Rule['applies'] {
  const [isGroup, isKind] = [globTest(group), globTest(kind)];
  return (key) =>
    isGroup(key.group) &&
    isKind(key.kind) &&
    (name === '' || name === key.name) &&
    (namespace === '' || namespace === key.namespace);
}

/** `group/Kind`, or `Kind` alone for the core group; both may be globs. */
function kindMatcher(text: string): Rule['applies'] {
  const slash = text.lastIndexOf('/');
  const [isGroup, isKind] = [globTest(slash < 0 ? '' : text.slice(0, slash)), globTest(text.slice(slash + 1))];
  return (key) => isGroup(key.group) && isKind(key.kind);
}

/** A glob that cannot be read matches nothing: then more counts, not less. */
function globTest(pattern: string): (text: string) => boolean {
  if (pattern === '') return (text) => text === '';
  const glob = compileGlob(pattern);
  return glob.ok ? (text) => glob.matches(text) : () => false;
}

/** The steps of a JSON pointer; undefined where it is none. */
export function pointerSteps(text: string): readonly string[] | undefined {
  if (!text.startsWith('/')) return undefined;
  return text
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

const programs = new Map<string, Jq | JqProblem>();
const longestKnown = 10_000;

/** The same few expressions come with every comparison. */
function compiled(source: string): Jq | JqProblem {
  const known = programs.get(source);
  if (known !== undefined) return known;
  const jq = compileJq(source);
  // One that is far too long is no program, and not worth its room.
  if (source.length > longestKnown) return jq;
  if (programs.size > 1000) programs.clear();
  programs.set(source, jq);
  return jq;
}
