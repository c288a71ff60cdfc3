import { createSpawner } from '../spawn/index.ts';
import { createRenderer, type Renderer } from './renderer.ts';
import type { RenderSettings } from './settings.ts';
import type { ToolOptions } from './tools/find.ts';

/** A renderer for one command: it brings its own helper for child processes and ends it with itself. */
export function openLocalRenderer(options: {
  readonly settings: RenderSettings;
  readonly tools: ToolOptions;
  /** Where private directories are made. */
  readonly temporaryRoot: string;
}): Renderer {
  const spawner = createSpawner({ temporaryRoot: options.temporaryRoot });
  const renderer = createRenderer({ spawner, settings: () => options.settings, tools: options.tools, workers: 1 });
  return {
    ...renderer,
    async close() {
      await renderer.close();
      await spawner.close();
    },
  };
}
