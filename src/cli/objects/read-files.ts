import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CORE_SCHEMA, loadAll, YAMLException } from 'js-yaml';
import { ArgosyError } from '../../core/errors/index.ts';
import { isArray, isObject, type JsonObject } from '../../core/json/index.ts';

/** Objects in files may be anybody's: none of these is ever reached by hand-written ones. */
const limits = { fileBytes: 4 * 1024 * 1024, files: 2000, objects: 50_000, aliases: 100, depth: 100, folders: 8 };

/** Reads all Kubernetes objects in files and folders (`.yaml`, `.yml`, `.json`); lists are opened. */
export async function readObjects(paths: readonly string[], cwd: string): Promise<readonly JsonObject[]> {
  const files: string[] = [];
  for (const path of paths) await collect(resolve(cwd, path), files, limits.folders);
  if (files.length === 0) throw new ArgosyError('usage', `no .yaml, .yml or .json file in ${paths.join(', ')}`);
  const objects: JsonObject[] = [];
  for (const file of files) {
    for (const object of await readFileObjects(file)) objects.push(object);
    if (objects.length > limits.objects)
      throw new ArgosyError('usage', `more than ${limits.objects} objects were given`);
  }
  return objects;
}

async function collect(path: string, files: string[], depth: number): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) throw new ArgosyError('usage', `there is no file or folder ${path}`);
  if (found.isFile()) files.push(path);
  else if (found.isDirectory() && depth > 0) {
    const entries = await readdir(path, { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.isDirectory() && !entry.name.startsWith('.')) await collect(join(path, entry.name), files, depth - 1);
      else if (entry.isFile() && /\.(ya?ml|json)$/.test(entry.name)) files.push(join(path, entry.name));
    }
  }
  if (files.length > limits.files) throw new ArgosyError('usage', `more than ${limits.files} files were given`);
}

/** The objects of one file. */
export async function readFileObjects(file: string): Promise<readonly JsonObject[]> {
  return parseObjects(await readText(file), file);
}

/** The text of a file, refused where it is too large. */
export async function readText(file: string): Promise<string> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined || !found.isFile()) throw new ArgosyError('usage', `there is no file ${file}`);
  if (found.size > limits.fileBytes) throw new ArgosyError('usage', `${file} is larger than ${limits.fileBytes} bytes`);
  return readFile(file, 'utf8');
}

/** The objects in a text of YAML or JSON. */
export function parseObjects(text: string, file: string): readonly JsonObject[] {
  return parseDocuments(text, file)
    .filter((document) => document !== null && document !== undefined)
    .flatMap((document) => opened(document, file));
}

/** The documents of a text, without meaning. Aliases and depth are bounded; a message names the place, not the content. */
export function parseDocuments(text: string, file: string): readonly unknown[] {
  try {
    return loadAll(text, { schema: CORE_SCHEMA, json: false, maxAliases: limits.aliases, maxDepth: limits.depth });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const line = error.mark === undefined || error.mark === null ? '' : `:${error.mark.line + 1}`;
    throw new ArgosyError('usage', `${file}${line} is not YAML: ${error.reason}`);
  }
}

function opened(document: unknown, file: string): readonly JsonObject[] {
  if (!isObject(document)) throw new ArgosyError('usage', `${file} holds something that is no Kubernetes object`);
  const { kind, items } = document;
  if (typeof kind === 'string' && kind.endsWith('List') && isArray(items))
    return items.flatMap((item) => opened(item, file));
  return [document];
}
