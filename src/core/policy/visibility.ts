import type { RespectRbac } from '../api/index.ts';

/** What came of asking the API server whether the credential may list and watch. */
export type ReviewAnswer = 'allowed' | 'denied' | 'failed';

/** What a cluster answered to a list or watch of one kind in one namespace. */
export interface ReadAnswer {
  readonly verb: 'list' | 'watch';
  /** HTTP status; 0 where there was none (no connection, deadline). */
  readonly status: number;
  /** Whether the body was a Kubernetes Status: a proxy's page says nothing about rights. */
  readonly kubernetesStatus: boolean;
  /** Whether another request with the same credential was accepted lately; a 401 then concerns this kind alone. */
  readonly acceptedElsewhere: boolean;
  /** The review sent because of an earlier `review` answer. */
  readonly review?: ReviewAnswer;
}

/** One kind in one namespace (empty: the whole cluster). */
export interface ReadTarget {
  readonly group: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespace: string;
}

/** What the answer means for what is known of this kind and namespace. */
export type Meaning =
  /** It can be read. */
  | { readonly means: 'readable' }
  /** Ask first: these reviews must be sent and their answer put beside the same question. */
  | { readonly means: 'review'; readonly reviews: readonly Review[] }
  /** No access: stop watching, what was known becomes unknown, probe for a later grant. */
  | { readonly means: 'no-access'; readonly message: string }
  /** A passing fault of this kind alone: keep what is known, retry with backoff. */
  | { readonly means: 'retry'; readonly message: string }
  /** Whether there is access cannot be told: keep the last decision, mark as unknown, report, retry. */
  | { readonly means: 'undecided'; readonly message: string }
  /** The connection or its credential is at fault: nothing is dropped anywhere. */
  | { readonly means: 'connection-fault'; readonly message: string }
  /** The cluster as a whole is in error until the setting or the rights change. */
  | { readonly means: 'cluster-error'; readonly message: string };

/** The attributes of a SelfSubjectAccessReview. */
export interface Review {
  readonly group: string;
  readonly resource: string;
  readonly verb: 'list' | 'watch';
  readonly namespace: string;
}

/** The mode that applies to one cluster: a tenant's credential is narrow by nature, so unset acts as `normal` there. */
export function visibilityMode(setting: RespectRbac, tenantCluster: boolean): RespectRbac {
  return setting === 'off' && tenantCluster ? 'normal' : setting;
}

/** The reviews that settle whether a kind may be read: both verbs, with group and namespace. */
export function accessReviews(target: ReadTarget): readonly Review[] {
  const { group, resource, namespace } = target;
  return [
    { group, resource, verb: 'list', namespace },
    { group, resource, verb: 'watch', namespace },
  ];
}

/** Says what an answer to a list or watch means under a mode; 401 and 403 never mean that the objects are gone. */
export function readMeaning(mode: RespectRbac, target: ReadTarget, answer: ReadAnswer): Meaning {
  if (answer.status >= 200 && answer.status < 300) return { means: 'readable' };
  const what = `${answer.verb} ${kindOf(target)}${target.namespace === '' ? '' : ` in namespace ${target.namespace}`}`;
  if (answer.status === 401 && !answer.acceptedElsewhere) {
    return { means: 'connection-fault', message: `${what}: the cluster does not accept the credential (401)` };
  }
  if (answer.status === 403 && !answer.kubernetesStatus) {
    return { means: 'retry', message: `${what}: 403 from something that is not the Kubernetes API` };
  }
  if (answer.status === 401 || answer.status === 403) return restricted(mode, target, answer, what);
  const said = answer.status === 0 ? 'no answer' : `status ${answer.status}`;
  return { means: 'retry', message: `${what}: ${said}` };
}

function restricted(mode: RespectRbac, target: ReadTarget, answer: ReadAnswer, what: string): Meaning {
  const refused = `the credential may not ${what} (${answer.status})`;
  if (mode === 'off') {
    return {
      means: 'cluster-error',
      message: `failed to load initial state of resource ${kindOf(target)}: ${refused}; set resource.respectRBAC to normal or strict in argocd-cm to leave such kinds out`,
    };
  }
  if (mode === 'normal') return { means: 'no-access', message: refused };
  if (answer.review === undefined) return { means: 'review', reviews: accessReviews(target) };
  return reviewed(target, answer.review, refused);
}

function reviewed(target: ReadTarget, review: ReviewAnswer, refused: string): Meaning {
  switch (review) {
    case 'denied':
      return { means: 'no-access', message: `${refused}, confirmed by an access review` };
    case 'allowed':
      return { means: 'retry', message: `${refused}, though the access review says it may` };
    case 'failed':
      return {
        means: 'undecided',
        message: `failed to check permissions for resource ${kindOf(target)}: the access review was refused or failed`,
      };
  }
}

function kindOf(target: ReadTarget): string {
  return target.group === '' ? target.kind : `${target.kind}.${target.group}`;
}
