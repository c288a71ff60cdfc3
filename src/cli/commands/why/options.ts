import type { Command } from 'commander';
import { Option } from 'commander';
import type { Application, Snapshot } from '../../../core/api/index.ts';
import { ArgosyError } from '../../../core/errors/index.ts';
import { type Assembled, assembleSnapshot } from '../../../core/policy/index.ts';
import type { CommandContext } from '../../command.ts';
import {
  addInstallationFlags,
  type InstallationFlags,
  installationOf,
  whence,
} from '../../objects/installation-flags.ts';
import { readCluster } from '../../objects/read-cluster.ts';
import { readObjects } from '../../objects/read-files.ts';

/** Flags every question takes. */
export interface WhyFlags extends InstallationFlags {
  readonly output: 'text' | 'json';
}

/** Adds the flags to a question. */
export function addFlags(command: Command): Command {
  return addInstallationFlags(command)
    .option('--cluster-secrets-in-any-namespace <bool>', 'as the flag of argosy run')
    .addOption(
      new Option('-o, --output <format>', 'text for people, json for machines')
        .choices(['text', 'json'])
        .default('text'),
    );
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
  const source = whence(flags, context);
  if ('files' in source) return assembleSnapshot(await readObjects(source.files, context.cwd), installation);
  const { objects, unread } = await readCluster({ ...source, ...about });
  return assembleSnapshot(objects, installation, unread);
}
