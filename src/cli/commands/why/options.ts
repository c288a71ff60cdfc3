import type { Command } from 'commander';
import { Option } from 'commander';
import type { Application, Snapshot } from '../../../core/api/index.ts';
import { ArgosyError } from '../../../core/errors/index.ts';
import { type Assembled, assembleSnapshot, type Installation } from '../../../core/policy/index.ts';
import type { CommandContext } from '../../command.ts';
import { kubeconfigFiles } from '../../objects/kubeconfig-files.ts';
import { readCluster } from '../../objects/read-cluster.ts';
import { readObjects } from '../../objects/read-files.ts';

/** Flags every question takes. */
export interface WhyFlags {
  readonly filename?: readonly string[];
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace: string;
  readonly applicationNamespaces?: string;
  readonly enableImpersonation?: boolean;
  readonly clusterSecretsInAnyNamespace?: string;
  readonly output: 'text' | 'json';
}

/** Adds the flags to a question. */
export function addFlags(command: Command): Command {
  return command
    .option('-f, --filename <path>', 'file or folder with objects of the installation; may be repeated', addPath)
    .option('--kubeconfig <file>', 'ask a running installation (default without -f: KUBECONFIG)')
    .option('--context <name>', 'context of the kubeconfig')
    .option('--namespace <name>', 'the control-plane namespace', 'argocd')
    .option(
      '--application-namespaces <list>',
      'patterns of further namespaces (default: application.namespaces of argocd-cmd-params-cm)',
    )
    .option('--enable-impersonation', 'as the flag of argosy run')
    .option('--cluster-secrets-in-any-namespace <bool>', 'as the flag of argosy run')
    .addOption(
      new Option('-o, --output <format>', 'text for people, json for machines')
        .choices(['text', 'json'])
        .default('text'),
    );
}

function addPath(path: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), path];
}

/** What a question is about. */
export interface Asked {
  readonly snapshot: Snapshot;
  readonly assembled: Assembled;
  readonly application: Application;
}

/** Reads the installation and finds the Application, `name` or `namespace/name`. */
export async function ask(name: string, flags: WhyFlags, context: CommandContext): Promise<Asked> {
  const key = keyOf(name, flags.namespace);
  const assembled = await assemble({ namespace: key.namespace, application: key.name }, flags, context);
  for (const { object, reason } of assembled.unreadable) context.warn(`${object}: ${reason}`);
  const application = assembled.applications.get(`${key.namespace}/${key.name}`);
  if (application !== undefined) return { snapshot: assembled.snapshot, assembled, application };
  const names = [`Application ${key.namespace}/${key.name}`, `Application ${key.name}`];
  const broken = assembled.unreadable.find(({ object }) => names.includes(object));
  if (broken !== undefined) throw new ArgosyError('denied', `${broken.object} cannot be read: ${broken.reason}`);
  const known = [...assembled.applications.keys()].slice(0, 10).join(', ');
  throw new ArgosyError('usage', `there is no Application ${key.namespace}/${key.name}`, {
    hint: known === '' ? 'no Application was given at all' : `there are: ${known}`,
  });
}

function keyOf(name: string, controlPlane: string): { readonly namespace: string; readonly name: string } {
  const [first = '', second, ...rest] = name.split('/');
  if (rest.length > 0 || first === '' || second === '')
    throw new ArgosyError('usage', `${name} is not NAME or NAMESPACE/NAME`);
  return second === undefined ? { namespace: controlPlane, name: first } : { namespace: first, name: second };
}

/** Reads the installation as far as it decides about one namespace, and one Application of it where one is named. */
export async function assemble(
  about: { readonly namespace: string; readonly application?: string },
  flags: WhyFlags,
  context: CommandContext,
): Promise<Assembled> {
  const installation = installationOf(flags);
  const { filename, namespace: controlPlane, context: named } = flags;
  const kubeconfig = kubeconfigFiles(flags.kubeconfig, filename === undefined ? context.env : {});
  if (kubeconfig !== undefined) {
    const source = { kubeconfig, context: named, controlPlane, ...about, signal: context.signal };
    const { objects, unread } = await readCluster(source);
    return assembleSnapshot(objects, installation, unread);
  }
  if (filename === undefined) {
    throw new ArgosyError('usage', 'nothing to read: give -f with files or folders, or --kubeconfig');
  }
  return assembleSnapshot(await readObjects(filename, context.cwd), installation);
}

/** The flags of the installation, as far as they were given. */
function installationOf(flags: Partial<WhyFlags>): Installation {
  const { applicationNamespaces, enableImpersonation, clusterSecretsInAnyNamespace, namespace = 'argocd' } = flags;
  return {
    controlPlane: namespace,
    ...(applicationNamespaces === undefined
      ? {}
      : {
          appNamespaces: applicationNamespaces
            .split(',')
            .map((item) => item.trim())
            .filter((item) => item !== ''),
        }),
    ...(enableImpersonation === true ? { impersonation: true } : {}),
    ...(clusterSecretsInAnyNamespace === undefined ? {} : { tenantClusters: clusterSecretsInAnyNamespace !== 'false' }),
  };
}
