import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ArgosyError } from '../../core/errors/index.ts';
import { isArray, isObject, type JsonObject, own, stringAt } from '../../core/json/index.ts';
import type { RenderJob } from '../job.ts';
import type { Workspace } from '../tools/workspace.ts';
import { joinInside } from '../tree/paths.ts';

/**
 * Puts the dependencies of a chart into its `charts` directory: those of the same repository by copying, others are not
 * fetched while rendering. Says whether anything was brought.
 */
export async function bringDependencies(job: RenderJob, workspace: Workspace): Promise<boolean> {
  const dependencies = await dependenciesOf(job);
  const charts = join(workspace.tree, job.path, 'charts');
  let brought = false;
  for (const { name, repository } of dependencies) {
    if ((await job.view.find(joinInside(job.path, `charts/${name}`))) !== undefined) continue;
    if (!repository.startsWith('file://')) throw remote(name);
    const path = joinInside(job.path, repository.slice('file://'.length), name);
    const found = await job.view.find(path);
    if (found?.kind !== 'directory')
      throw new ArgosyError('render-failed', `the dependency ${name} is not in the repository`, {
        subject: 'Chart.yaml',
      });
    const beside = await workspace.place(`dependency-${name}`, job.view.tree, await job.view.closure([found.path]));
    await mkdir(charts, { recursive: true, mode: 0o700 });
    await cp(join(beside, found.path), join(charts, name), { recursive: true, errorOnExist: true, force: false });
    brought = true;
  }
  return brought;
}

interface Dependency {
  readonly name: string;
  readonly repository: string;
}

async function dependenciesOf({ view, path, reader }: RenderJob): Promise<Dependency[]> {
  const content = (await view.read(joinInside(path, 'Chart.yaml'))) ?? Buffer.alloc(0);
  const { documents } = await reader.output('Chart.yaml', content);
  const list = isObject(documents[0]?.value) ? own(documents[0].value, 'dependencies') : undefined;
  return isArray(list) ? list.filter(isObject).map(dependencyOf) : [];
}

function dependencyOf(value: JsonObject): Dependency {
  const name = stringAt(value, 'name') ?? '';
  // The name becomes a directory.
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name))
    throw new ArgosyError('render-refused', 'the name of a dependency is not valid', { subject: 'Chart.yaml' });
  return { name, repository: stringAt(value, 'repository') ?? '' };
}

function remote(name: string): ArgosyError {
  return new ArgosyError('render-refused', `the dependency ${name} would have to be fetched from elsewhere`, {
    subject: 'Chart.yaml',
    hint: 'commit it below charts/ (helm dependency build)',
  });
}
