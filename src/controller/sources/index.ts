export { mirrorKey, type SourceInput, sourceInputs } from './inputs.ts';
export type { RenderSource } from './rendering.ts';
export { createSources, type Sources, type SourcesOptions } from './sources.ts';
