import type { HelmSource } from '../../core/api/index.ts';
import { ArgosyError } from '../../core/errors/index.ts';
import { compileGlob } from '../../core/match/index.ts';
import type { RenderJob } from '../job.ts';
import { joinInside, partsOf } from '../tree/paths.ts';
import type { TreeView } from '../tree/view.ts';

/** A file that Helm reads beside the chart: in the tree of the source or of another one, or at an address. */
export type ValueFile =
  | { readonly at: 'tree'; readonly path: string }
  | { readonly at: 'ref'; readonly ref: string; readonly path: string }
  | { readonly at: 'address'; readonly url: string };

const globSigns = /[*?[\]]/;

/** The value files of the Application in the order in which they count, each inside its repository and really there. */
export async function findValueFiles(job: RenderJob, options: HelmSource): Promise<readonly ValueFile[]> {
  const entries = options.valueFiles ?? [];
  const explicit = new Set<string>();
  const places = entries.map((entry) => placeOf(job, entry));
  for (const place of places) if (place.at !== 'address' && !globSigns.test(place.path)) explicit.add(keyOf(place));
  const files: ValueFile[] = [];
  const globbedBefore = new Set<string>();
  for (const [i, place] of places.entries()) {
    const found = await expand(job, place, explicit);
    if (found.length === 0 && options.ignoreMissingValueFiles !== true)
      throw new ArgosyError(
        'render-failed',
        `the value file ${(entries[i] ?? '').slice(0, 200)} is not in the repository`,
        {
          subject: 'valueFiles',
          reason: 'NotFound',
        },
      );
    // What patterns find counts once, where it is found first; what is named outright is passed on as it is written.
    const isPattern = place.at !== 'address' && globSigns.test(place.path);
    for (const file of found) {
      if (isPattern && globbedBefore.has(keyOf(file))) continue;
      if (isPattern) globbedBefore.add(keyOf(file));
      files.push(file);
    }
  }
  return files;
}

/** A file that a parameter is read from: by the same rules, but it must be one file of a repository. */
export async function findParameterFile(job: RenderJob, entry: string): Promise<ValueFile> {
  const place = placeOf(job, entry);
  if (place.at === 'address')
    throw new ArgosyError('render-refused', 'a file parameter must be in the repository', {
      subject: 'fileParameters',
    });
  const found = await viewFor(job, place).find(place.path);
  if (found?.kind === 'file') return { ...place, path: found.path };
  throw new ArgosyError('render-failed', `the file ${entry.slice(0, 200)} is not in the repository`, {
    subject: 'fileParameters',
  });
}

/** Where an entry points, before it is known whether something is there. */
function placeOf(job: RenderJob, written: string): ValueFile {
  const ref = /^\$([a-zA-Z0-9_-]+)(?:\/(.*))?$/s.exec(written);
  const [, name = '', below = ''] = ref ?? [];
  // A ref goes before the variables of the build, which look alike.
  if (job.refs.has(name)) {
    const path = joinInside('', job.environment.substitute(below), written);
    return { at: 'ref', ref: name, path };
  }
  if (ref !== null && !job.environment.variables.has(name)) throw unknownRef(job, name);
  const entry = job.environment.substitute(written);
  const url = /^([a-z][a-z0-9+.-]*):\/\//i.exec(entry);
  if (url !== null) return addressOf(job, entry, (url[1] ?? '').toLowerCase());
  return { at: 'tree', path: joinInside(entry.startsWith('/') ? '' : job.path, entry, written) };
}

function unknownRef({ refs }: RenderJob, name: string): ArgosyError {
  const known = [...refs.keys()].map((each) => `$${each}`).join(', ');
  return new ArgosyError('render-failed', `there is no source with the ref ${name}; there are: ${known || 'none'}`, {
    subject: 'valueFiles',
  });
}

function addressOf({ settings }: RenderJob, url: string, scheme: string): ValueFile {
  const { valuesFileSchemes } = settings.helm;
  if (settings.remoteReferences && valuesFileSchemes.includes(scheme)) return { at: 'address', url };
  throw new ArgosyError('render-refused', `value files from ${scheme}: addresses are not permitted`, {
    subject: 'valueFiles',
    hint: 'an admin can permit them in argocd-cm with source.remoteReferences and helm.valuesFileSchemes',
  });
}

function viewFor(job: RenderJob, place: Exclude<ValueFile, { at: 'address' }>): TreeView {
  const other = place.at === 'ref' ? job.refs.get(place.ref) : undefined;
  return other ?? job.view;
}

async function expand(job: RenderJob, place: ValueFile, explicit: ReadonlySet<string>): Promise<ValueFile[]> {
  if (place.at === 'address') return [place];
  const view = viewFor(job, place);
  if (!globSigns.test(place.path)) {
    const found = await view.find(place.path);
    return found?.kind === 'file' ? [{ ...place, path: place.path }] : [];
  }
  const matches: ValueFile[] = [];
  for (const path of await globbed(view, place.path)) {
    const file = { ...place, path };
    // A file that is also named outright takes the place where it is named.
    if (!explicit.has(keyOf(file)) && (await view.find(path))?.kind === 'file') matches.push(file);
  }
  return matches;
}

/** Files by a glob, those of a directory before those of its sub-directories. */
async function globbed(view: TreeView, pattern: string): Promise<string[]> {
  const parts = partsOf(pattern);
  const fixed = parts.slice(
    0,
    parts.findIndex((part) => globSigns.test(part)),
  );
  const directory = await view.find(fixed.join('/'));
  if (directory?.kind !== 'directory') return [];
  const rest = parts.slice(fixed.length).join('/');
  const glob = compileGlob(rest.replaceAll('**/', '{**/,}'), { separators: '/' });
  if (!glob.ok)
    throw new ArgosyError('render-failed', 'a pattern of value files cannot be read', { subject: 'valueFiles' });
  const base = fixed.join('/');
  return (await view.files(directory.path))
    .map(({ path }) => path)
    .filter((path) => glob.matches(path))
    .toSorted(directoryFirst)
    .map((path) => joinInside(base, path));
}

function directoryFirst(a: string, b: string): number {
  const [left, right] = [a.split('/'), b.split('/')];
  for (let i = 0; ; i += 1) {
    const [x, y] = [left[i] ?? '', right[i] ?? ''];
    const [lastX, lastY] = [i >= left.length - 1, i >= right.length - 1];
    if (lastX !== lastY && x !== undefined) return lastX ? -1 : 1;
    if (x !== y) return x < y ? -1 : 1;
    if (lastX) return 0;
  }
}

function keyOf(file: ValueFile): string {
  if (file.at === 'address') return file.url;
  return file.at === 'ref' ? `$${file.ref}/${file.path}` : `/${file.path}`;
}
