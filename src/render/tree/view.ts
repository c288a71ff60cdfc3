import { ArgosyError } from '../../core/errors/index.ts';
import type { SourceTree, TreeFile, TreeItem } from '../types.ts';
import { itemsOf } from './items.ts';
import { isBelow, joinInside, outermost, parentOf, partsOf } from './paths.ts';

/** What a path leads to when its links are followed. */
export interface Found {
  /** Where it really lies. */
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'submodule';
  readonly id: string;
}

/** A tree as one render reads it: links are followed inside the root, and what was looked at is remembered. */
export interface TreeView {
  readonly tree: SourceTree;
  /** Follows links; `undefined` where nothing is there, an error where a link leaves the root. */
  find(path: string): Promise<Found | undefined>;
  files(path: string): Promise<readonly TreeFile[]>;
  read(path: string): Promise<Buffer | undefined>;
  /** Notes paths whose ids decide the result. */
  note(...paths: readonly string[]): void;
  /** All that was looked at, the outermost paths only. */
  reads(): string[];
  /** These paths and all that links below them lead to: what a tool needs on disk. */
  closure(paths: readonly string[]): Promise<string[]>;
}

const maxLinks = 40;
/** What is asked for one by one is bounded in number: each costs a question to git. */
const maxLinksBelow = 2_000;

/** Opens a view; every render gets its own. `maxFiles` bounds what a tool may be given. */
export function viewOf(tree: SourceTree, maxFiles = 20_000): TreeView {
  const noted = new Set<string>();
  const find = (path: string): Promise<Found | undefined> => follow(tree, path, (seen) => noted.add(seen));
  const listed = new Map<string, Promise<readonly TreeFile[]>>();
  const files = (path: string): Promise<readonly TreeFile[]> => {
    noted.add(path);
    const list = listed.get(path) ?? tree.files(path);
    listed.set(path, list);
    return list;
  };
  return {
    tree,
    find,
    files,
    note: (...paths) => {
      for (const path of paths) noted.add(path);
    },
    async read(path) {
      const found = await find(path);
      if (found?.kind !== 'file') return undefined;
      const [content] = await tree.read([found.id]);
      return content;
    },
    reads: () => outermost(noted),
    closure: async (paths) => {
      const all = await closure({ tree, find, files }, paths);
      let count = 0;
      for (const path of all) count += (await listed.get(path))?.length ?? 1;
      if (count > maxFiles) throw new ArgosyError('render-limit', `the source needs more than ${maxFiles} files`);
      return all;
    },
  };
}

/** What one question may still follow. */
interface Journey {
  readonly tree: SourceTree;
  readonly note: (path: string) => void;
  readonly subject: string;
  links: number;
}

function follow(tree: SourceTree, path: string, note: (path: string) => void): Promise<Found | undefined> {
  return go({ tree, note, subject: path, links: maxLinks }, joinInside('', path));
}

async function go(journey: Journey, start: string): Promise<Found | undefined> {
  const { tree, note } = journey;
  for (let at = start; ; ) {
    note(at);
    const [item] = await itemsOf(tree).at([at]);
    if (item !== undefined && item.kind !== 'link') return found(at, item);
    const next = await throughLink(journey, at);
    if (next === undefined) return undefined;
    at = next;
  }
}

function found(path: string, { kind, id }: TreeItem): Found {
  return { path, id, kind: kind === 'directory' || kind === 'submodule' ? kind : 'file' };
}

/** The path with its first link replaced by where that leads. */
async function throughLink(journey: Journey, path: string): Promise<string | undefined> {
  const parts = partsOf(path);
  const prefixes = parts.map((_, i) => parts.slice(0, i + 1).join('/'));
  const items = await itemsOf(journey.tree).at(prefixes);
  const index = items.findIndex((item) => item?.kind === 'link');
  const link = items[index];
  if (link === undefined) return undefined;
  const at = prefixes[index] ?? '';
  journey.note(at);
  const target = await targetOf(journey, at, link.id);
  return target === undefined ? undefined : joinInside(target, parts.slice(index + 1).join('/'), journey.subject);
}

/**
 * Where a link points, from the root. The system goes up from where it really is: behind another link, `..` is the
 * parent of that one's target, and not of its name. `undefined` where it would not get that far.
 */
async function targetOf(journey: Journey, link: string, id: string): Promise<string | undefined> {
  journey.links -= 1;
  if (journey.links < 0)
    throw new ArgosyError('render-refused', 'a path goes through too many links', { subject: journey.subject });
  const [content] = await journey.tree.read([id]);
  const target = content?.toString('utf8') ?? '';
  if (target.startsWith('/') || target.includes('\0')) throw leavesByLink(link);
  let at = parentOf(link);
  let names: string[] = [];
  for (const part of partsOf(target)) {
    if (part !== '..') {
      names.push(part);
      continue;
    }
    const real = names.length === 0 ? { path: at } : await go(journey, joinInside(at, names.join('/')));
    if (real === undefined) return undefined;
    if (real.path === '') throw leavesByLink(link);
    at = parentOf(real.path);
    names = [];
  }
  return joinInside(at, names.join('/'));
}

function leavesByLink(link: string): ArgosyError {
  return new ArgosyError('render-refused', 'a link leads out of the repository', { subject: link });
}

async function closure(view: Pick<TreeView, 'tree' | 'find' | 'files'>, paths: readonly string[]): Promise<string[]> {
  let wanted = outermost(paths);
  const seen = new Set<string>();
  for (let todo = wanted; todo.length > 0; ) {
    const more: string[] = [];
    for (const path of todo) more.push(...(await linkTargets(view, path, seen)));
    const before = wanted;
    todo = outermost(more).filter((path) => !before.some((each) => isBelow(path, each)));
    wanted = outermost([...wanted, ...todo]);
  }
  return wanted;
}

/** What the links at or below a path lead to. */
async function linkTargets(
  { tree, find, files }: Pick<TreeView, 'tree' | 'find' | 'files'>,
  path: string,
  seen: Set<string>,
): Promise<string[]> {
  const [item] = await itemsOf(tree).at([path]);
  const links: { readonly path: string; readonly id: string }[] = [];
  if (item?.kind === 'link') links.push({ path, id: item.id });
  if (item?.kind === 'directory')
    for (const file of await files(path))
      if (file.kind === 'link') links.push({ path: path === '' ? file.path : `${path}/${file.path}`, id: file.id });
  const targets: string[] = [];
  for (const link of links) {
    if (seen.has(link.path)) continue;
    seen.add(link.path);
    if (seen.size > maxLinksBelow)
      throw new ArgosyError('render-limit', `the source has more than ${maxLinksBelow} links`);
    const journey = { tree, note: () => undefined, subject: link.path, links: maxLinks };
    const target = await targetOf(journey, link.path, link.id);
    // The target as written, in case it is a link itself, and where it ends.
    const end = target === undefined ? undefined : await find(target);
    if (target !== undefined && end !== undefined) targets.push(...(await existing(tree, [target, end.path])));
  }
  return targets;
}

async function existing(tree: SourceTree, paths: readonly string[]): Promise<string[]> {
  const items = await itemsOf(tree).at(paths);
  return paths.filter((_, i) => items[i] !== undefined);
}
