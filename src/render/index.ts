/**
 * A tree at a revision, turned into manifests, or into problems with file and line.
 *
 * It reads what it is given and decides nothing about who may; fetching is `git`'s business. Begin with `types.ts`.
 */
export { renderDirectory } from './directory.ts';
export type * from './types.ts';
export { type Documents, readDocuments } from './yaml/documents.ts';
