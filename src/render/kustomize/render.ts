import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KustomizeSource } from '../../core/api/index.ts';
import { ArgosyError } from '../../core/errors/index.ts';
import { isArray, isObject, type Json, type JsonObject, own } from '../../core/json/index.ts';
import { type Product, type RenderJob, requireCluster } from '../job.ts';
import { objectsOf } from '../manifests.ts';
import type { Tool } from '../tools/find.ts';
import type { Workspace } from '../tools/workspace.ts';
import { joinInside } from '../tree/paths.ts';
import { editCommands } from './edits.ts';
import type { Reference } from './references.ts';
import { kustomizationNames, scanKustomization } from './scan.ts';

/** Builds a kustomization on a private copy of what it refers to, changed as the Application says. */
export async function renderKustomize(job: RenderJob): Promise<Product> {
  const options = job.source.kustomize ?? {};
  const components = await wantedComponents(job, options);
  const scan = await scanKustomization(job, optionReferences(options, components));
  const tool = await kustomizeOf(job, options.version);
  const helm = scan.charts && optionsOf(job).includes('--enable-helm');
  if (helm) requireCluster(job, options);
  const flags = helm ? await helmFlags(job, options, tool) : optionsOf(job);
  const printed = await job.workspace(async (workspace) => {
    await job.view.tree.exportTo(workspace.tree, await job.view.closure(scan.paths));
    const cwd = join(workspace.tree, job.path);
    for (const words of editCommands(options, job.environment))
      await workspace.run({ name: 'kustomize edit', command: tool.path, args: ['edit', ...words], cwd });
    await appendOptions(job, workspace, options, components);
    return workspace.run({
      name: 'kustomize',
      command: tool.path,
      args: ['build', join(workspace.tree, job.path), ...flags],
      cwd: workspace.tree,
      network: scan.remote || (helm && job.settings.remoteReferences),
    });
  });
  const { documents, warnings } = await job.reader.output('kustomize', printed);
  return {
    objects: objectsOf(documents, undefined, 'the output of kustomize'),
    warnings: warnings.map((text) => `kustomize${text}`),
    sourceType: 'Kustomize',
    bytes: 3 * printed.length,
    askedCluster: helm,
    // What lies elsewhere may change with every commit; ours cannot tell.
    askedRevision: scan.remote,
  };
}

async function kustomizeOf({ settings, tools }: RenderJob, version: string | undefined): Promise<Tool> {
  if (version === undefined || version === '') return tools.find('kustomize');
  const path = settings.kustomize.paths.get(version);
  if (path !== undefined) return tools.at('kustomize', path);
  throw new ArgosyError('render-failed', `there is no kustomize of version ${version.slice(0, 50)}`, {
    hint: `an admin can name its path in argocd-cm under kustomize.path.<version>`,
  });
}

function optionsOf({ settings }: RenderJob): string[] {
  return settings.kustomize.buildOptions.split(/\s+/).filter((word) => word !== '');
}

/** Charts are told about the cluster by kustomize 5.3 and later. */
async function helmFlags(job: RenderJob, options: KustomizeSource, tool: Tool): Promise<string[]> {
  const flags = optionsOf(job);
  const { path } = await job.tools.find('helm');
  const helm = flags.includes('--helm-command') ? flags : [...flags, '--helm-command', path];
  const [, major = '0', minor = '0'] = /v?(\d+)\.(\d+)\.\d+/.exec(tool.version) ?? [];
  if (Number(major) < 5 || (Number(major) === 5 && Number(minor) < 3)) return helm;
  const kubeVersion = options.kubeVersion ?? job.context.kubeVersion;
  return [
    ...helm,
    ...(kubeVersion === '' ? [] : ['--helm-kube-version', kubeVersion.replace(/^v/, '')]),
    ...(options.apiVersions ?? job.context.apiVersions).flatMap((each) => ['--helm-api-versions', each]),
  ];
}

/** The components of the Application, without those that are missing where that is permitted. */
async function wantedComponents(job: RenderJob, options: KustomizeSource): Promise<string[]> {
  const wanted: string[] = [];
  for (const component of options.components ?? []) {
    const path = joinInside(job.path, component);
    const isThere = options.ignoreMissingComponents !== true || (await job.view.find(path)) !== undefined;
    if (isThere) wanted.push(component);
  }
  return wanted;
}

function optionReferences({ patches = [] }: KustomizeSource, components: readonly string[]): Reference[] {
  return [
    ...patches.flatMap(({ path }) =>
      path === undefined || path === '' ? [] : [{ path, kind: 'file', field: 'patches of the Application' } as const],
    ),
    ...components.map((path) => ({ path, kind: 'base', field: 'components of the Application' }) as const),
  ];
}

/** Patches and components of the Application come after those of the kustomization. */
async function appendOptions(
  job: RenderJob,
  workspace: Workspace,
  { patches = [] }: KustomizeSource,
  components: readonly string[],
): Promise<void> {
  if (patches.length === 0 && components.length === 0) return;
  const file = await workspace.find(kustomizationNames.map((name) => joinInside(job.path, name)));
  const { documents } = await job.reader.output('kustomization', file.content);
  const value = documents[0]?.value;
  const before: JsonObject = isObject(value) ? value : {};
  const after: JsonObject = {
    ...before,
    ...(patches.length === 0 ? {} : { patches: [...listAt(before, 'patches'), ...(patches as unknown as Json[])] }), // the JSON of the Application
    ...(components.length === 0 ? {} : { components: [...new Set([...listAt(before, 'components'), ...components])] }),
  };
  // JSON is YAML.
  await writeFile(file.path, JSON.stringify(after));
}

function listAt(value: JsonObject, key: string): readonly Json[] {
  const list = own(value, key);
  return isArray(list) ? list : [];
}
