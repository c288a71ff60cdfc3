import type { Command } from 'commander';
import { ArgosyError } from '../../core/errors/index.ts';
import type { Installation } from '../../core/policy/index.ts';
import type { CommandContext } from '../command.ts';
import { kubeconfigFiles } from './kubeconfig-files.ts';

/** Flags of every command that reads an installation, from files or from a running cluster. */
export interface InstallationFlags {
  readonly filename?: readonly string[];
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace: string;
  readonly applicationNamespaces?: string;
  readonly enableImpersonation?: boolean;
  readonly clusterSecretsInAnyNamespace?: string;
}

/** Adds the flags to a command. */
export function addInstallationFlags(command: Command): Command {
  return command
    .option('-f, --filename <path>', 'file or folder with objects of the installation; may be repeated', addPath)
    .option('--kubeconfig <file>', 'read a running installation (default without -f: KUBECONFIG)')
    .option('--context <name>', 'context of the kubeconfig')
    .option('--namespace <name>', 'the control-plane namespace', 'argocd')
    .option(
      '--application-namespaces <list>',
      'patterns of further namespaces (default: application.namespaces of argocd-cmd-params-cm)',
    )
    .option('--enable-impersonation', 'as the flag of argosy run');
}

function addPath(path: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), path];
}

/** Where the objects are: in files, or in a cluster that can be asked. */
export type Whence =
  | { readonly files: readonly string[] }
  | {
      readonly kubeconfig: string | readonly string[];
      readonly context: string | undefined;
      readonly controlPlane: string;
      readonly signal: AbortSignal;
    };

/** Where the flags say that the objects are; files win over `KUBECONFIG`, not over `--kubeconfig`. */
export function whence(flags: InstallationFlags, context: CommandContext): Whence {
  const { filename, context: named, namespace: controlPlane } = flags;
  const kubeconfig = kubeconfigFiles(flags.kubeconfig, filename === undefined ? context.env : {});
  if (kubeconfig !== undefined) return { kubeconfig, context: named, controlPlane, signal: context.signal };
  if (filename === undefined)
    throw new ArgosyError('usage', 'nothing to read: give -f with files or folders, or --kubeconfig');
  return { files: filename };
}

/** The flags of the installation itself, as far as they were given. */
export function installationOf(flags: InstallationFlags): Installation {
  const { applicationNamespaces, enableImpersonation, clusterSecretsInAnyNamespace, namespace } = flags;
  const names = applicationNamespaces?.split(',').map((item) => item.trim());
  if (!['true', 'false', undefined].includes(flags.clusterSecretsInAnyNamespace))
    throw new ArgosyError('usage', '--cluster-secrets-in-any-namespace is true or false');
  return {
    controlPlane: namespace,
    ...(names === undefined ? {} : { appNamespaces: names.filter((item) => item !== '') }),
    ...(enableImpersonation === true ? { impersonation: true } : {}),
    ...(clusterSecretsInAnyNamespace === undefined ? {} : { tenantClusters: clusterSecretsInAnyNamespace !== 'false' }),
  };
}
