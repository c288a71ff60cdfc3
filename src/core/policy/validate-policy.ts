import type { ProjectRole } from '../api/index.ts';

interface RoleProblem {
  readonly path: string;
  readonly message: string;
}

const resources = new Set(['applications', 'applicationsets', 'repositories', 'clusters', 'logs', 'exec']);
const actions = new Set(['get', 'create', 'update', 'delete', 'sync', 'override', 'rollback', '*']);

/** What is wrong with the name, policies and groups of a role. */
export function validatePolicies(project: string, role: ProjectRole): readonly RoleProblem[] {
  const problems: RoleProblem[] = [];
  if (!/^[a-zA-Z0-9]([-_a-zA-Z0-9]*[a-zA-Z0-9])?$/.test(role.name)) {
    problems.push({
      path: 'name',
      message: `invalid role name '${role.name}'. Must consist of alphanumeric characters, '-' or '_', and must start and end with an alphanumeric character`,
    });
  }
  for (const [i, policy] of (role.policies ?? []).entries()) {
    const message = policyProblem(project, role.name, policy);
    if (message !== undefined)
      problems.push({ path: `policies[${i}]`, message: `invalid policy rule '${policy}': ${message}` });
  }
  for (const [i, group] of (role.groups ?? []).entries()) {
    const message = groupProblem(group);
    if (message !== undefined) problems.push({ path: `groups[${i}]`, message: `group '${group}' ${message}` });
  }
  return problems;
}

/** A line is `p, proj:<project>:<role>, <resource>, <action>, <project>/<object>, allow|deny`. */
function policyProblem(project: string, role: string, policy: string): string | undefined {
  const [kind, subject, resource = '', action = '', object = '', effect, ...rest] = policy
    .split(',')
    .map((part) => part.trim());
  if (effect === undefined || rest.length > 0 || kind !== 'p')
    return "must be of the form: 'p, sub, res, act, obj, eft'";
  if (subject !== `proj:${project}:${role}`)
    return `policy subject must be: 'proj:${project}:${role}', not '${subject ?? ''}'`;
  if (!resources.has(resource))
    return `project resource must be one of ${[...resources].join(', ')}, not '${resource}'`;
  if (!actions.has(action) && !/^(action|update|delete)\/.+/.test(action)) return `invalid action '${action}'`;
  const [owner, ...tail] = object.split('/');
  if (owner !== project || tail.length === 0 || tail.length > 2 || !tail.every((part) => /^[*\w.-]+$/.test(part))) {
    return `object must be of form '${project}/*', '${project}[/<NAMESPACE>]/<APPNAME>' or '${project}/<APPNAME>', not '${object}'`;
  }
  return effect === 'allow' || effect === 'deny' ? undefined : `effect must be: 'allow' or 'deny', not '${effect}'`;
}

function groupProblem(group: string): string | undefined {
  if (group.trim() === '') return 'is empty';
  if (group.trim() !== group) return 'has leading or trailing spaces';
  const quoted = group.length > 2 && group.startsWith('"') && group.endsWith('"');
  const inner = quoted ? group.slice(1, -1) : group;
  if (/["\r\n\t]/.test(inner)) return 'holds a quote, tab or line break';
  return inner.includes(',') && !quoted ? 'must be in double quotes because it holds a comma' : undefined;
}
