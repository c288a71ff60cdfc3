import { type Json, stringAt } from '../../core/json/index.ts';
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
      if (user.groups.includes(masters) || changesNothing(request)) return;
      if (resource.kind.endsWith('Binding')) checkBinding(authorizer, request, object);
      else checkRole(authorizer, request, object);
    },
  };
}

/** The garbage collector's changes (finalizers, owner references) grant nothing; neither does an equal role. */
function changesNothing({ object, old }: AdmissionRequest): boolean {
  if (old === undefined || object === undefined) return false;
  const grants = (value: Json | undefined): string =>
    JSON.stringify(['rules', 'aggregationRule', 'subjects', 'roleRef'].map((key) => at(value, key)));
  return grants(object) === grants(asJson(old)) && sameLabels(object, asJson(old));
}

function at(value: Json | undefined, key: string): Json {
  return (value as { readonly [key: string]: Json } | null | undefined)?.[key] ?? null; // an object by its kind
}

function sameLabels(object: Json, old: Json): boolean {
  return JSON.stringify(at(at(object, 'metadata'), 'labels')) === JSON.stringify(at(at(old, 'metadata'), 'labels'));
}

function checkRole(authorizer: Access['authorizer'], request: AdmissionRequest, object: Json): void {
  const { info, user, resource } = request;
  const { namespace } = info;
  const name = stringAt(object, 'metadata', 'name') ?? info.name;
  const asked = { ...info, user, verb: 'escalate', version: '*', subresource: '', namespace };
  if (authorizer.authorize(asked).allowed) return;
  const rules = parseRules(at(object, 'rules'));
  const text = escalationText(user, authorizer.heldRules(user, namespace), rules);
  if (text !== undefined) throw forbidden({ group, plural: resource.plural }, name, text);
  // An aggregation may grow to anything; only who already may do everything can set one up.
  if (at(object, 'aggregationRule') === null || sameAggregation(request)) return;
  const all = [everything];
  const more = escalationText(user, authorizer.heldRules(user, ''), all);
  if (more === undefined) return;
  throw forbidden(
    { group, plural: resource.plural },
    name,
    `must have cluster-admin privileges to use the aggregationRule: ${more}`,
  );
}

const everything: Rule = {
  apiGroups: ['*'],
  resources: ['*'],
  verbs: ['*'],
  resourceNames: [],
  nonResourceURLs: ['*'],
};

function sameAggregation({ object, old }: AdmissionRequest): boolean {
  if (old === undefined) return false;
  return JSON.stringify(at(object, 'aggregationRule')) === JSON.stringify(at(asJson(old), 'aggregationRule'));
}

function checkBinding(authorizer: Access['authorizer'], request: AdmissionRequest, object: Json): void {
  const { info, user, resource } = request;
  const name = stringAt(object, 'metadata', 'name') ?? info.name;
  const kind = stringAt(object, 'roleRef', 'kind') ?? '';
  const roleName = stringAt(object, 'roleRef', 'name') ?? '';
  const plural = kind === 'Role' ? 'roles' : 'clusterroles';
  const asked = { ...info, user, verb: 'bind', group, version: '*', resource: plural, subresource: '', name: roleName };
  if (authorizer.authorize(asked).allowed) return;
  const rules = authorizer.roleRules(kind, info.namespace, roleName);
  if (rules === undefined) throw notFound({ group, plural }, roleName);
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
