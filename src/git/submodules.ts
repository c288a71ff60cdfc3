import { ArgosyError } from '../core/errors/index.ts';
import type { ExportRequest, ExportSource } from './export.ts';
import type { TreeEntry } from './tree-walk.ts';

/** Opens the repository of a submodule; `undefined` where this address is not permitted. */
export type SubmoduleSource = (url: string) => Promise<ExportSource | undefined>;

/** A submodule whose repository is open. */
export interface Submodule {
  readonly path: string;
  readonly commit: string;
  readonly repository: ExportSource;
  /** For its own submodules; `undefined` at the bottom. */
  readonly deeper: SubmoduleSource | undefined;
}

const maxModules = 100;
const maxLevels = 5;
const levels = new WeakMap<SubmoduleSource, number>();

/** Finds the addresses of submodules in `.gitmodules` and opens their repositories. */
export async function findSubmodules(
  source: ExportSource,
  request: ExportRequest,
  modules: readonly TreeEntry[],
): Promise<Submodule[]> {
  const open = request.submodule;
  if (open === undefined) return [];
  if (modules.length > maxModules)
    throw new ArgosyError('git-limit', 'the repository has more submodules than permitted');
  const [item] = await source.treeIds(request.commit, ['.gitmodules']);
  if (item?.kind !== 'file')
    throw new ArgosyError('git-revision', 'submodules are not described in .gitmodules', { subject: source.url });
  const [text] = await source.read([item.id]);
  const addresses = parseModules(text?.toString() ?? '');
  const found: Submodule[] = [];
  for (const { path, id } of modules) {
    const address = addresses.get(path);
    const repository = address === undefined ? undefined : await open(resolveAddress(source.url, address));
    if (repository === undefined)
      throw new ArgosyError('render-refused', 'a submodule is not permitted', { subject: path });
    found.push({ path, commit: id, repository, deeper: oneDeeper(open) });
  }
  return found;
}

/** Reads `.gitmodules`: only sections of submodules, only path and url, nothing that could be a command. */
export function parseModules(text: string): Map<string, string> {
  const byPath = new Map<string, string>();
  let current: { path?: string; url?: string } | undefined;
  const finish = (): void => {
    if (current?.path !== undefined && current.url !== undefined) byPath.set(current.path, current.url);
  };
  for (const line of text.split('\n')) {
    if (/^\s*\[/.test(line)) {
      finish();
      current = /^\s*\[submodule\s+"[^"\n]*"\]\s*$/.test(line) ? {} : undefined;
      continue;
    }
    const match = /^\s*(path|url)\s*=\s*(.*?)\s*$/.exec(line);
    if (match === null || current === undefined) continue;
    const value = (match[2] ?? '').replace(/^"(.*)"$/, '$1');
    if (match[1] === 'path') current.path = value;
    else current.url = value;
  }
  finish();
  return byPath;
}

/** `../other.git` is relative to the repository it stands in. */
export function resolveAddress(base: string, address: string): string {
  if (!/^\.\.?\//.test(address)) return address;
  const parts = base.replace(/\/+$/, '').split('/');
  for (const part of address.split('/')) {
    if (part === '..') {
      // Scheme, nothing, host: what is left of them is not for the tenant to take away.
      if (parts.length <= 3) throw new ArgosyError('render-refused', 'the address of a submodule leaves its server');
      parts.pop();
    } else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}

function oneDeeper(open: SubmoduleSource): SubmoduleSource | undefined {
  const level = (levels.get(open) ?? 0) + 1;
  if (level >= maxLevels) return undefined;
  const deeper: SubmoduleSource = (url) => open(url);
  levels.set(deeper, level);
  return deeper;
}
