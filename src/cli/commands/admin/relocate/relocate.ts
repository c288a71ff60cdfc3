import type { Command } from 'commander';
import { ArgosyError } from '../../../../core/errors/index.ts';
import { type JsonObject, objectAt, stringAt } from '../../../../core/json/index.ts';
import { assembleSnapshot } from '../../../../core/policy/index.ts';
import type { CommandContext } from '../../../command.ts';
import {
  addInstallationFlags,
  type InstallationFlags,
  installationOf,
  whence,
} from '../../../objects/installation-flags.ts';
import { readObjects } from '../../../objects/read-files.ts';
import { readInstallation } from '../../../objects/read-installation.ts';
import { consequencesOf } from './consequences.ts';
import { planRelocation } from './plan.ts';
import { printRelocation } from './print.ts';
import { changePolicy } from './rbac.ts';

interface Flags extends InstallationFlags {
  readonly print?: boolean;
  readonly secrets: boolean;
}

/** Adds `argosy admin relocate`. */
export function addRelocate(command: Command, context: CommandContext): void {
  const relocating = command
    .command('relocate')
    .description('print tenants’ Applications and cluster Secrets as control-plane ones: the way back')
    .option('--print', 'print the manifests; nothing is ever written to a cluster');
  addInstallationFlags(relocating)
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

async function relocate(flags: Flags, context: CommandContext): Promise<void> {
  if (flags.print !== true) {
    throw new ArgosyError('usage', 'relocate only prints: give --print, look at it, then apply it');
  }
  const objects = await read(flags, context);
  const assembled = assembleSnapshot(objects, installationOf(flags));
  const { snapshot, unreadable } = assembled;
  const plan = planRelocation(objects, assembled);
  const { added, wider } = changePolicy(snapshot, plan);
  const policy = added.length === 0 ? undefined : policyMap(objects, added, flags.namespace);
  context.print(printRelocation(plan, policy, flags.secrets));
  for (const { object, reason } of unreadable) context.warn(`left out: ${object}: ${reason}`);
  for (const text of plan.left) context.warn(`left out: ${text}`);
  for (const text of [...consequencesOf(objects, snapshot, plan), ...wider]) context.warn(`note: ${text}`);
}

function read(flags: Flags, context: CommandContext): Promise<readonly JsonObject[]> {
  const source = whence(flags, context);
  return 'files' in source ? readObjects(source.files, context.cwd) : readInstallation(source);
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
