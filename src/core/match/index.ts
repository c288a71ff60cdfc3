/**
 * Patterns as admins and tenants write them: globs, path patterns, `/regex/`, repository addresses, label selectors.
 *
 * All work here is bounded by pattern × text, whoever wrote the pattern; which field takes which pattern, and what a match
 * permits, is for `core/policy`.
 */
export { type LabelExpression, type LabelSelector, labelSelectorProblem, selectsLabels } from './label-selector.ts';
