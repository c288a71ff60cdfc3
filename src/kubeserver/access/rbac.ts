import type { Json, MutableJsonObject } from '../../core/json/index.ts';
import type { Attributes, Authorizer, User } from '../ports.ts';
import { quoted } from './go-text.ts';
import type { Grant, PolicyIndex } from './policy-index.ts';
import { type Rule, ruleAllows } from './rules.ts';
import { masters } from './users.ts';

/** Kubernetes' RBAC: allowed if any rule of any role bound to the user allows it; nothing ever forbids. */
export class RbacAuthorizer implements Authorizer {
  readonly #index: PolicyIndex;

  constructor(index: PolicyIndex) {
    this.#index = index;
  }

  authorize(asked: Attributes): { allowed: boolean; reason: string } {
    if (asked.user.groups.includes(masters)) return { allowed: true, reason: '' };
    const problems: string[] = [];
    for (const grant of this.#index.grantsOf(asked.user, asked.namespace)) {
      const rules = this.#rulesOf(grant);
      if (rules === undefined) problems.push(missingRole(grant));
      else if (rules.some((rule) => ruleAllows(rule, asked)))
        return { allowed: true, reason: `RBAC: allowed by ${describe(grant)}` };
    }
    return { allowed: false, reason: problems.length === 0 ? '' : `RBAC: ${aggregate(problems)}` };
  }

  rulesFor(user: User, namespace: string): { resourceRules: Json[]; nonResourceRules: Json[] } {
    const rules = this.heldRules(user, namespace);
    return {
      resourceRules: rules.filter((rule) => rule.resources.length > 0).map(resourceRule),
      nonResourceRules: rules
        .filter((rule) => rule.nonResourceURLs.length > 0)
        .map((rule) => ({ verbs: rule.verbs, nonResourceURLs: rule.nonResourceURLs })),
    };
  }

  /** Every rule a user holds in a namespace (empty: over the whole cluster). */
  heldRules(user: User, namespace: string): Rule[] {
    return [...this.#index.grantsOf(user, namespace)].flatMap((grant) => this.#rulesOf(grant) ?? []);
  }

  /** The rules of the role a binding names; undefined if there is no such role. */
  roleRules(kind: string, namespace: string, name: string): readonly Rule[] | undefined {
    return this.#index.rules(kind, namespace, name);
  }

  #rulesOf(grant: Grant): readonly Rule[] | undefined {
    return this.#index.rules(grant.roleKind, grant.namespace, grant.roleName);
  }
}

function describe({ bindingKind, name, namespace, roleKind, roleName, subject }: Grant): string {
  const binding = bindingKind === 'RoleBinding' ? `${name}/${namespace}` : name;
  return `${bindingKind} ${quoted(binding)} of ${roleKind} ${quoted(roleName)} to ${subject}`;
}

function missingRole({ roleKind, roleName }: Grant): string {
  return `${roleKind.toLowerCase()}.rbac.authorization.k8s.io ${quoted(roleName)} not found`;
}

/** Several errors as Kubernetes joins them: each once, in brackets. */
function aggregate(problems: readonly string[]): string {
  const distinct = [...new Set(problems)];
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`;
}

function resourceRule(rule: Rule): Json {
  const found: MutableJsonObject = { verbs: [...rule.verbs], apiGroups: [...rule.apiGroups] };
  found['resources'] = [...rule.resources];
  if (rule.resourceNames.length > 0) found['resourceNames'] = [...rule.resourceNames];
  return found;
}
