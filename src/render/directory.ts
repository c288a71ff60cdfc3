import { ArgosyError } from '../core/errors/index.ts';
import { isArray, isObject, type Json, stringAt } from '../core/json/index.ts';
import type { KubeObject } from '../core/objects/index.ts';
import type { RenderedObject, SourceTree } from './types.ts';
import { readDocuments } from './yaml/documents.ts';

/** Reads the objects of plain YAML and JSON files below a path, in the order of their names. */
export async function renderDirectory(
  tree: SourceTree,
  path: string,
): Promise<{ objects: RenderedObject[]; warnings: string[] }> {
  const files = (await tree.files(path)).filter((file) => /\.(ya?ml|json)$/.test(file.path) && file.kind !== 'link');
  const contents = await tree.read(files.map(({ id }) => id));
  const objects: RenderedObject[] = [];
  const warnings: string[] = [];
  for (const [i, file] of files.entries()) {
    const read = readDocuments(file.path, contents[i]?.toString('utf8') ?? '');
    warnings.push(...read.warnings);
    for (const document of read.documents) objects.push(...flatten(document, file.path));
  }
  return { objects, warnings };
}

function flatten(document: Json, file: string): RenderedObject[] {
  if (isObject(document) && isArray(document['items']) && stringAt(document, 'kind')?.endsWith('List') === true) {
    return document['items'].flatMap((item) => flatten(item, file));
  }
  if (
    !isObject(document) ||
    stringAt(document, 'apiVersion') === undefined ||
    stringAt(document, 'kind') === undefined
  ) {
    throw new ArgosyError(
      'render-failed',
      `${file} holds something that is no Kubernetes object: apiVersion and kind are needed`,
      {
        subject: file,
      },
    );
  }
  return [{ object: document as unknown as KubeObject, file }]; // apiVersion and kind were just seen
}
