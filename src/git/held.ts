import type { BatchReader } from './batch-reader.ts';
import { pathParts } from './tree.ts';

/** Questions to git are lines. */
const unspeakable = /\p{Cc}/u;

/**
 * The ids of what lies at paths of a commit that the mirror holds, `undefined` where there is no such commit. Git itself walks
 * down to them: of a commit that nobody else asks for, no tree is read here.
 */
export async function heldIds(
  reader: Pick<BatchReader, 'info'>,
  commit: string,
  paths: readonly string[],
): Promise<readonly (string | undefined)[] | undefined> {
  if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit) || paths.some((path) => unspeakable.test(path))) return undefined;
  const names = paths.map((path) => `${commit}:${pathParts(path).join('/')}`);
  const [top, ...found] = await reader.info([`${commit}^{commit}`, ...names]);
  // Tags and trees have paths as well, but nobody can have been told of them.
  return top?.id === commit ? found.map((item) => item?.id) : undefined;
}
