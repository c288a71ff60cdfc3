export { mirrorKey, type SourceInput, sourceInputs } from './inputs.ts';
export { createSources, type RenderSource, type Sources, type SourcesOptions } from './sources.ts';
