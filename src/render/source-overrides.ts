import { type ApplicationSource, parseSource, printProblems } from '../core/api/index.ts';
import { ArgosyError } from '../core/errors/index.ts';
import { isObject, type JsonObject } from '../core/json/index.ts';
import { mergePatch } from '../core/merge/index.ts';
import { joinInside } from './tree/paths.ts';
import type { TreeView } from './tree/view.ts';
import type { DocumentReader } from './yaml/reader.ts';

// Where manifests come from is for the Application to say, not for the repository.
const fixed = ['chart', 'path', 'repoURL', 'targetRevision', 'ref', 'name', 'tagPrefix'] as const;

/** The source with `.argocd-source.yaml` and then `.argocd-source-<app>.yaml` of its directory merged into it. */
export async function overrideSource(
  source: ApplicationSource,
  { view, path, appName, reader }: { view: TreeView; path: string; appName: string; reader: DocumentReader },
): Promise<ApplicationSource> {
  let merged = source;
  for (const name of ['.argocd-source.yaml', `.argocd-source-${appName}.yaml`]) {
    if (name.includes('/')) continue;
    const patch = await readPatch(view, joinInside(path, name), reader);
    if (patch !== undefined) merged = merge(merged, patch, joinInside(path, name));
  }
  return merged;
}

async function readPatch(view: TreeView, file: string, reader: DocumentReader): Promise<JsonObject | undefined> {
  const found = await view.find(file);
  if (found?.kind !== 'file') return undefined;
  const [content = Buffer.alloc(0)] = await view.tree.read([found.id]);
  const [parsed] = await reader.files([{ id: found.id, content }]);
  if (parsed === undefined || !parsed.ok)
    throw new ArgosyError('render-failed', `${file}${parsed?.message ?? ''}`, { subject: file });
  const value = parsed.documents[0]?.value;
  if (value === undefined) return undefined;
  if (!isObject(value) || parsed.documents.length > 1)
    throw new ArgosyError('render-failed', `${file}: one map with fields of a source is needed`, { subject: file });
  // Git knows only `spec.source`'s fields; some people write the wrapper as well.
  return value;
}

function merge(source: ApplicationSource, patch: JsonObject, file: string): ApplicationSource {
  const allowed = Object.fromEntries(Object.entries(patch).filter(([key]) => !fixed.some((word) => word === key)));
  const base = source as unknown as JsonObject; // a source is the JSON it was read from
  const parsed = parseSource(mergePatch(base, allowed));
  if (parsed.ok) return parsed.value;
  throw new ArgosyError('render-failed', `${file}: ${printProblems(parsed.problems)}`, { subject: file });
}
