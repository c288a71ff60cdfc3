import { ArgosyError, isArgosyError } from '../../core/errors/index.ts';
import type { Product, RenderJob } from '../job.ts';
import { objectsOf } from '../manifests.ts';
import type { RenderedObject } from '../types.ts';
import type { ParsedFile } from '../yaml/read-file.ts';
import { type ChosenFile, chooseFiles } from './choose.ts';
import { renderJsonnet } from './jsonnet.ts';

const skipMarker = '+argocd:skip-file-rendering';

/** Reads plain YAML, JSON and Jsonnet files of a directory, in the order of their names. */
export async function renderDirectory(job: RenderJob): Promise<Product> {
  const warnings: string[] = [];
  const files = await chooseFiles(job, (text) => warnings.push(text));
  const plain = files.filter(({ path }) => !path.endsWith('.jsonnet'));
  const contents = await job.view.tree.read(plain.map(({ id }) => id));
  boundSize(contents, job.settings.maxDirectoryBytes);
  const wanted = plain
    .map((file, i) => ({ ...file, content: contents[i] ?? Buffer.alloc(0) }))
    .filter(({ content }) => !content.includes(skipMarker));
  const parsed = await job.reader.files(wanted);
  const byFile = new Map<string, readonly RenderedObject[]>();
  for (const [i, file] of wanted.entries()) byFile.set(file.path, await objectsOfFile(job, file, parsed[i], warnings));
  for (const [path, objects] of await jsonnetFiles(job, files, warnings)) byFile.set(path, objects);
  const objects = files.flatMap(({ path }) => byFile.get(path) ?? []);
  // Objects of plain files are shared with the cache of files; those of Jsonnet are small.
  const bytes = contents.reduce((sum, { length }) => sum + length, 0);
  return { objects, warnings, sourceType: 'Directory', bytes };
}

function boundSize(contents: readonly Buffer[], max: number): void {
  const bytes = contents.reduce((sum, content) => sum + content.length, 0);
  if (bytes > max)
    throw new ArgosyError('render-limit', `the manifest files of the directory are larger than ${max} bytes together`);
}

type Content = ChosenFile & { readonly content: Buffer };

async function objectsOfFile(
  job: RenderJob,
  file: Content,
  parsed: ParsedFile | undefined,
  warnings: string[],
): Promise<readonly RenderedObject[]> {
  const { path } = file;
  try {
    if (parsed === undefined || !parsed.ok)
      throw new ArgosyError(parsed?.code ?? 'render-failed', `${path}${parsed?.message ?? ''}`, { subject: path });
    if (path.endsWith('.json') && parsed.documents.length !== 1)
      throw new ArgosyError('render-failed', `${path}: a JSON file holds exactly one object`, { subject: path });
    const objects = objectsOf(parsed.documents, path, path);
    warnings.push(...parsed.warnings.map((text) => `${path}${text}`));
    return objects;
  } catch (error) {
    if (!isArgosyError(error) || error.code !== 'render-failed' || (await isManifest(job, file, parsed))) throw error;
    // A file beside the manifests that is no manifest: values, a pipeline's settings.
    return [];
  }
}

/** Whether a file that cannot be read is meant to be one: it looks like it, or a part of it is. */
async function isManifest(
  job: RenderJob,
  { path, content }: Content,
  parsed: ParsedFile | undefined,
): Promise<boolean> {
  if (path.endsWith('.json')) return true;
  const text = content.toString('utf8');
  if (['apiVersion:', 'kind:', 'metadata:'].every((word) => text.includes(word))) return true;
  const parts = text.split(/^---.*$/m).slice(0, 200);
  const each =
    parsed?.ok === true
      ? parsed.documents.map((document) => [document])
      : (await Promise.all(parts.map((part) => job.reader.output(path, Buffer.from(part)).catch(() => undefined)))).map(
          (part) => part?.documents ?? [],
        );
  return each.some((documents) => {
    try {
      return objectsOf(documents, path, path).length > 0;
    } catch {
      return false;
    }
  });
}

async function jsonnetFiles(
  job: RenderJob,
  files: readonly ChosenFile[],
  warnings: string[],
): Promise<ReadonlyMap<string, readonly RenderedObject[]>> {
  const jsonnet = files.filter(({ path }) => path.endsWith('.jsonnet'));
  if (jsonnet.length === 0) return new Map();
  if (job.settings.jsonnet.enabled) return renderJsonnet(job, jsonnet);
  warnings.push('Jsonnet files are skipped: jsonnet is switched off');
  return new Map();
}
