import { ArgosyError, isArgosyError } from '../core/errors/index.ts';
import type { Confinement, Spawner } from '../spawn/index.ts';
import { buildEnvironment } from './build-environment.ts';
import { createFailures } from './cache/failures.ts';
import { createParameterKey } from './cache/parameters.ts';
import { type Recipe, recordingTools, resultKey } from './cache/recipe.ts';
import { createResults } from './cache/results.ts';
import { createSlots } from './cache/slots.ts';
import { chooseTool, normalizeSource } from './detect.ts';
import { renderDirectory } from './directory/render.ts';
import { renderHelm } from './helm/render.ts';
import type { Product, RenderJob } from './job.ts';
import { renderKustomize } from './kustomize/render.ts';
import { defaultRenderLimits, type RenderLimits } from './limits.ts';
import { renderPlugin } from './plugin/render.ts';
import type { RenderSettings } from './settings.ts';
import { overrideSource } from './source-overrides.ts';
import { createTools, type Tool, type ToolName, type ToolOptions } from './tools/find.ts';
import { inWorkspace } from './tools/workspace.ts';
import { appPath } from './tree/paths.ts';
import { type TreeView, viewOf } from './tree/view.ts';
import type { Rendering, RenderRequest } from './types.ts';
import { createReader } from './yaml/reader.ts';

/** What a renderer is made of. */
export interface RendererOptions {
  readonly spawner: Spawner;
  /** As they are now; the same object as long as nothing changed. */
  readonly settings: () => RenderSettings;
  readonly tools?: ToolOptions | undefined;
  readonly limits?: Partial<RenderLimits> | undefined;
  /** Room for results and for parsed files, each. */
  readonly cacheBytes?: number | undefined;
  /** How many tools run at once. */
  readonly parallel?: number | undefined;
  /** Threads that read YAML. */
  readonly workers?: number | undefined;
  readonly now?: (() => number) | undefined;
}

/** Turns sources into manifests, each content once. */
export interface Renderer {
  render(request: RenderRequest): Promise<Rendering>;
  /** The programs that are there, the others by the reason they are not. */
  tools(): Promise<{ readonly name: ToolName; readonly tool: Tool | undefined }[]>;
  /** What of memory, network and sight this machine lets us take away from tools. */
  confinement(): Promise<Confinement>;
  stats(): { readonly renders: number; readonly hits: number };
  close(): Promise<void>;
}

const mebibyte = 1024 * 1024;

/** Makes a renderer; threads and tools start when they are first needed. */
export function createRenderer(options: RendererOptions): Renderer {
  const { spawner, settings, cacheBytes = 128 * mebibyte, parallel = 4 } = options;
  const limits = { ...defaultRenderLimits, ...options.limits };
  const tools = createTools(spawner, options.tools ?? {}, options.now);
  const reader = createReader({ workers: options.workers ?? 2, cacheBytes });
  const results = createResults(cacheBytes);
  const failures = createFailures(options.now ?? Date.now);
  const slots = createSlots(parallel, Math.max(1, parallel - 1));
  const parameterKey = createParameterKey();
  const running = new Map<string, Promise<Rendering>>();
  const shelf = { results, tools };
  let [renders, hits] = [0, 0];

  const make = async (request: RenderRequest, current: RenderSettings, parameters: string): Promise<Rendering> => {
    renders += 1;
    const recorded = recordingTools(tools);
    const view = viewOf(request.tree, limits.files);
    const refs = new Map([...request.refs].map(([name, tree]) => [name, viewOf(tree, limits.files)] as const));
    const product = await produce({ request, settings: current, limits, view, refs }, (job) => ({
      ...job,
      tools: recorded.tools,
      reader,
      // By project, not by repository: whoever has many repositories is still one tenant.
      workspace: (use) =>
        slots.use(request.context.project, () => inWorkspace({ spawner, limits, signal: request.signal }, use)),
    }));
    if (product.objects.length > limits.objects)
      throw new ArgosyError('render-limit', `the source makes more than ${limits.objects} objects`);
    const recipe = recipeOf(product, view, refs, recorded.used());
    const rendering = renderingOf(product, recipe, request.tree.revision);
    const key = await resultKey(parameters, recipe, request, tools);
    results.set({ parameters, recipe, key, rendering, bytes: product.bytes });
    return rendering;
  };

  return {
    async render(request) {
      const current = settings();
      const parameters = parameterKey(request, current);
      if (request.fresh !== true) {
        const looked = lookUp(shelf, request, parameters);
        const hit = looked instanceof Promise ? await looked : looked;
        if (hit !== undefined) {
          hits += 1;
          return atRevision(hit, request.tree);
        }
      }
      const flight = `${parameters} ${[request.tree, ...request.refs.values()].map(({ revision }) => revision).join(' ')}`;
      if (request.fresh !== true) {
        const failed = failures.get(flight);
        if (failed !== undefined) throw failed;
        const other = running.get(flight);
        if (other !== undefined) return other;
      }
      const promise = make(request, current, parameters);
      running.set(flight, promise);
      try {
        const made = await promise;
        failures.clear(flight);
        return made;
      } catch (error) {
        if (isArgosyError(error)) failures.add(flight, error);
        throw error;
      } finally {
        if (running.get(flight) === promise) running.delete(flight);
      }
    },
    tools: () =>
      Promise.all(
        (['helm', 'kustomize', 'jsonnet'] as const).map(async (name) => ({
          name,
          tool: await tools.find(name).catch(() => undefined),
        })),
      ),
    confinement: () => spawner.confinement(),
    stats: () => ({ renders, hits }),
    close: () => reader.close(),
  };
}

/** What was made before, and the tools whose versions are a part of its key. */
interface Shelf {
  readonly results: ReturnType<typeof createResults>;
  readonly tools: ReturnType<typeof createTools>;
}

/** What was made of the same content before. It waits for nothing where there is one recipe and its key is known. */
function lookUp(
  { results, tools }: Shelf,
  request: RenderRequest,
  parameters: string,
): Rendering | undefined | Promise<Rendering | undefined> {
  const [recipe, ...others] = results.recipes(parameters);
  const key = recipe === undefined ? '' : resultKey(parameters, recipe, request, tools);
  if (typeof key === 'string' && others.length === 0) return results.get(key);
  return lookUpAll({ results, tools }, request, parameters);
}

async function lookUpAll(
  { results, tools }: Shelf,
  request: RenderRequest,
  parameters: string,
): Promise<Rendering | undefined> {
  for (const recipe of results.recipes(parameters)) {
    const hit = results.get(await resultKey(parameters, recipe, request, tools));
    if (hit !== undefined) return hit;
  }
  return undefined;
}

function atRevision(made: Rendering, { revision }: RenderRequest['tree']): Rendering {
  return made.revision === revision ? made : { ...made, revision };
}

interface Inputs {
  readonly request: RenderRequest;
  readonly settings: RenderSettings;
  readonly limits: RenderLimits;
  readonly view: TreeView;
  readonly refs: ReadonlyMap<string, TreeView>;
}

type Equip = (job: Omit<RenderJob, 'tools' | 'reader' | 'workspace'>) => RenderJob;

async function produce({ request, settings, limits, view, refs }: Inputs, equip: Equip): Promise<Product> {
  const { source, context, tree } = request;
  // A source that others refer to, and that names no directory, makes nothing itself.
  if (source.ref !== undefined && source.path === undefined && source.chart === undefined)
    return { objects: [], warnings: [], sourceType: '', bytes: 0 };
  const path = await findDirectory(view, source.chart === undefined ? (source.path ?? '') : '');
  const environment = buildEnvironment(source, context, tree.revision);
  const plain = equip({ source, path, view, refs, context, environment, settings, limits });
  const merged = await overrideSource(source, { view, path, appName: context.appName, reader: plain.reader });
  const job: RenderJob = { ...plain, source: normalizeSource(merged) };
  const choice = await chooseTool(job);
  const product = await (choice.tool === 'Plugin'
    ? renderPlugin(job, choice.plugin)
    : { Helm: renderHelm, Kustomize: renderKustomize, Directory: renderDirectory }[choice.tool](job));
  return environment.usedRevision() ? { ...product, askedRevision: true } : product;
}

/** The directory of the source; a link in its path could lead two readers to two places. */
async function findDirectory(view: TreeView, written: string): Promise<string> {
  const path = appPath(written);
  const found = await view.find(path);
  if (found === undefined)
    throw new ArgosyError('render-failed', 'the path of the source does not exist', { subject: written.slice(0, 200) });
  if (found.path !== path || found.kind !== 'directory')
    throw new ArgosyError(
      'render-refused',
      'the path of the source must be a directory, not a file, a link or a submodule',
      {
        subject: written.slice(0, 200),
      },
    );
  return path;
}

function recipeOf(
  product: Product,
  view: TreeView,
  refs: ReadonlyMap<string, TreeView>,
  tools: Recipe['tools'],
): Recipe {
  return {
    reads: view.reads(),
    refReads: [...refs].flatMap(([name, each]) => (each.reads().length > 0 ? [[name, each.reads()] as const] : [])),
    tools,
    askedCluster: product.askedCluster === true,
    askedRevision: product.askedRevision === true,
  };
}

function renderingOf({ objects, warnings, sourceType }: Product, recipe: Recipe, revision: string): Rendering {
  return {
    objects,
    warnings,
    sourceType,
    revision,
    // What names its commit, or reads all of it, changes with every commit.
    reads: recipe.askedRevision || recipe.reads.includes('') ? undefined : recipe.reads,
    ...(recipe.refReads.length > 0 ? { refReads: new Map(recipe.refReads) } : {}),
    ...(recipe.askedCluster ? { askedCluster: true } : {}),
  };
}
