import { equal, isArray, type Json, type JsonObject, objectAt, own, stringAt } from '../../core/json/index.ts';
import { asJson } from '../../core/objects/index.ts';
import type { Admission, AdmissionRequest, User } from '../ports.ts';
import { forbidden, notFound } from '../status.ts';
import type { Access } from './access.ts';
import { quoted, quotedList } from './go-text.ts';
import { missingRules, parseRules, printRule, type Rule } from './rules.ts';
import { masters } from './users.ts';

const group = 'rbac.authorization.k8s.io';

/** Nobody hands out rights they do not hold: roles need their rules or `escalate`, bindings their role's or `bind`. */
export function escalationAdmission(authorizer: Access['authorizer']): Admission {
  return {
    validate: (request) => {
      const { resource, user, operation, object } = request;
      if (resource.group !== group || operation === 'DELETE' || object === undefined) return;
      if (user.groups.includes(masters) || changesOnlyOwnership(request)) return;
      if (resource.kind.endsWith('Binding')) checkBinding(authorizer, request, object);
      else checkRole(authorizer, request, object);
    },
  };
}

/** The garbage collector's fields may change without holding the rights; every other change counts as a grant. */
function changesOnlyOwnership({ object, old }: AdmissionRequest): boolean {
  if (old === undefined || object === undefined) return false;
  const rest = (value: JsonObject): Json => {
    const free = ['ownerReferences', 'finalizers', 'managedFields', 'resourceVersion', 'generation'];
    const kept = Object.entries(objectAt(value, 'metadata') ?? {}).filter(([key]) => !free.includes(key));
    return { ...value, metadata: Object.fromEntries(kept) };
  };
  return equal(rest(object), rest(asJson(old)));
}

function checkRole(authorizer: Access['authorizer'], request: AdmissionRequest, object: JsonObject): void {
  const { info, user, resource, old } = request;
  const subject = { group, plural: resource.plural };
  const name = stringAt(object, 'metadata', 'name') ?? info.name;
  if (authorizer.authorize({ ...info, user, verb: 'escalate', version: '*', subresource: '' }).allowed) return;
  const held = authorizer.heldRules(user, info.namespace);
  const text = escalationText(user, held, parseRules(own(object, 'rules')));
  if (text !== undefined) throw forbidden(subject, name, text);
  // An aggregation may grow to anything; only who already may do everything can have a hand in one.
  if (!aggregates(object) && !(old !== undefined && aggregates(asJson(old)))) return;
  if (missingRules(held, [everything]).length === 0) return;
  throw forbidden(subject, name, 'must have cluster-admin privileges to use the aggregationRule');
}

const everything: Rule = {
  apiGroups: ['*'],
  resources: ['*'],
  verbs: ['*'],
  resourceNames: [],
  nonResourceURLs: ['*'],
};

function aggregates(role: JsonObject): boolean {
  const selectors = own(own(role, 'aggregationRule'), 'clusterRoleSelectors');
  return isArray(selectors) && selectors.length > 0;
}

function checkBinding(authorizer: Access['authorizer'], request: AdmissionRequest, object: JsonObject): void {
  const { info, user, resource } = request;
  const name = stringAt(object, 'metadata', 'name') ?? info.name;
  const kind = stringAt(object, 'roleRef', 'kind') ?? '';
  const roleName = stringAt(object, 'roleRef', 'name') ?? '';
  const plural = kind === 'Role' ? 'roles' : 'clusterroles';
  const asked = { ...info, user, verb: 'bind', group, version: '*', resource: plural, subresource: '', name: roleName };
  if (authorizer.authorize(asked).allowed) return;
  const rules = authorizer.roleRules(kind, info.namespace, roleName);
  // Kubernetes names the binding's resource here, with the role's name.
  if (rules === undefined) throw notFound({ group, plural: resource.plural }, roleName);
  const text = escalationText(user, authorizer.heldRules(user, info.namespace), rules);
  if (text !== undefined) throw forbidden({ group, plural: resource.plural }, name, text);
}

function escalationText(user: User, held: readonly Rule[], wanted: readonly Rule[]): string | undefined {
  const missing = missingRules(held, wanted);
  if (missing.length === 0) return undefined;
  const lines = [...new Set(missing.map(printRule))].sort();
  const who = `user ${quoted(user.name)} (groups=${quotedList(user.groups)})`;
  return `${who} is attempting to grant RBAC permissions not currently held:\n${lines.join('\n')}`;
}
