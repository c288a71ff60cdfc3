import { ArgosyError } from '../../core/errors/index.ts';
import { isObject, type Json, type JsonObject } from '../../core/json/index.ts';
import type { RenderJob } from '../job.ts';
import { joinInside, parentOf } from '../tree/paths.ts';
import {
  configReferencesOf,
  looksCloned,
  looksRemote,
  onlyLists,
  type Reference,
  type References,
  referencesOf,
} from './references.ts';

/** What a build will open. */
export interface Scan {
  /** Directories with kustomizations and files beside them, from the root. */
  readonly paths: readonly string[];
  /** Something remote is referred to, which the settings permit. */
  readonly remote: boolean;
  /** Charts are to be inflated. */
  readonly charts: boolean;
}

/** The names under which kustomize looks for a kustomization. */
export const kustomizationNames: readonly string[] = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'];

/**
 * Follows everything a kustomization refers to before the tool runs: what leads out of the repository, to the network
 * (unless permitted) or nowhere is refused here, with the field that names it.
 */
export async function scanKustomization(job: RenderJob, extra: readonly Reference[] = []): Promise<Scan> {
  const walk = new Walk(job);
  await walk.directory(job.path, 'the source');
  for (const reference of extra) await walk.reference(job.path, job.path, reference);
  return { paths: [...walk.paths], remote: walk.remote, charts: walk.charts };
}

class Walk {
  readonly paths = new Set<string>();
  remote = false;
  charts = false;
  readonly #visited = new Set<string>();
  readonly #job: RenderJob;

  constructor(job: RenderJob) {
    this.#job = job;
  }

  async directory(path: string, from: string): Promise<void> {
    if (!this.#enter(`base ${path}`, from)) return;
    const { file, value } = await this.#kustomization(path, from);
    this.paths.add(path);
    const { inline, ...found } = referencesOf(value);
    await this.#follow(path, file, found);
    for (const text of inline)
      for (const each of await this.#inline(file, text)) await this.#follow(path, file, configReferencesOf(each));
  }

  async reference(directory: string, file: string, { path, kind, field }: Reference): Promise<void> {
    const { view } = this.#job;
    const subject = `${file} (${field})`;
    if (path.startsWith('/') || path.includes('\0')) throw outside(subject);
    const found =
      looksRemote(path) && /:\/\/|::/.test(path) ? undefined : await view.find(inside(directory, path, subject));
    if (found === undefined || (found.kind === 'directory' && kind !== 'file' && looksCloned(path)))
      return this.#absent(path, subject);
    if (found.kind === 'directory' && kind === 'base') return this.directory(found.path, subject);
    if (found.kind === 'directory' && kind === 'config') return this.#configDirectory(found.path, subject);
    this.paths.add(joinInside(directory, path));
    this.paths.add(found.path);
    if (kind === 'config') await this.#config(found.path, subject);
  }

  /** Says whether this is new, and that there are not too many of them. */
  #enter(what: string, from: string): boolean {
    if (this.#visited.has(what)) return false;
    this.#visited.add(what);
    if (this.#visited.size > this.#job.limits.kustomizations)
      throw new ArgosyError('render-limit', 'the source has too many kustomizations', { subject: from });
    return true;
  }

  async #follow(directory: string, file: string, found: Omit<References, 'inline'>): Promise<void> {
    if (found.refusal !== undefined)
      throw new ArgosyError('render-refused', `${file}: ${found.refusal}`, { subject: file });
    for (const reference of found.references) await this.reference(directory, file, reference);
    for (const chart of found.charts) await this.#chart(directory, file, chart);
  }

  /** A chart is in the repository, or it is fetched from somewhere. */
  async #chart(directory: string, file: string, path: string): Promise<void> {
    this.charts = true;
    const found = await this.#job.view.find(inside(directory, path, `${file} (helmCharts)`));
    if (found !== undefined) this.paths.add(found.path);
    else this.#absent('https://chart', `${file} (helmCharts)`);
  }

  #absent(path: string, subject: string): void {
    if (!looksRemote(path))
      throw new ArgosyError('render-failed', `${subject}: ${path.slice(0, 200)} is not in the repository`, { subject });
    if (!this.#job.settings.remoteReferences)
      throw new ArgosyError('render-refused', `${subject}: references to other places are not permitted`, {
        subject,
        hint: 'vendor what is referred to, or let an admin set source.remoteReferences in argocd-cm',
      });
    // Git takes a word that begins with a dash for an option, and `ext::` for a program.
    if (/^-|[?&]ref=-|(?:^|\/)-|ext::|[\s\0]/.test(path)) throw outside(subject);
    this.remote = true;
  }

  /** Files of generators and transformers: built-in ones may name files, and may inflate charts. */
  async #config(path: string, subject: string): Promise<void> {
    if (!this.#enter(`config ${path}`, subject)) return;
    for (const value of await this.#documents(path))
      if (isObject(value)) await this.#follow(parentOf(path), subject, configReferencesOf(value));
  }

  /** A kustomization whose resources become generators or transformers: what it lists is what the tool will see. */
  async #configDirectory(path: string, from: string): Promise<void> {
    if (!this.#enter(`configs ${path}`, from)) return;
    const { file, value } = await this.#kustomization(path, from);
    if (!onlyLists(value))
      throw new ArgosyError('render-refused', `${file}: a kustomization of generators may only list resources`, {
        subject: file,
      });
    this.paths.add(path);
    for (const reference of referencesOf(value).references)
      await this.reference(path, file, { ...reference, kind: 'config' });
  }

  async #inline(file: string, text: string): Promise<JsonObject[]> {
    const { documents } = await this.#job.reader.output(file, Buffer.from(text));
    return documents.flatMap(({ value }) => (isObject(value) ? [value] : []));
  }

  async #kustomization(path: string, from: string): Promise<{ file: string; value: JsonObject }> {
    for (const name of kustomizationNames) {
      const file = joinInside(path, name);
      if ((await this.#job.view.find(file))?.kind !== 'file') continue;
      const [value] = await this.#documents(file);
      return { file, value: isObject(value) ? value : {} };
    }
    throw new ArgosyError('render-failed', `${from}: there is no kustomization in ${path === '' ? 'the root' : path}`, {
      subject: from,
    });
  }

  async #documents(file: string): Promise<readonly Json[]> {
    const { view, reader } = this.#job;
    const found = await view.find(file);
    if (found === undefined) return [];
    const [content = Buffer.alloc(0)] = await view.tree.read([found.id]);
    const [parsed] = await reader.files([{ id: found.id, content }]);
    if (parsed === undefined || !parsed.ok)
      throw new ArgosyError(parsed?.code ?? 'render-failed', `${file}${parsed?.message ?? ''}`, { subject: file });
    return parsed.documents.map(({ value }) => value);
  }
}

function inside(directory: string, path: string, subject: string): string {
  try {
    return joinInside(directory, path);
  } catch {
    throw outside(subject);
  }
}

function outside(subject: string): ArgosyError {
  return new ArgosyError('render-refused', `${subject}: a path leads out of the repository`, { subject });
}
