import { isArray, type JsonObject, own, stringAt } from '../json/index.ts';
import { parseApiVersion } from '../objects/index.ts';
import type { NamedOwner } from './node.ts';

/** What an object tells about its owner without a reference. */
export interface Inferred {
  readonly uids: readonly string[];
  readonly named: readonly NamedOwner[];
}

const tokenType = 'kubernetes.io/service-account-token';
const nothing: Inferred = { uids: [], named: [] };

/** Finds owners that Kubernetes writes no reference for; those of claims are found from their StatefulSet. */
export function inferOwners(object: JsonObject): Inferred {
  const { group } = parseApiVersion(stringAt(object, 'apiVersion') ?? '');
  switch (`${group}/${stringAt(object, 'kind') ?? ''}`) {
    case '/Endpoints':
      return isOwned(object) ? nothing : named('', 'Service', stringAt(object, 'metadata', 'name'));
    case '/Secret':
      return tokenOwner(object);
    case 'operators.coreos.com/ClusterServiceVersion':
      return named('operators.coreos.com', 'OperatorGroup', annotation(object, 'olm.operatorGroup'));
    default:
      return nothing;
  }
}

/** The text that the names of a StatefulSet's claims begin with, one for each template; a number follows. */
export function claimPrefixes(statefulSet: JsonObject): readonly string[] {
  const name = stringAt(statefulSet, 'metadata', 'name') ?? '';
  const templates = own(own(statefulSet, 'spec'), 'volumeClaimTemplates');
  if (!isArray(templates) || name === '') return [];
  return templates.flatMap((template) => {
    const claim = stringAt(template, 'metadata', 'name');
    return claim === undefined ? [] : [`${claim}-${name}-`];
  });
}

/**
 * Tells whether a claim of this name in the namespace of a StatefulSet is one of its claims. The whole name must fit;
 * Argo CD looks only at its end and takes `old-data-web-0` for a claim of `web`.
 */
export function isClaimOf(claim: string, prefixes: readonly string[]): boolean {
  return prefixes.some((prefix) => claim.startsWith(prefix) && /^\d{1,10}$/.test(claim.slice(prefix.length)));
}

/**
 * The Secret of a service account's token names its account, and by the uid which of that name. Of a Secret that was read
 * by its metadata alone the type is not known; the two annotations must do.
 */
function tokenOwner(object: JsonObject): Inferred {
  if ((stringAt(object, 'type') ?? tokenType) !== tokenType) return nothing;
  const uid = annotation(object, 'kubernetes.io/service-account.uid');
  const name = annotation(object, 'kubernetes.io/service-account.name');
  return uid === undefined || name === undefined ? nothing : { uids: [uid], named: [] };
}

function named(group: string, kind: string, name: string | undefined): Inferred {
  return name === undefined || name === '' ? nothing : { uids: [], named: [{ group, kind, name }] };
}

function annotation(object: JsonObject, name: string): string | undefined {
  return stringAt(object, 'metadata', 'annotations', name);
}

function isOwned(object: JsonObject): boolean {
  const owners = own(own(object, 'metadata'), 'ownerReferences');
  return isArray(owners) && owners.length > 0;
}
