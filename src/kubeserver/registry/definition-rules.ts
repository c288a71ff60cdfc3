import type { KubeObject } from '../../core/objects/index.ts';
import type { Cause } from '../status.ts';

/** What is wrong with a CRD. */
export function definitionProblems(_object: KubeObject, _old: KubeObject | undefined): Cause[] {
  return [];
}
