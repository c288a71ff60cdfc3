import type { Command } from 'commander';
import { ArgosyError } from '../../../../core/errors/index.ts';
import { type JsonObject, objectAt, stringAt } from '../../../../core/json/index.ts';
import { assembleSnapshot } from '../../../../core/policy/index.ts';
import type { CommandContext } from '../../../command.ts';
import { kubeconfigFiles } from '../../../objects/kubeconfig-files.ts';
import { readObjects } from '../../../objects/read-files.ts';
import { readInstallation } from '../../../objects/read-installation.ts';
import { consequencesOf } from './consequences.ts';
import { planRelocation } from './plan.ts';
import { printRelocation } from './print.ts';
import { changePolicy } from './rbac.ts';

interface Flags {
  readonly print?: boolean;
  readonly filename?: readonly string[];
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace: string;
  readonly applicationNamespaces?: string;
  readonly enableImpersonation?: boolean;
  readonly secrets: boolean;
}

/** Adds `argosy admin relocate`. */
export function addRelocate(command: Command, context: CommandContext): void {
  command
    .command('relocate')
    .description('print tenants’ Applications and cluster Secrets as control-plane ones: the way back')
    .option('--print', 'print the manifests; nothing is ever written to a cluster')
    .option('-f, --filename <path>', 'file or folder with objects of the installation; may be repeated', addPath)
    .option('--kubeconfig <file>', 'read a running installation (default without -f: KUBECONFIG)')
    .option('--context <name>', 'context of the kubeconfig')
    .option('--namespace <name>', 'the control-plane namespace', 'argocd')
    .option(
      '--application-namespaces <list>',
      'namespaces that count (default: application.namespaces of argocd-cmd-params-cm)',
    )
    .option('--enable-impersonation', 'as the flag of argosy run')
    .option('--no-secrets', 'leave out the Secret manifests, which hold credentials')
    .addHelpText(
      'after',
      `
Standard output holds the steps and the manifests, standard error what will be different afterwards.

Examples:
  argosy admin relocate --print --kubeconfig ~/.kube/config > relocated.yaml
  argosy admin relocate --print -f ./objects --no-secrets`,
    )
    .action((flags: Flags) => relocate(flags, context));
}

function addPath(path: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), path];
}

async function relocate(flags: Flags, context: CommandContext): Promise<void> {
  if (flags.print !== true) {
    throw new ArgosyError('usage', 'relocate only prints: give --print, look at it, then apply it');
  }
  const objects = await read(flags, context);
  const names = flags.applicationNamespaces?.split(',').map((item) => item.trim());
  const assembled = assembleSnapshot(objects, {
    controlPlane: flags.namespace,
    ...(names === undefined ? {} : { appNamespaces: names.filter((item) => item !== '') }),
    ...(flags.enableImpersonation === true ? { impersonation: true } : {}),
  });
  const { snapshot, unreadable } = assembled;
  const plan = planRelocation(objects, assembled);
  const { added, wider } = changePolicy(snapshot, plan);
  const policy = added.length === 0 ? undefined : policyMap(objects, added, flags.namespace);
  context.print(printRelocation(plan, policy, flags.secrets));
  for (const { object, reason } of unreadable) context.warn(`left out: ${object}: ${reason}`);
  for (const text of plan.left) context.warn(`left out: ${text}`);
  for (const text of [...consequencesOf(objects, snapshot, plan), ...wider]) context.warn(`note: ${text}`);
}

async function read(flags: Flags, context: CommandContext): Promise<readonly JsonObject[]> {
  const kubeconfig = kubeconfigFiles(flags.kubeconfig, flags.filename === undefined ? context.env : {});
  if (kubeconfig !== undefined) {
    const { context: named, namespace: controlPlane } = flags;
    return readInstallation({ kubeconfig, context: named, controlPlane, signal: context.signal });
  }
  if (flags.filename === undefined) {
    throw new ArgosyError('usage', 'nothing to read: give -f with files or folders, or --kubeconfig');
  }
  return readObjects(flags.filename, context.cwd);
}

/** The whole ConfigMap with one more key, so that applying it takes nothing away. */
function policyMap(objects: readonly JsonObject[], added: readonly string[], namespace: string): JsonObject {
  const name = 'argocd-rbac-cm';
  const written = objects.find(
    (object) =>
      stringAt(object, 'kind') === 'ConfigMap' &&
      stringAt(object, 'metadata', 'name') === name &&
      (stringAt(object, 'metadata', 'namespace') ?? namespace) === namespace,
  );
  const labels = written === undefined ? undefined : objectAt(written, 'metadata', 'labels');
  const data = written === undefined ? undefined : objectAt(written, 'data');
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace, ...(labels === undefined ? {} : { labels }) },
    data: { ...data, 'policy.relocated.csv': `${added.join('\n')}\n` },
  };
}
