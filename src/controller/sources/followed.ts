import type { ApplicationSource } from '../../core/api/index.ts';
import { ArgosyError } from '../../core/errors/index.ts';
import type { Repository, SelectedCredential } from '../../git/index.ts';
import { type ChartRequest, type Charts, itemsOf, type SourceTree } from '../../render/index.ts';
import type { Verify } from './integrity.ts';
import { type TreeWish, treeAt } from './tree.ts';

/** A repository as sources follow it: of git, or of charts. */
export interface Followed {
  /** Asks for news; whoever refreshes wants what is there now. */
  fetch(refresh?: 'normal' | 'hard'): Promise<{ readonly changed: boolean }>;
  /** The commit, or the version of the chart. */
  resolve(revision: string, tagPrefix: string | undefined): Promise<{ readonly commit: string }>;
  treeIds(commit: string, paths: readonly string[]): Promise<readonly ({ readonly id: string } | undefined)[]>;
  tree(commit: string): Promise<SourceTree>;
  /** Whether an earlier commit that is at hand, and verified as the project asks, holds the same at these paths. */
  isSame(earlier: string, commit: string, paths: readonly string[]): Promise<boolean>;
}

/** A repository of git; what it resolves to has been verified as the project asks. */
export function followGit(repository: Repository, verify: Verify, wish: TreeWish = {}): Followed {
  return {
    fetch: () => repository.fetch(),
    resolve: async (revision, tagPrefix) => {
      const resolved = await repository.resolve(revision, tagPrefix);
      await verify(repository, resolved);
      return resolved;
    },
    // After a commit all Applications ask at once: in one walk, and whoever is rendered then has been answered.
    treeIds: async (commit, paths) => itemsOf(treeAt(repository, commit, wish)).at(paths),
    tree: async (commit) => treeAt(repository, commit, wish),
    isSame: async (earlier, commit, paths) => {
      const held = await repository.heldIds(earlier, paths);
      const items = held === undefined ? [] : await repository.treeIds(commit, paths);
      // Where a repository has nothing itself, one of its submodules may have something.
      const isHeld = (i: number): boolean => items[i]?.id === held?.[i] && !(wish.modules && held?.[i] === undefined);
      if (held === undefined || !paths.every((_, i) => isHeld(i))) return false;
      await verify(repository, { commit: earlier, kind: 'commit', ref: undefined });
      return true;
    },
  };
}

/** A chart of a Helm repository or registry: its versions take the place of commits. */
export function followChart(
  charts: Pick<Charts, 'version' | 'tree' | 'forget'> | undefined,
  { source, scope, credential }: { source: ApplicationSource; scope: string; credential: SelectedCredential },
): Followed {
  if (charts === undefined)
    throw new ArgosyError('render-failed', 'charts of Helm repositories are not available here');
  const { login, repository } = credential;
  const request: Omit<ChartRequest, 'version'> = {
    repoURL: source.repoURL,
    chart: source.chart ?? '',
    scope,
    passCredentials: source.helm?.passCredentials,
    plainHttp: repository?.insecureOCIForceHttp,
    login:
      login === undefined || login.username === ''
        ? undefined
        : { username: login.username, password: login.secrets.get('password')?.reveal() ?? '' },
  };
  return {
    // Lists of versions are kept for a while by themselves; whether one is new shows in what it resolves to.
    fetch: async (refresh) => {
      if (refresh !== undefined) charts.forget({ ...request, version: '' }, refresh);
      return { changed: true };
    },
    resolve: async (version) => ({ commit: await charts.version({ ...request, version }) }),
    treeIds: async (version, paths) => (await charts.tree({ ...request, version })).at(paths),
    tree: (version) => charts.tree({ ...request, version }),
    // An earlier version would have to be brought first.
    isSame: async (earlier, version) => earlier === version,
  };
}
