/**
 * What an Application's status says, folded from what was compared and done, in Argo CD's fields and words.
 *
 * Pure: the clock comes in as a text. Writing it is for the controller. Begin with `fold.ts`.
 */
export { conditionsAfter, type OwnedConditions } from './conditions.ts';
export { foldStatus, type StatusFacts } from './fold.ts';
export { afterHealth, afterOtherNews, isTellingOver, mayTell, type Telling } from './may-tell.ts';
export { patchBetween } from './patch.ts';
export { newErrors, type Transition, transitionBetween } from './transition.ts';
