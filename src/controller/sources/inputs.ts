import { type Application, type ApplicationSource, projectOf, type Snapshot, sourcesOf } from '../../core/api/index.ts';
import { type SelectedCredential, selectCredential } from '../../git/index.ts';
import type { SourceOverride } from '../application/world.ts';

/** One repository as one tenant reads it, and what of it an Application uses. */
export interface SourceInput {
  readonly source: ApplicationSource;
  readonly url: string;
  /** Separates mirrors that are read with different credentials. */
  readonly scope: string;
  readonly revision: string;
  readonly path: string;
}

/** What an Application reads, in the order of its sources; charts from Helm repositories are none of git's. */
export function sourceInputs(app: Application, snapshot: Snapshot, override: SourceOverride = {}): SourceInput[] {
  const sources = override.sources ?? (override.source === undefined ? sourcesOf(app) : [override.source]);
  return sources.map((source, i) => {
    const { scope } = credentialFor(app, source, snapshot);
    const wanted = override.revisions?.[i] ?? override.revision ?? source.targetRevision ?? '';
    const revision = wanted === '' ? 'HEAD' : wanted;
    return { source, url: source.repoURL, scope, revision, path: source.path ?? '' };
  });
}

const selected = new WeakMap<Snapshot['repositories'], Map<string, SelectedCredential>>();
const maxSelected = 20_000;
/** Longer than any address: it is refused later, and not remembered. */
const longestSelected = 4096;

/**
 * The credential an Application's project has for one of its sources. It is asked for at every look, and found among all
 * Secrets of repositories: once for each project and address as long as those stay the same.
 */
export function credentialFor(app: Application, source: ApplicationSource, snapshot: Snapshot): SelectedCredential {
  const type = source.chart === undefined ? 'git' : 'helm';
  const project = projectOf(app);
  const { repositories } = snapshot;
  const known = selected.get(repositories) ?? new Map<string, SelectedCredential>();
  selected.set(repositories, known);
  const name = pairName(project, `${type} ${source.repoURL}`);
  const found = known.get(name) ?? selectCredential({ project, url: source.repoURL, type }, repositories);
  if (name.length > longestSelected) return found;
  if (known.size >= maxSelected) known.clear();
  known.set(name, found);
  return found;
}

/** One text for two that tenants wrote: no other two have the same. */
export function pairName(first: string, second: string): string {
  return `${first.length} ${first} ${second}`;
}

/** Tells whether an operation puts anything in the place of the Application's own sources and revisions. */
export function isOverride({ revision, revisions, source, sources }: SourceOverride): boolean {
  return [revision, revisions, source, sources].some((part) => part !== undefined);
}

/** The repository's identity among all mirrors. */
export function mirrorKey({ url, scope }: Pick<SourceInput, 'url' | 'scope'>): string {
  return `${scope}\n${url}`;
}
