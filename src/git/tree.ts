import { ArgosyError } from '../core/errors/index.ts';

/** What a name in a tree stands for. */
export type EntryKind = 'file' | 'executable' | 'link' | 'directory' | 'submodule';

/** One name in one tree. */
export interface TreeItem {
  readonly kind: EntryKind;
  readonly id: string;
}

/** A tree of git, by name. */
export type Tree = ReadonlyMap<string, TreeItem>;

const kinds: Readonly<Record<string, EntryKind>> = {
  '100644': 'file',
  '100664': 'file',
  '100755': 'executable',
  '120000': 'link',
  '40000': 'directory',
  '160000': 'submodule',
};

/** Reads the bytes of a tree object; `idBytes` is 20 or 32. */
export function parseTree(bytes: Buffer, idBytes: number): Tree {
  const tree = new Map<string, TreeItem>();
  let at = 0;
  while (at < bytes.length) {
    const space = bytes.indexOf(0x20, at);
    const zero = bytes.indexOf(0, space);
    if (space < 0 || zero < 0) throw malformed();
    const mode = bytes.toString('latin1', at, space).replace(/^0+/, '');
    const name = bytes.toString('utf8', space + 1, zero);
    const end = zero + 1 + idBytes;
    if (end > bytes.length) throw malformed();
    // Two entries of one name, or a name that is a path: two readers might take two different ones.
    if (tree.has(name) || name === '' || name.includes('/')) throw malformed();
    tree.set(name, { kind: kinds[mode] ?? 'file', id: bytes.toString('hex', zero + 1, end) });
    at = end;
  }
  return tree;
}

/**
 * The parts of a path inside a repository: `.` and empty parts dropped.
 * Nothing that leaves the root or that no file system should be given comes through.
 */
export function pathParts(path: string): string[] {
  if (path.includes('\0')) throw new ArgosyError('render-refused', 'a path holds a NUL character');
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw new ArgosyError('render-refused', 'a path leaves the repository', { subject: path });
  return parts;
}

function malformed(): ArgosyError {
  return new ArgosyError('git-failed', 'a tree of the repository is malformed');
}
