/**
 * A tree at a revision, turned into manifests, or into problems with file and line.
 *
 * It reads what it is given and decides nothing about who may; fetching is `git`'s business. Repositories belong to
 * tenants: every path is confined to its tree, tools run as children of `spawn` on private copies, YAML is read in
 * threads unless it is small. Equal content is rendered once: `cache/recipe.ts` says what a result depends on.
 * Begin with `types.ts`, then `renderer.ts`; each tool has a folder.
 */
export { type Charts, type ChartsOptions, createCharts } from './charts/charts.ts';
export type { ChartRequest } from './charts/place.ts';
export { defaultRenderLimits, type RenderLimits } from './limits.ts';
export { openLocalRenderer } from './local.ts';
export { createRenderer, type Renderer, type RendererOptions } from './renderer.ts';
export { defaultRenderSettings, type Plugin, type RenderSettings, renderSettings } from './settings.ts';
export type { Tool, ToolName, ToolOptions } from './tools/find.ts';
export { itemsOf } from './tree/items.ts';
export { localTree } from './tree/local.ts';
export { type MemoryFile, memoryTree } from './tree/memory.ts';
export type * from './types.ts';
