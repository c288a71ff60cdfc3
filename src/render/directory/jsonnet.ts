import { join } from 'node:path';
import type { JsonnetVar } from '../../core/api/index.ts';
import { ArgosyError } from '../../core/errors/index.ts';
import { isArray } from '../../core/json/index.ts';
import type { RenderJob } from '../job.ts';
import { objectsOf } from '../manifests.ts';
import { joinInside, parentOf } from '../tree/paths.ts';
import type { RenderedObject } from '../types.ts';
import type { ChosenFile } from './choose.ts';
import { jsonnetImports } from './jsonnet-imports.ts';

const maxImports = 1_000;

/** Evaluates Jsonnet files, each by itself, after every import of theirs is known to stay inside the repository. */
export async function renderJsonnet(
  job: RenderJob,
  files: readonly ChosenFile[],
): Promise<Map<string, readonly RenderedObject[]>> {
  const { jsonnet = {} } = job.source.directory ?? {};
  const libs = (jsonnet.libs ?? []).map((lib) => joinInside('', job.environment.substitute(lib), lib));
  const search = [job.path, ...libs];
  const variables = [
    ...variableArguments(job, 'ext', jsonnet.extVars ?? []),
    ...variableArguments(job, 'tla', jsonnet.tlas ?? []),
  ];
  const code = variables.filter(({ isCode }) => isCode).map(({ value }) => value);
  const imported = await followImports(job, files, search, code);
  const tool = await job.tools.find('jsonnet');
  return job.workspace(async (workspace) => {
    await job.view.tree.exportTo(workspace.tree, await job.view.closure(imported));
    const paths = search.flatMap((path) => ['--jpath', join(workspace.tree, path)]);
    const made = new Map<string, readonly RenderedObject[]>();
    for (const { path } of files) {
      const args = [...paths, ...variables.flatMap(({ args: each }) => each), join(workspace.tree, path)];
      const printed = await workspace.run({ name: 'jsonnet', command: tool.path, args, cwd: workspace.tree });
      const { documents } = await job.reader.output(`jsonnet (${path})`, printed);
      const values = documents.flatMap(({ value }) => (isArray(value) ? [...value] : [value]));
      made.set(
        path,
        objectsOf(
          values.map((value) => ({ value, line: 1 })),
          path,
          path,
        ),
      );
    }
    return made;
  });
}

interface Variable {
  readonly args: readonly string[];
  readonly value: string;
  readonly isCode: boolean;
}

function variableArguments(
  { environment }: RenderJob,
  kind: 'ext' | 'tla',
  variables: readonly JsonnetVar[],
): Variable[] {
  return variables.map(({ name, value, code = false }) => {
    // The tool cuts at the first `=`: what follows in the name would be code that nobody has searched for imports.
    if (name === '' || name.includes('=') || name.includes('\0'))
      throw new ArgosyError('render-refused', 'the name of a Jsonnet variable is not valid', { subject: 'jsonnet' });
    const substituted = environment.substitute(value);
    const flag = `--${kind}-${code ? 'code' : 'str'}`;
    return { args: [flag, `${name}=${substituted}`], value: substituted, isCode: code };
  });
}

/** All files that evaluating these will open; an import that leads out of the repository, or nowhere, ends it here. */
async function followImports(
  job: RenderJob,
  files: readonly ChosenFile[],
  search: readonly string[],
  code: readonly string[],
): Promise<string[]> {
  const seen = new Set(files.map(({ path }) => path));
  const todo = [...seen].map((path) => ({ path, text: undefined as string | undefined }));
  // Variables may be code that imports; it stands nowhere, so it is as if at the root.
  todo.push(...code.map((text) => ({ path: 'a variable', text })));
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const text = next.text ?? (await job.view.read(next.path))?.toString('utf8') ?? '';
    for (const { path, isCode } of jsonnetImports(text, next.path)) {
      const directory = next.text === undefined ? parentOf(next.path) : '';
      const found = await findImport(job, path, [directory, ...search.toReversed()], next.path);
      if (seen.has(found)) continue;
      seen.add(found);
      if (seen.size > maxImports) throw new ArgosyError('render-limit', 'too many files are imported');
      if (isCode) todo.push({ path: found, text: undefined });
    }
  }
  return [...seen];
}

async function findImport(job: RenderJob, path: string, directories: readonly string[], from: string): Promise<string> {
  const refused = (): ArgosyError =>
    new ArgosyError('render-refused', `${from}: an import leads out of the repository`, { subject: from });
  if (path.startsWith('/') || path.includes('\0') || /^[a-z][a-z0-9+.-]*:/i.test(path)) throw refused();
  for (const directory of directories) {
    let candidate: string;
    try {
      candidate = joinInside(directory, path);
    } catch {
      // The tool would look there as well, so it may not even be tried.
      throw refused();
    }
    if ((await job.view.find(candidate))?.kind === 'file') return candidate;
  }
  throw new ArgosyError('render-failed', `${from}: the import ${path.slice(0, 200)} is not in the repository`, {
    subject: from,
  });
}
