import { loadAll, YAMLException } from 'js-yaml';
import { ArgosyError } from '../core/errors/index.ts';
import { isArray, isObject, type Json, stringAt } from '../core/json/index.ts';
import type { KubeObject } from '../core/objects/index.ts';

/** A file of a source, by its path inside the repository. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

export interface RenderedObject {
  readonly object: KubeObject;
  readonly file: string;
}

/** Reads the objects of plain YAML and JSON files, in the order of their names. */
export function renderPlain(files: readonly SourceFile[]): RenderedObject[] {
  return [...files]
    .filter(({ path }) => /\.(ya?ml|json)$/.test(path))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .flatMap((file) => objectsOf(file).map((object) => ({ object, file: file.path })));
}

function objectsOf(file: SourceFile): KubeObject[] {
  return parse(file).flatMap((document) =>
    document === null || document === undefined ? [] : flatten(document, file.path),
  );
}

function parse(file: SourceFile): Json[] {
  try {
    return loadAll(file.text) as Json[]; // js-yaml's default schema yields JSON values
  } catch (error) {
    const line = error instanceof YAMLException && error.mark !== undefined ? `:${error.mark.line + 1}` : '';
    throw new ArgosyError('render-failed', `${file.path}${line} is not valid YAML`, { subject: file.path });
  }
}

function flatten(document: Json, file: string): KubeObject[] {
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
      { subject: file },
    );
  }
  return [document as unknown as KubeObject]; // apiVersion and kind were just seen
}
