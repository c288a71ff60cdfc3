import { hash } from 'node:crypto';
import type { ToolName, Tools } from '../tools/find.ts';
import { itemsOf } from '../tree/items.ts';
import type { RenderRequest, TreeItem } from '../types.ts';

/** What a result depends on beside the parameters: recorded while it was made. */
export interface Recipe {
  /** Paths of the source's own tree. */
  readonly reads: readonly string[];
  /** Paths of the trees of other sources. */
  readonly refReads: readonly (readonly [ref: string, paths: readonly string[]])[];
  /** Programs that ran: a name, or a name and a path. */
  readonly tools: readonly (readonly [name: ToolName, path: string | undefined])[];
  readonly askedCluster: boolean;
  readonly askedRevision: boolean;
}

/** The key of a result: parameters, and the content of everything in the recipe as it is now. At once where that is known. */
export function resultKey(
  parameters: string,
  recipe: Recipe,
  request: RenderRequest,
  tools: Tools,
): string | Promise<string> {
  const own = itemsOf(request.tree).at(recipe.reads);
  const isPlain = recipe.refReads.length === 0 && recipe.tools.length === 0;
  if (isPlain && isArray(own)) return `${parameters}${idsOf(own)}${asked(recipe, request)}`;
  return wholeKey(parameters, recipe, request, tools);
}

async function wholeKey(parameters: string, recipe: Recipe, request: RenderRequest, tools: Tools): Promise<string> {
  let text = `${parameters}${idsOf(await itemsOf(request.tree).at(recipe.reads))}`;
  for (const [ref, paths] of recipe.refReads) {
    const tree = request.refs.get(ref);
    text += `\n$${ref}${tree === undefined ? '' : idsOf(await itemsOf(tree).at(paths))}`;
  }
  for (const [name, path] of recipe.tools) {
    const tool = await (path === undefined ? tools.find(name) : tools.at(name, path));
    text += `\n${tool.path} ${tool.version}`;
  }
  return `${text}${asked(recipe, request)}`;
}

function isArray<T>(value: readonly T[] | Promise<readonly T[]>): value is readonly T[] {
  return Array.isArray(value);
}

function idsOf(items: readonly (TreeItem | undefined)[]): string {
  let text = '';
  for (const item of items) text += `\n${item?.id ?? '-'}`;
  return text;
}

function asked({ askedRevision, askedCluster }: Recipe, { tree, context }: RenderRequest): string {
  const revision = askedRevision ? `\nrevision ${tree.revision}` : '';
  const cluster = askedCluster ? `\ncluster ${context.kubeVersion} ${listKey(context.apiVersions)}` : '';
  return `${revision}${cluster}`;
}

const lists = new WeakMap<readonly string[], string>();

/** The list of a cluster's kinds is long and the same for all its Applications: hashed once. */
function listKey(list: readonly string[]): string {
  const before = lists.get(list);
  if (before !== undefined) return before;
  const key = hash('sha256', JSON.stringify(list.toSorted()));
  lists.set(list, key);
  return key;
}

/** Programs as they are, and a list of those that were asked for. */
export function recordingTools(tools: Tools): { readonly tools: Tools; readonly used: () => Recipe['tools'] } {
  const used = new Map<string, readonly [ToolName, string | undefined]>();
  return {
    used: () => [...used.values()],
    tools: {
      find: (name) => {
        used.set(name, [name, undefined]);
        return tools.find(name);
      },
      at: (name, path) => {
        used.set(`${name}\n${path}`, [name, path]);
        return tools.at(name, path);
      },
    },
  };
}
