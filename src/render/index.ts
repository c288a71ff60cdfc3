/**
 * A tree at a revision, turned into manifests, or into problems with file and line.
 *
 * It reads what it is given and decides nothing about who may. Begin with `plain.ts`.
 */
export { type RenderedObject, renderPlain, type SourceFile } from './plain.ts';
