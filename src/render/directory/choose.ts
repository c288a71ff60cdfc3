import type { DirectorySource } from '../../core/api/index.ts';
import { ArgosyError } from '../../core/errors/index.ts';
import { compileGlob } from '../../core/match/index.ts';
import type { RenderJob } from '../job.ts';
import { joinInside } from '../tree/paths.ts';

/** A file of a plain directory. */
export interface ChosenFile {
  /** From the root, as written; a link keeps its own name. */
  readonly path: string;
  readonly id: string;
}

const manifest = /\.(?:ya?ml|json|jsonnet)$/;

/** The manifest files of a directory in the order of a walk by name. */
export async function chooseFiles(
  { view, path, source }: RenderJob,
  warn: (text: string) => void,
): Promise<readonly ChosenFile[]> {
  const { recurse = false, include = '', exclude = '' }: DirectorySource = source.directory ?? {};
  const [included, excluded] = [globOf(include), globOf(exclude)];
  const files = (await view.files(path))
    .filter((file) => manifest.test(file.path) && (recurse || !file.path.includes('/')))
    .filter((file) => excluded?.(file.path) !== true && included?.(file.path) !== false)
    .toSorted((a, b) => inWalkOrder(a.path, b.path));
  const chosen: ChosenFile[] = [];
  for (const file of files) {
    const full = joinInside(path, file.path);
    if (file.kind === 'file' || file.kind === 'executable') chosen.push({ path: full, id: file.id });
    else if (file.kind === 'link') {
      const found = await view.find(full);
      if (found?.kind === 'file') chosen.push({ path: full, id: found.id });
      else warn(`${full}: the link leads to no file and is skipped`);
    }
  }
  return chosen;
}

function globOf(pattern: string): ((path: string) => boolean) | undefined {
  if (pattern === '') return undefined;
  const glob = compileGlob(pattern);
  if (!glob.ok) throw new ArgosyError('render-failed', `the pattern ${pattern.slice(0, 100)} cannot be read`);
  return (path) => glob.matches(path);
}

/** A walk sorts the names of each directory, so `a/z` comes before `a.yaml`. */
function inWalkOrder(a: string, b: string): number {
  const [left, right] = [a.split('/'), b.split('/')];
  for (let i = 0; i < Math.min(left.length, right.length); i += 1) {
    const [x = '', y = ''] = [left[i], right[i]];
    if (x !== y) return x < y ? -1 : 1;
  }
  return left.length - right.length;
}
