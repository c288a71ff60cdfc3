import { type Application, type ApplicationSource, projectOf, type Snapshot, sourcesOf } from '../../core/api/index.ts';
import { selectCredential } from '../../git/index.ts';

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
export function sourceInputs(app: Application, snapshot: Snapshot): SourceInput[] {
  return sourcesOf(app).map((source) => {
    const { scope } = selectCredential({ project: projectOf(app), url: source.repoURL }, snapshot.repositories);
    const revision =
      source.targetRevision === undefined || source.targetRevision === '' ? 'HEAD' : source.targetRevision;
    return { source, url: source.repoURL, scope, revision, path: source.path ?? '' };
  });
}

/** The repository's identity among all mirrors. */
export function mirrorKey({ url, scope }: Pick<SourceInput, 'url' | 'scope'>): string {
  return `${scope}\n${url}`;
}
