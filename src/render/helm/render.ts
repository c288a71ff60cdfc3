import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { HelmSource } from '../../core/api/index.ts';
import { ArgosyError, isArgosyError } from '../../core/errors/index.ts';
import { type Product, type RenderJob, requireCluster } from '../job.ts';
import { objectsOf } from '../manifests.ts';
import type { Workspace } from '../tools/workspace.ts';
import { joinInside } from '../tree/paths.ts';
import { releaseNameOf, setFileFlag, templateFlags, valuesFlag } from './arguments.ts';
import { bringDependencies } from './dependencies.ts';
import { findParameterFile, findValueFiles, type ValueFile } from './value-files.ts';

interface Inputs {
  readonly values: readonly ValueFile[];
  readonly parameters: readonly { readonly name: string; readonly file: ValueFile }[];
}

/** Renders a chart that lies in the tree, with values from it and from the trees of other sources. */
export async function renderHelm(job: RenderJob): Promise<Product> {
  const options = job.source.helm ?? {};
  checkVersion(options);
  if ((await job.view.find(joinInside(job.path, 'Chart.yaml')))?.kind !== 'file')
    throw new ArgosyError('render-failed', 'there is no Chart.yaml in the directory of the source', {
      subject: job.path,
    });
  const release = releaseNameOf(options, job.context);
  const inputs = await findInputs(job, options);
  const askedCluster = await asksCluster(job);
  if (askedCluster) requireCluster(job, options);
  const tool = await job.tools.find('helm');
  const printed = await job.workspace(async (workspace) => {
    const own = [...inputs.values, ...inputs.parameters.map(({ file }) => file)].flatMap((file) =>
      file.at === 'tree' ? [file.path] : [],
    );
    await job.view.tree.exportTo(workspace.tree, await job.view.closure([job.path, ...own]));
    const files = await placeFiles(job, workspace, inputs);
    const inline = await inlineValues(workspace, options);
    const args = [
      'template',
      '.',
      `--name-template=${release}`,
      ...templateFlags(options, job.context, job.environment),
      ...files,
      ...inline,
    ];
    const cwd = join(workspace.tree, job.path);
    const network = inputs.values.some(({ at }) => at === 'address');
    const template = (): Promise<Buffer> => workspace.run({ name: 'helm', command: tool.path, args, cwd, network });
    try {
      return await template();
    } catch (error) {
      if (!isArgosyError(error) || !/missing in charts|dependencies/.test(error.message)) throw error;
      if (!(await bringDependencies(job, workspace))) throw error;
      return template();
    }
  });
  const { documents, warnings } = await job.reader.output('helm', printed);
  return {
    objects: objectsOf(documents, undefined, 'the output of helm'),
    warnings: warnings.map((text) => `helm${text}`),
    sourceType: 'Helm',
    bytes: 3 * printed.length,
    askedCluster,
    askedRevision: inputs.values.some(({ at }) => at === 'address'),
  };
}

function checkVersion({ version = '' }: HelmSource): void {
  if (!['', 'v3', 'v4'].includes(version))
    throw new ArgosyError('render-failed', `there is no Helm of version ${version.slice(0, 50)}`, {
      subject: 'helm.version',
    });
}

async function findInputs(job: RenderJob, options: HelmSource): Promise<Inputs> {
  const parameters: { name: string; file: ValueFile }[] = [];
  for (const { name = '', path = '' } of options.fileParameters ?? [])
    parameters.push({ name, file: await findParameterFile(job, path) });
  return { values: await findValueFiles(job, options), parameters };
}

/** Puts what lies in other sources beside the chart; the flags name every file by its place. */
async function placeFiles(job: RenderJob, workspace: Workspace, { values, parameters }: Inputs): Promise<string[]> {
  const roots = new Map<string, string>();
  const wanted = [...values, ...parameters.map(({ file }) => file)];
  for (const [ref, view] of job.refs) {
    const paths = wanted.flatMap((file) => (file.at === 'ref' && file.ref === ref ? [file.path] : []));
    if (paths.length > 0) roots.set(ref, await workspace.place(ref, view.tree, await view.closure(paths)));
  }
  const place = (file: ValueFile): string => {
    if (file.at === 'address') return file.url;
    return join(file.at === 'ref' ? (roots.get(file.ref) ?? '') : workspace.tree, file.path);
  };
  return [
    ...parameters.map(({ name, file }) => setFileFlag(name, place(file))),
    ...values.map((file) => valuesFlag(place(file))),
  ];
}

async function inlineValues(workspace: Workspace, { values, valuesObject }: HelmSource): Promise<string[]> {
  const text = valuesObject === undefined ? (values ?? '') : JSON.stringify(valuesObject);
  return text === '' ? [] : [valuesFlag(await workspace.write('values.yaml', text))];
}

/** Whether the chart, or one in it, looks at what the cluster can do. A chart in an archive is opened only to be searched. */
async function asksCluster({ view, path, limits }: RenderJob): Promise<boolean> {
  const files = (await view.files(path)).filter(({ kind }) => kind !== 'submodule');
  if (files.length > limits.files) throw new ArgosyError('render-limit', 'the chart has too many files');
  // Where a link leads is not searched; it is simply taken for one that asks.
  if (files.some(({ kind }) => kind === 'link')) return true;
  const contents = await view.tree.read(files.map(({ id }) => id));
  const isArchive = (path: string): boolean => /\.t(?:ar\.)?gz$/.test(path);
  if (files.some((file, i) => !isArchive(file.path) && asks(file.path, contents[i] ?? Buffer.alloc(0)))) return true;
  let left = maxSearched;
  for (const [i, file] of files.entries()) {
    if (!isArchive(file.path)) continue;
    const plain = await unpacked(contents[i] ?? Buffer.alloc(0), left);
    if (plain === undefined || plain.includes('Capabilities') || plain.includes('kubeVersion')) return true;
    left -= plain.length;
  }
  return false;
}

function asks(path: string, content: Buffer): boolean {
  return content.includes('Capabilities') || (path.endsWith('Chart.yaml') && content.includes('kubeVersion'));
}

const unzip = promisify(gunzip);
/** How much of all archives together is looked at; a chart with more is taken for one that asks. */
const maxSearched = 20 * 1024 * 1024;

/** The content of an archive, unpacked beside the main loop; `undefined` where it is too large or none at all. */
async function unpacked(content: Buffer, maxOutputLength: number): Promise<Buffer | undefined> {
  if (maxOutputLength <= 0) return undefined;
  return unzip(content, { maxOutputLength }).catch(() => undefined);
}
