import type { Condition } from '../api/index.ts';

/** What one step has to say, and the condition types only it may say or take back. */
export interface OwnedConditions {
  readonly types: readonly string[];
  readonly conditions: readonly { readonly type: string; readonly message: string }[];
}

/** The conditions after a step: others' stay, its own are replaced, and the time of an unchanged one is kept. */
export function conditionsAfter(before: readonly Condition[], step: OwnedConditions, now: string): Condition[] {
  const kept = before.filter(({ type }) => !step.types.includes(type));
  const said = step.conditions.map(({ type, message }) => {
    const known = before.find((condition) => condition.type === type && condition.message === message);
    return { type, message, lastTransitionTime: known?.lastTransitionTime ?? now };
  });
  return [...kept, ...said].sort((a, b) => compareText(a.type, b.type) || compareText(a.message, b.message));
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
