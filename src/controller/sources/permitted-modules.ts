import { hash } from 'node:crypto';
import type { Snapshot } from '../../core/api/index.ts';
import { type EffectiveProject, effectiveProject, permitsSource } from '../../core/policy/index.ts';
import { type Git, type Repository, selectCredential } from '../../git/index.ts';
import type { SourceTree } from '../../render/index.ts';
import type { Modules } from './submodules.ts';
import { treeAt } from './tree.ts';

/** What the way to submodules needs. */
export interface ModulesHouse {
  readonly git: Git;
  readonly snapshot: () => Snapshot;
}

/**
 * The way to submodules, where the platform has turned them on: to repositories that the project permits, with the
 * credentials the project has for them. `kept`: as the mirrors hold them from before.
 */
export function modulesOf({ git, snapshot }: ModulesHouse, name: string, kept: boolean): Modules | undefined {
  const project = snapshot().params.gitSubmodules ? effectiveProject(snapshot(), name) : undefined;
  if (project === undefined) return undefined;
  const open = async (url: string, commit: string): Promise<SourceTree | undefined> => {
    // Asked of the newest project: the tree that asks may be older.
    const now = effectiveProject(snapshot(), name);
    if (now === undefined || permitsSource(now, url).answer !== 'allowed') return undefined;
    const { scope, login, repository } = selectCredential({ project: name, url, type: 'git' }, snapshot().repositories);
    const mirror = git.repository({ url, scope, login, repository });
    const wish = { lfs: repository?.enableLfs };
    if (kept) return treeAt(mirror.kept(), commit, wish);
    if (!(await has(mirror, commit))) await mirror.fetch();
    return treeAt(mirror, commit, wish);
  };
  return { stamp: stampOf(project), open };
}

function has(mirror: Repository, commit: string): Promise<boolean> {
  return mirror.treeIds(commit, ['']).then(
    ([root]) => root !== undefined,
    () => false,
  );
}

const stamps = new WeakMap<EffectiveProject, string>();

/** Changes with the project's name and with what it permits to be read. */
function stampOf(project: EffectiveProject): string {
  const rules = (): string => JSON.stringify([project.name, ...project.sources.rules.map(({ value }) => value)]);
  const stamp = stamps.get(project) ?? hash('sha1', rules()).slice(0, 12);
  stamps.set(project, stamp);
  return stamp;
}
