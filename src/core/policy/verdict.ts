/** The condition an Application gets for a refusal, in Argo CD's words. */
export type ConditionType =
  | 'InvalidSpecError'
  | 'UnknownError'
  | 'ComparisonError'
  | 'SyncError'
  | 'DeletionError'
  | 'OrphanedResourceWarning'
  | 'SharedResourceWarning'
  | 'ExcludedResourceWarning';

/** Which rule said no; stable, fit for metrics. */
export type Refusal =
  | 'namespace-not-watched'
  | 'project-missing'
  | 'project-invalid'
  | 'not-associated'
  | 'over-quota'
  | 'source-invalid'
  | 'source-not-permitted'
  | 'destination-invalid'
  | 'destination-not-permitted'
  | 'cluster-not-found'
  | 'cluster-ambiguous'
  | 'cluster-disabled'
  | 'cluster-not-scoped'
  | 'kind-not-permitted'
  | 'scope-unknown'
  | 'namespace-not-permitted'
  | 'namespace-not-managed'
  | 'name-invalid'
  | 'control-plane-object'
  | 'account-invalid'
  | 'account-missing'
  | 'window-closed'
  | 'window-invalid'
  | 'address-refused';

/** Permitted; there is one such value, so a permitted check costs no memory. */
export interface Allowed {
  readonly answer: 'allowed';
}

/** Refused, with the sentence the user reads. */
export interface Denied {
  readonly answer: 'denied';
  readonly refusal: Refusal;
  readonly condition: ConditionType;
  readonly message: string;
}

/** Not decidable from what is known; nothing may be done on it. */
export interface Undecided {
  readonly answer: 'unknown';
  readonly refusal: Refusal;
  readonly condition: ConditionType;
  readonly message: string;
}

/** The compact outcome of a check. */
export type Verdict = Allowed | Denied | Undecided;

export const allowed: Allowed = Object.freeze({ answer: 'allowed' });

/** Builds a refusal; the condition is `InvalidSpecError` unless the rule has its own. */
export function denied(refusal: Refusal, message: string, condition: ConditionType = 'InvalidSpecError'): Denied {
  return { answer: 'denied', refusal, condition, message };
}

/** Builds the answer for what cannot be decided. */
export function undecided(refusal: Refusal, message: string, condition: ConditionType = 'InvalidSpecError'): Undecided {
  return { answer: 'unknown', refusal, condition, message };
}
