import { hash } from 'node:crypto';
import type { ToolName, Tools } from '../tools/find.ts';
import type { RenderRequest } from '../types.ts';

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

/** The key of a result: parameters, and the content of everything in the recipe as it is now. */
export async function resultKey(
  parameters: string,
  recipe: Recipe,
  request: RenderRequest,
  tools: Tools,
): Promise<string> {
  const { tree, refs, context } = request;
  const own = await tree.at(recipe.reads);
  let text = parameters;
  for (const item of own) text += `\n${item?.id ?? '-'}`;
  for (const [ref, paths] of recipe.refReads) {
    const items = (await refs.get(ref)?.at(paths)) ?? [];
    text += `\n$${ref}`;
    for (const item of items) text += `\n${item?.id ?? '-'}`;
  }
  for (const [name, path] of recipe.tools) {
    const tool = await (path === undefined ? tools.find(name) : tools.at(name, path));
    text += `\n${tool.path} ${tool.version}`;
  }
  if (recipe.askedRevision) text += `\n${tree.revision}`;
  if (recipe.askedCluster) text += `\n${context.kubeVersion} ${listKey(context.apiVersions)}`;
  return hash('sha256', text);
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
