import { type Application, type ApplicationSource, projectOf, type Snapshot, sourcesOf } from '../../core/api/index.ts';
import { selectCredential } from '../../git/index.ts';
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
    const { scope } = selectCredential({ project: projectOf(app), url: source.repoURL }, snapshot.repositories);
    const wanted = override.revisions?.[i] ?? override.revision ?? source.targetRevision ?? '';
    const revision = wanted === '' ? 'HEAD' : wanted;
    return { source, url: source.repoURL, scope, revision, path: source.path ?? '' };
  });
}

/** The repository's identity among all mirrors. */
export function mirrorKey({ url, scope }: Pick<SourceInput, 'url' | 'scope'>): string {
  return `${scope}\n${url}`;
}
