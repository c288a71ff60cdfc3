import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { CORE_SCHEMA, defineScalarTag, dump, intCoreTag } from 'js-yaml';
import {
  type Application,
  type ApplicationSource,
  instanceName,
  projectOf,
  sourcesOf,
} from '../../../core/api/index.ts';
import { ArgosyError } from '../../../core/errors/index.ts';
import { assembleSnapshot } from '../../../core/policy/index.ts';
import {
  localTree,
  openLocalRenderer,
  type Renderer,
  type Rendering,
  renderSettings,
  type SourceTree,
} from '../../../render/index.ts';
import type { CommandContext } from '../../command.ts';
import { readObjects } from '../../objects/read-files.ts';

interface Flags {
  readonly filename: readonly string[];
  readonly local: readonly string[];
  readonly namespace: string;
  readonly kubeVersion: string;
  readonly apiVersions: string;
  readonly revision: string;
  readonly output: 'yaml' | 'json';
}

const examples = `
Examples:
  argosy app manifests --local . -f app.yaml
  argosy app manifests --local chart --local values=../values -f app.yaml -o json
  argosy app manifests --local . -f app.yaml -f argocd-cm.yaml --kube-version v1.36.3

Nothing is fetched and no cluster is asked. What is printed is what the sources render to, before tracking marks are added.`;

/** Hangs flags and handler onto `argosy app manifests`. */
export function registerManifests(command: Command, context: CommandContext): void {
  command
    .requiredOption(
      '-f, --filename <path>',
      'file with the Application, and with argocd-cm if it matters; may be repeated',
      more,
    )
    .requiredOption(
      '--local <[ref=]dir>',
      'checkout of the repository, or of the source with this ref; may be repeated',
      more,
    )
    .option('--namespace <name>', 'the control-plane namespace', 'argocd')
    .option('--kube-version <version>', 'version of the cluster, for charts that ask', '')
    .option('--api-versions <list>', 'kinds of the cluster, for charts that ask: apps/v1,apps/v1/Deployment', '')
    .option('--revision <text>', 'what ARGOCD_APP_REVISION says', 'local')
    .addOption(new Option('-o, --output <format>', 'how to print').choices(['yaml', 'json']).default('yaml'))
    .addHelpText('after', examples)
    .action((flags: Flags) => manifests(flags, context));
}

function more(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

async function manifests(flags: Flags, context: CommandContext): Promise<void> {
  const assembled = assembleSnapshot(await readObjects(flags.filename, context.cwd), { controlPlane: flags.namespace });
  for (const { object, reason } of assembled.unreadable) context.warn(`${object}: ${reason}`);
  const [app, another] = [...assembled.applications.values()];
  if (app === undefined || another !== undefined)
    throw new ArgosyError(
      'usage',
      `one Application is needed, ${another === undefined ? 'none was' : 'several were'} given`,
    );
  const temporaryRoot = await mkdtemp(join(tmpdir(), 'argosy-manifests-'));
  const { env } = context;
  const renderer = openLocalRenderer({
    settings: renderSettings(assembled.snapshot.settings),
    tools: {
      paths: { helm: env['HELM'] ?? '', kustomize: env['KUSTOMIZE'] ?? '', jsonnet: env['JSONNET'] ?? '' },
      directory: join(env['ARGOSY_TOOLS'] ?? join(env['HOME'] ?? '/', '.cache', 'argosy', 'tools'), 'bin'),
      path: env['PATH'],
    },
    temporaryRoot,
  });
  try {
    print(await renderAll(renderer, app, flags, context), flags, context);
  } finally {
    await renderer.close();
    await rm(temporaryRoot, { recursive: true, force: true });
  }
}

async function renderAll(
  renderer: Renderer,
  app: Application,
  flags: Flags,
  context: CommandContext,
): Promise<Rendering[]> {
  const sources = sourcesOf(app);
  const trees: SourceTree[] = [];
  for (const source of sources) trees.push(await treeFor(source, flags, context));
  const refs = new Map(
    sources.flatMap(({ ref }, i) => (ref === undefined || trees[i] === undefined ? [] : [[ref, trees[i]]])),
  );
  const made: Rendering[] = [];
  for (const [i, source] of sources.entries()) {
    const tree = trees[i];
    if (tree === undefined) continue;
    const apiVersions = flags.apiVersions.split(',').filter((each) => each !== '');
    made.push(
      await renderer.render({
        source,
        tree,
        refs,
        scope: 'local',
        signal: context.signal,
        context: {
          appName: instanceName(app, flags.namespace),
          namespace: app.spec.destination.namespace ?? '',
          project: projectOf(app),
          kubeVersion: flags.kubeVersion,
          apiVersions,
        },
      }),
    );
  }
  return made;
}

/** The directory given for the source's ref, or the one given without any. */
async function treeFor(source: ApplicationSource, flags: Flags, context: CommandContext): Promise<SourceTree> {
  const named = flags.local.find((each) => source.ref !== undefined && each.startsWith(`${source.ref}=`));
  const plain = flags.local.find((each) => !/^[A-Za-z0-9_-]+=/.test(each));
  const directory = named === undefined ? plain : named.slice(named.indexOf('=') + 1);
  if (directory === undefined)
    throw new ArgosyError('usage', `no directory was given for the source ${source.ref ?? source.repoURL}`);
  const path = resolve(context.cwd, directory);
  try {
    return await localTree(path, flags.revision);
  } catch (error) {
    if (error instanceof ArgosyError) throw error;
    throw new ArgosyError('usage', `the directory ${path} cannot be read`);
  }
}

function print(made: readonly Rendering[], { output }: Flags, context: CommandContext): void {
  for (const warning of made.flatMap(({ warnings }) => warnings)) context.warn(warning);
  const objects = made.flatMap((each) => each.objects.map(({ object }) => object));
  if (output === 'json') context.print(`${JSON.stringify(objects, undefined, 2)}\n`);
  else for (const object of objects) context.print(`---\n${dump(object, { schema, lineWidth: -1, noRefs: true })}`);
}

/** Numbers with more digits than JavaScript has are kept as their digits; see `render/yaml/go-schema.ts`. */
const integerTag = defineScalarTag<number | object>('tag:yaml.org,2002:int', {
  ...intCoreTag,
  identify: (value) =>
    intCoreTag.identify(value) || (typeof value === 'object' && value !== null && isRawNumber(value)),
  represent: (value: number | { readonly rawJSON: string }) =>
    typeof value === 'number' ? intCoreTag.represent(value) : value.rawJSON,
});
const schema = CORE_SCHEMA.withTags(integerTag);

function isRawNumber(value: object): boolean {
  // Not yet in the compiler's library.
  return (JSON as unknown as { isRawJSON(value: object): boolean }).isRawJSON(value);
}
