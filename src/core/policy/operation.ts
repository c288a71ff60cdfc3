import type { Operation } from '../api/index.ts';
import type { EffectiveProject } from './effective.ts';
import type { Recorder } from './fact.ts';
import { note } from './note.ts';
import { permitsSources } from './source.ts';
import { denied, type Verdict } from './verdict.ts';

/**
 * Whether an operation written onto an Application may run: its own sources are checked like those of the spec, and
 * manifests written into it are no source at all, whoever wrote them.
 */
export function permitsOperation(project: EffectiveProject, operation: Operation, recorder?: Recorder): Verdict {
  const { manifests = [], source, sources = [] } = operation.sync ?? {};
  if (manifests.length > 0) {
    const place = { object: 'Application', revision: '', field: 'operation.sync.manifests' };
    const compared = 'manifests written into an operation are not a permitted source';
    note(recorder, place, { step: 'source', compared, decides: true, change: 'push them to a permitted repository' });
    return denied('source-not-permitted', 'local manifests in an operation are not permitted', 'SyncError');
  }
  return permitsSources(project, source === undefined ? sources : [source, ...sources], recorder);
}
