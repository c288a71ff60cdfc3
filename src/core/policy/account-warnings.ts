import type { DestinationServiceAccount } from '../api/index.ts';
import type { EffectiveProject } from './effective.ts';
import { matcherOf } from './matcher.ts';
import { quote } from './note.ts';
import { fieldOf, type Written } from './origin.ts';
import type { Warning } from './warning.ts';
import { serviceAccountUser } from './who.ts';

/** What is odd about the service accounts of a project. */
export function accountWarnings(project: EffectiveProject, impersonation: boolean): readonly Warning[] {
  const rules = project.accounts.rules;
  const found = rules.flatMap((rule) => entryWarnings(project, rule));
  if (!impersonation && rules.length > 0) {
    found.push({ code: 'ServiceAccountsUnused', field: 'spec.destinationServiceAccounts', message: unusedAccounts });
  }
  return found;
}

/** Said on the project and on its Applications. */
export const unusedAccounts =
  'destinationServiceAccounts have no effect: impersonation is off (application.sync.impersonation.enabled in argocd-cm)';

function entryWarnings(project: EffectiveProject, rule: Written<DestinationServiceAccount>): Warning[] {
  const { server, namespace = '', defaultServiceAccount: account } = rule.value;
  const field = fieldOf(rule.origin);
  const found: Warning[] = [];
  for (const [part, text] of [
    ['server', server],
    ['namespace', namespace],
  ] as const) {
    if (matcherOf(text) === undefined)
      found.push({
        code: 'InvalidPattern',
        field: `${field}.${part}`,
        message: `${quote(text)} is no valid pattern; a sync that reaches the entry fails`,
      });
    if (text.includes('!'))
      found.push({
        code: 'InvalidPattern',
        field: `${field}.${part}`,
        message: `${quote(text)}: there is no negation here; "!" is a plain character`,
      });
  }
  if (!/[*?[{]/.test(server) && !server.includes('://')) {
    found.push({
      code: 'InvalidPattern',
      field: `${field}.server`,
      message: `${quote(server)} is no address; names of clusters never match`,
    });
  }
  return [...found, ...privileged(project, account, `${field}.defaultServiceAccount`)];
}

/** Accounts that can do more than any tenant should: permitted, because only an admin can name them, but said. */
function privileged(project: EffectiveProject, account: string, field: string): Warning[] {
  const colon = account.indexOf(':');
  const [namespace, name] = colon < 0 ? ['any', account] : [account.slice(0, colon), account.slice(colon + 1)];
  if (serviceAccountUser(namespace, name) === undefined) {
    return [
      {
        code: 'InvalidServiceAccount',
        field,
        message: `${quote(account)} is no service account; a sync that reaches the entry fails`,
      },
    ];
  }
  if (namespace !== project.controlPlane && namespace !== 'kube-system') return [];
  return [
    {
      code: 'PrivilegedServiceAccount',
      field,
      message: `${quote(account)} is an account of ${quote(namespace)}: Applications of this project act with its rights`,
    },
  ];
}
