import { ArgosyError } from '../../core/errors/index.ts';
import { isArray, isObject, type Json, own } from '../../core/json/index.ts';
import { asJson } from '../../core/objects/index.ts';
import type { AccessReview, CallOptions, Reader, Resource, Writer } from '../types.ts';

const rulesReviews: Resource = {
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectRulesReview',
  plural: 'selfsubjectrulesreviews',
  namespaced: false,
  verbs: ['create'],
};

/** One thing an identity may do, as the server lists it. */
export interface AccessRule {
  readonly verbs: readonly string[];
  readonly groups: readonly string[];
  readonly resources: readonly string[];
  readonly names: readonly string[];
}

/** What an identity may do in a namespace; incomplete where the server cannot list everything. */
export interface AccessRules {
  readonly rules: readonly AccessRule[];
  readonly incomplete: boolean;
}

/** Asks many questions at once; one that got no answer throws, since it is neither yes nor no. */
export function mayAll(
  reader: Pick<Reader, 'mayI'>,
  reviews: readonly AccessReview[],
  options?: CallOptions,
): Promise<boolean[]> {
  return Promise.all(reviews.map((review) => reader.mayI(review, options)));
}

/** All that the identity may do in a namespace, in one call. */
export async function rulesIn(
  writer: Pick<Writer, 'create'>,
  namespace: string,
  options?: CallOptions,
): Promise<AccessRules> {
  const review = { apiVersion: 'authorization.k8s.io/v1', kind: rulesReviews.kind, metadata: {}, spec: { namespace } };
  const status = own(asJson(await writer.create(rulesReviews, review, options)), 'status');
  const rules = own(status, 'resourceRules');
  if (!isArray(rules)) throw new ArgosyError('kube-malformed', 'the rules review has no rules', { subject: namespace });
  return { rules: rules.filter(isObject).map(readRule), incomplete: own(status, 'incomplete') !== false };
}

function readRule(rule: Json): AccessRule {
  const texts = (key: string): readonly string[] => {
    const list = own(rule, key);
    return isArray(list) ? list.filter((item) => typeof item === 'string') : [];
  };
  return {
    verbs: texts('verbs'),
    groups: texts('apiGroups'),
    resources: texts('resources'),
    names: texts('resourceNames'),
  };
}
