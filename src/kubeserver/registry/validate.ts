import { type Problem, validate } from '../../core/merge/index.ts';
import { asJson, type KubeObject } from '../../core/objects/index.ts';
import { type Cause, invalid } from '../status.ts';
import { definitionProblems } from './definition-rules.ts';
import { immutableMetadataProblems } from './metadata.ts';
import type { Served } from './served.ts';

/** Throws 422 with everything wrong in a new object. */
export function validateNew(object: KubeObject, served: Served): void {
  refuse(object, served, contentProblems(object, undefined, served));
}

/** Throws 422 with everything wrong in a changed object. */
export function validateUpdate(object: KubeObject, old: KubeObject, served: Served): void {
  refuse(object, served, [...immutableMetadataProblems(object, old), ...contentProblems(object, old, served)]);
}

function refuse(object: KubeObject, served: Served, causes: readonly Cause[]): void {
  if (causes.length > 0) throw invalid(served.info, object.metadata.name ?? '', causes);
}

/** Rules of the kind: a custom kind's schema, a CRD's own rules; those of other built-in kinds are admission's. */
function contentProblems(object: KubeObject, old: KubeObject | undefined, served: Served): Cause[] {
  if (served.info.storage === 'customresourcedefinitions.apiextensions.k8s.io') return definitionProblems(object, old);
  if (served.custom === undefined) return [];
  const before = old === undefined ? {} : { old: asJson(old) };
  return validate(asJson(object), served.schema, served.resolve, before).map(causeOf);
}

function causeOf({ path, reason, message }: Problem): Cause {
  return { field: path, reason: reason as Cause['reason'], message }; // both lists are Kubernetes'
}
