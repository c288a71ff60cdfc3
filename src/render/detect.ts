import type { ApplicationSource } from '../core/api/index.ts';
import { ArgosyError } from '../core/errors/index.ts';
import type { RenderJob } from './job.ts';
import { matchingPlugin } from './plugin/discover.ts';
import type { Plugin } from './settings.ts';

/** The tool that renders a source. */
export type Choice =
  | { readonly tool: 'Helm' | 'Kustomize' | 'Directory' }
  | { readonly tool: 'Plugin'; readonly plugin: Plugin };

const kustomizationNames: readonly string[] = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'];

/** Chooses the tool: what the source says, else a plugin that knows the directory, else by the files in it. */
export async function chooseTool(job: RenderJob): Promise<Choice> {
  const { source, settings } = job;
  const named = explicitTools(source);
  if (named.length > 1)
    throw new ArgosyError('render-failed', `a source may have options of one tool, not of ${named.join(' and ')}`);
  if (source.plugin !== undefined) return choosePlugin(job, source.plugin.name ?? '');
  if (source.chart !== undefined || source.helm !== undefined)
    return { tool: settings.helm.enabled ? 'Helm' : 'Directory' };
  if (source.kustomize !== undefined) return { tool: settings.kustomize.enabled ? 'Kustomize' : 'Directory' };
  if (source.directory !== undefined) return { tool: 'Directory' };
  const plugin = await matchingPlugin(job, settings.plugins);
  return plugin === undefined ? byFiles(job) : { tool: 'Plugin', plugin };
}

/** The options a source carries; empty ones say nothing, except `plugin: {}`. */
function explicitTools(source: ApplicationSource): string[] {
  const names = ['helm', 'kustomize', 'directory', 'plugin'] as const;
  return names.filter((name) => source[name] !== undefined);
}

async function choosePlugin(job: RenderJob, name: string): Promise<Choice> {
  const { plugins } = job.settings;
  const candidates = name === '' ? plugins : plugins.filter((plugin) => plugin.name === name);
  const [only] = candidates;
  if (name !== '' && only !== undefined && only.discover === undefined) return { tool: 'Plugin', plugin: only };
  const plugin = await matchingPlugin(job, candidates);
  if (plugin !== undefined) return { tool: 'Plugin', plugin };
  const hint = 'plugins are declared in argocd-cm under configManagementPlugins';
  throw new ArgosyError(
    'render-failed',
    name === '' ? 'no plugin knows this directory' : `there is no plugin ${name} for this directory`,
    { hint },
  );
}

/** Later names win, as in a walk by name: with both, a kustomization beats a chart. */
async function byFiles({ view, path, settings }: RenderJob): Promise<Choice> {
  let tool: 'Helm' | 'Kustomize' | 'Directory' = 'Directory';
  const names = (await view.files(path)).map((file) => file.path).filter((name) => !name.includes('/'));
  for (const name of names) if (name.endsWith('Chart.yaml') && settings.helm.enabled) tool = 'Helm';
  for (const name of names) if (kustomizationNames.includes(name) && settings.kustomize.enabled) tool = 'Kustomize';
  return { tool };
}

/** The options without those that say nothing: `kustomize: {}` is as good as absent. */
export function normalizeSource(source: ApplicationSource): ApplicationSource {
  const { helm, kustomize, directory, ...rest } = source;
  const said = (part: object | undefined): boolean =>
    part !== undefined && Object.values(part).some((value) => !isEmpty(value));
  return {
    ...rest,
    ...(said(helm) && helm !== undefined ? { helm } : {}),
    ...(said(kustomize) && kustomize !== undefined ? { kustomize } : {}),
    ...(said(directory) && directory !== undefined ? { directory } : {}),
  };
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === false) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
