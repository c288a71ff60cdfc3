import { type Application, isMultiSource } from '../../core/api/index.ts';
import { isArgosyError } from '../../core/errors/index.ts';
import type { Manifests } from '../application/world.ts';
import type { SourceInput } from './inputs.ts';
import type { Made, RenderHouse } from './rendering.ts';
import { hasNewSources } from './unread.ts';

/**
 * What was rendered, told of the commits that the status names as long as they hold the same: a commit elsewhere in the repository
 * is no news for an Application, whether it comes while we run or before we start. A status may be written by others than us,
 * so its commits are believed for nothing else, and where one is not at hand it is the newest that is told.
 */
export async function asTold(
  { open }: Pick<RenderHouse, 'open'>,
  app: Application,
  inputs: readonly SourceInput[],
  { manifests, reads, commits }: Pick<Made, 'manifests' | 'reads' | 'commits'>,
): Promise<Manifests> {
  const told = toldOf(app);
  if (told.length !== commits.length || hasNewSources(app)) return manifests;
  for (const [i, input] of inputs.entries()) {
    const [earlier = '', commit = ''] = [told[i], commits[i]];
    if (earlier === commit) continue;
    const paths = reads[i];
    // What names its commit, or reads all of it, changes with every commit.
    if (paths === undefined) return manifests;
    const isSame = await open(app, input).isSame(earlier, commit, paths).catch(expected);
    if (!isSame) return manifests;
  }
  return isMultiSource(app) ? { ...manifests, revisions: told } : { ...manifests, revision: told[0] ?? '' };
}

function toldOf(app: Application): readonly string[] {
  const { revision, revisions = [] } = app.status?.sync ?? {};
  if (isMultiSource(app)) return revisions;
  return revision === undefined ? [] : [revision];
}

/** Not at hand or not verified is an answer. */
function expected(error: unknown): false {
  if (!isArgosyError(error) || error.fault === 'bug') throw error;
  return false;
}
