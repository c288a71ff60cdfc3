/**
 * Patterns as admins and tenants write them: globs, path patterns, `/regex/`, repository addresses, label selectors.
 *
 * All work here is bounded by pattern × text, whoever wrote the pattern; which field takes which pattern, and what a match
 * permits, is for `core/policy`. Begin with `pattern.ts`, then `automaton.ts`, which all dialects share.
 */
export { compileGlob, type GlobOptions } from './glob.ts';
export { type LabelExpression, type LabelSelector, labelSelectorProblem, selectsLabels } from './label-selector.ts';
export { compileNamespacePattern, isRegexPattern, type NamespacePattern } from './namespace-pattern.ts';
export { compilePathPattern } from './path-pattern.ts';
export { type Compiled, maxPatternLength, type PatternProblem, type StepCounter } from './pattern.ts';
export { compileRegex } from './regex.ts';
export { barestRepositoryUrl, normalizeRepositoryUrl } from './repository-url.ts';
