import { hash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ArgosyError } from '../../core/errors/index.ts';
import { parseModules, resolveAddress } from '../../git/index.ts';
import type { SourceTree } from '../../render/index.ts';

/** The way to the repositories of submodules, as one project may take it. */
export interface Modules {
  /** Changes with whatever decides which submodules are permitted: what was read before counts no longer then. */
  readonly stamp: string;
  /** The repository of a submodule at its commit; `undefined` where the project does not permit the address. */
  open(url: string, commit: string): Promise<SourceTree | undefined>;
}

type Item = Awaited<ReturnType<SourceTree['at']>>[number];
type File = Awaited<ReturnType<SourceTree['files']>>[number];

/** A path inside a submodule. */
interface Inside {
  readonly module: string;
  readonly rest: string;
}

const maxModules = 100;
const maxLevels = 5;
const maxFiles = 100_000;

/** A tree with its submodules in their places; without permission for one of them, whatever touches it is refused. */
export function withSubmodules(plain: SourceTree, url: string, modules: Modules, level = 0): SourceTree {
  return level >= maxLevels ? plain : new ModuleTree(plain, { url, modules, level });
}

/** What a tree of submodules is made with. */
interface Place {
  readonly url: string;
  readonly modules: Modules;
  readonly level: number;
}

class ModuleTree implements SourceTree {
  readonly #plain: SourceTree;
  readonly #place: Place;
  readonly #opened = new Map<string, Promise<SourceTree>>();
  #addresses: Promise<ReadonlyMap<string, string>> | undefined;

  constructor(plain: SourceTree, place: Place) {
    this.#plain = plain;
    this.#place = place;
  }

  get revision(): string {
    return this.#plain.revision;
  }

  async at(paths: readonly string[]): Promise<readonly Item[]> {
    const items = await this.#plain.at(paths);
    return Promise.all(
      items.map(async (item, i) => {
        if (item !== undefined && item.kind !== 'submodule') return { ...item, id: this.#own(item.id) };
        const inside = await this.#inside(paths[i] ?? '');
        if (inside === undefined) return item;
        const [found] = await (await this.#open(inside.module)).at([inside.rest]);
        return found && { ...found, id: this.#foreign(inside.module, found.id) };
      }),
    );
  }

  async files(path: string): Promise<readonly File[]> {
    const inside = await this.#inside(path);
    if (inside !== undefined) return this.#filesOf(inside, '');
    const found: File[] = [];
    for (const file of await this.#plain.files(path)) {
      if (file.kind !== 'submodule') found.push({ ...file, id: this.#own(file.id) });
      else found.push(...(await this.#filesOf({ module: join(path, file.path), rest: '' }, file.path)));
      if (found.length > maxFiles)
        throw new ArgosyError('git-limit', 'the repository has more files than permitted, with its submodules');
    }
    return found;
  }

  async read(ids: readonly string[]): Promise<readonly Buffer[]> {
    const contents = new Map<string, Buffer>();
    for (const [tree, wanted] of await this.#byTree(ids)) {
      const read = await tree.read(wanted.map(({ inner }) => inner));
      for (const [i, { id }] of wanted.entries()) contents.set(id, read[i] ?? Buffer.alloc(0));
    }
    return ids.map((id) => contents.get(id) ?? Buffer.alloc(0));
  }

  async exportTo(directory: string, paths: readonly string[]): Promise<void> {
    const own: string[] = [];
    const wanted = new Map<string, string[]>();
    for (const path of paths) {
      const inside = await this.#inside(path);
      if (inside === undefined) own.push(path);
      else wanted.set(inside.module, [...(wanted.get(inside.module) ?? []), inside.rest]);
    }
    if (own.length > 0) await this.#plain.exportTo(directory, own);
    for (const module of await this.#below(own)) wanted.set(module, ['']);
    for (const [module, rest] of wanted) {
      const target = join(directory, module);
      await mkdir(target, { recursive: true });
      await (await this.#open(module)).exportTo(target, rest.includes('') ? [''] : rest);
    }
  }

  async #filesOf({ module, rest }: Inside, prefix: string): Promise<File[]> {
    const files = await (await this.#open(module)).files(rest);
    return files.map((file) => ({ ...file, path: join(prefix, file.path), id: this.#foreign(module, file.id) }));
  }

  /** The submodule a path leads into; the text of `.gitmodules` alone makes none. */
  async #inside(path: string): Promise<Inside | undefined> {
    for (const module of (await this.#declared()).keys()) {
      if (path !== module && !path.startsWith(`${module}/`)) continue;
      const [item] = await this.#plain.at([module]);
      if (item?.kind === 'submodule') return { module, rest: path.slice(module.length + 1) };
    }
    return undefined;
  }

  async #below(paths: readonly string[]): Promise<string[]> {
    const declared = [...(await this.#declared()).keys()];
    const below = declared.filter((module) => paths.some((path) => path === '' || module.startsWith(`${path}/`)));
    const items = await this.#plain.at(below);
    return below.filter((_, i) => items[i]?.kind === 'submodule');
  }

  #declared(): Promise<ReadonlyMap<string, string>> {
    this.#addresses ??= this.#readAddresses().catch((error: unknown) => {
      this.#addresses = undefined;
      throw error;
    });
    return this.#addresses;
  }

  async #readAddresses(): Promise<ReadonlyMap<string, string>> {
    const [item] = await this.#plain.at(['.gitmodules']);
    if (item?.kind !== 'file') return new Map();
    const [text] = await this.#plain.read([item.id]);
    const addresses = parseModules(text?.toString() ?? '');
    if (addresses.size > maxModules)
      throw new ArgosyError('git-limit', 'the repository has more submodules than permitted');
    return addresses;
  }

  #open(module: string): Promise<SourceTree> {
    const opened = this.#opened.get(module) ?? this.#begin(module);
    this.#opened.set(module, opened);
    // What failed may work the next time.
    opened.catch(() => this.#opened.delete(module));
    return opened;
  }

  async #begin(module: string): Promise<SourceTree> {
    const { url, modules, level } = this.#place;
    const address = (await this.#declared()).get(module);
    const [item] = await this.#plain.at([module]);
    const commit = item?.kind === 'submodule' ? /[0-9a-f]{40,64}$/.exec(item.id)?.[0] : undefined;
    const target = address === undefined ? undefined : resolveAddress(url, address);
    const tree = target === undefined || commit === undefined ? undefined : await modules.open(target, commit);
    if (tree === undefined || target === undefined)
      throw new ArgosyError(
        'render-refused',
        `submodule ${JSON.stringify(module.slice(0, 200))}: the project does not permit its repository; add its address to sourceRepos`,
      );
    return withSubmodules(tree, target, modules, level + 1);
  }

  #own(id: string): string {
    return `${this.#place.modules.stamp}.${id}`;
  }

  #foreign(module: string, id: string): string {
    return this.#own(`${nameOf(module)}.${id}`);
  }

  /** Whose the contents with these ids are. */
  async #byTree(ids: readonly string[]): Promise<Map<SourceTree, { readonly id: string; readonly inner: string }[]>> {
    const byName = new Map([...(await this.#declared()).keys()].map((module) => [nameOf(module), module]));
    const found = new Map<SourceTree, { readonly id: string; readonly inner: string }[]>();
    for (const id of ids) {
      const bare = id.slice(this.#place.modules.stamp.length + 1);
      const dot = bare.indexOf('.');
      const module = dot < 0 ? undefined : byName.get(bare.slice(0, dot));
      const tree = module === undefined ? this.#plain : await this.#open(module);
      found.set(tree, [...(found.get(tree) ?? []), { id, inner: module === undefined ? bare : bare.slice(dot + 1) }]);
    }
    return found;
  }
}

function nameOf(module: string): string {
  return hash('sha1', module).slice(0, 12);
}
