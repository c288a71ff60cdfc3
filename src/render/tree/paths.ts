import { ArgosyError } from '../../core/errors/index.ts';

/** Puts a path behind a directory, both from the root; what leaves the root is refused before anything is opened. */
export function joinInside(directory: string, path: string, subject: string = path): string {
  if (path.includes('\0')) throw leaves(subject);
  const parts = path.startsWith('/') ? [] : partsOf(directory);
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) throw leaves(subject);
  }
  return parts.join('/');
}

/** The path of an Application: relative, inside, with nothing in it that two readers could take in two ways. */
export function appPath(path: string): string {
  if (path.startsWith('/') || path.includes('\0'))
    throw new ArgosyError('render-refused', 'the path of a source must be relative', { subject: path.slice(0, 200) });
  const parts = path.replace(/^\.\//, '').replace(/\/$/, '').split('/');
  if (parts.includes('..') || (parts.length > 1 && parts.includes('')))
    throw new ArgosyError('render-refused', 'the path of a source may hold no `..` and no empty part', {
      subject: path.slice(0, 200),
    });
  return joinInside('', path);
}

/** The directory of a path, from the root. */
export function parentOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? '' : path.slice(0, slash);
}

/** Whether a path is the directory itself or lies below it. */
export function isBelow(path: string, directory: string): boolean {
  return directory === '' || path === directory || path.startsWith(`${directory}/`);
}

/** The paths without those that lie below others of them, in order. */
export function outermost(paths: Iterable<string>): string[] {
  const all = new Set(paths);
  return [...all].filter((path) => !hasAncestor(path, all)).toSorted();
}

/** Whether a directory above a path is among these: as many questions as the path has parts, however many paths there are. */
function hasAncestor(path: string, all: ReadonlySet<string>): boolean {
  for (let at = path; at !== ''; ) {
    at = parentOf(at);
    if (all.has(at)) return true;
  }
  return false;
}

/** The parts of a path. */
export function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}

export function leaves(subject: string): ArgosyError {
  return new ArgosyError('render-refused', 'a path leads out of the repository', { subject: subject.slice(0, 200) });
}
