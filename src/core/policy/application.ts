import type { Application, Cluster, Snapshot } from '../api/index.ts';
import { unusedAccounts } from './account-warnings.ts';
import { associate } from './association.ts';
import { resolveCluster } from './cluster.ts';
import { permitsDestination } from './destination.ts';
import type { EffectiveProject } from './effective.ts';
import type { Recorder } from './fact.ts';
import { type IdentityDecision, identityFor } from './identity.ts';
import { note, quote } from './note.ts';
import { allSources, permitsSources } from './source.ts';
import { allowed, denied, type Verdict } from './verdict.ts';
import { isNamespaceName } from './who.ts';

type Refused = Exclude<Verdict, { answer: 'allowed' }>;

/** What an Application may do before anything of it is fetched or touched. */
export type Admission =
  | {
      readonly ok: true;
      readonly project: EffectiveProject;
      readonly cluster: Cluster;
      readonly identity: IdentityDecision;
      /** For the Application's conditions: it goes on, but somebody should know. */
      readonly warnings: readonly string[];
    }
  | {
      readonly ok: false;
      /** The first is what decides; the others would have to be mended, too. */
      readonly refusals: readonly [Refused, ...Refused[]];
      /** There where the association holds: the project may be named. */
      readonly project?: EffectiveProject;
    };

/**
 * The gate of every pass over an Application, in this order: namespace, project, association, sources, cluster,
 * destination; then the identity its requests carry. Nothing of the Application is fetched before this is allowed.
 */
export function admitApplication(snapshot: Snapshot, app: Application, recorder?: Recorder): Admission {
  const association = associate(snapshot, app, recorder);
  if (!association.ok) return { ok: false, refusals: [association.verdict] };
  const { project } = association;
  const source = permitsSources(project, allSources(app), recorder);
  const place = admitDestination(snapshot, app, project, recorder);
  const [first, ...others] = [source, place.verdict].filter((verdict) => verdict.answer !== 'allowed');
  if (first !== undefined) return { ok: false, refusals: [first, ...others], project };
  if (place.cluster === undefined) throw new Error('a permitted destination has a cluster'); // by the type of `place`
  const identity = identityFor(snapshot, app, { project, cluster: place.cluster }, recorder);
  const unused =
    !snapshot.settings.impersonation.enabled && project.accounts.rules.length > 0 ? unusedAccounts : undefined;
  const spoken = [place.warning, identity.ok ? identity.warning : undefined, unused];
  const warnings = spoken.filter((warning) => warning !== undefined);
  return { ok: true, project, cluster: place.cluster, identity, warnings };
}

interface Destination {
  readonly verdict: Verdict;
  readonly cluster?: Cluster;
  readonly warning?: string;
}

function admitDestination(
  snapshot: Snapshot,
  app: Application,
  project: EffectiveProject,
  recorder: Recorder | undefined,
): Destination {
  const namespace = app.spec.destination.namespace ?? '';
  if (namespace !== '' && !isNamespaceName(namespace)) return { verdict: invalidNamespace(namespace, recorder) };
  const resolution = resolveCluster(snapshot, app, project, recorder);
  if (!resolution.ok) return { verdict: resolution.verdict };
  const verdict = permitsDestination(project, resolution.cluster, app, recorder);
  if (verdict.answer !== 'allowed') return { verdict };
  const { cluster, warning } = resolution;
  return { verdict: allowed, cluster, ...(warning === undefined ? {} : { warning }) };
}

/** Never trimmed or folded into a match: what is no name of a namespace is refused as it stands. */
function invalidNamespace(namespace: string, recorder: Recorder | undefined): Verdict {
  const place = { object: 'Application', revision: '', field: 'spec.destination.namespace' };
  const message = `application destination namespace ${quote(namespace)} is not a valid namespace name`;
  note(recorder, place, { step: 'cluster', compared: message, decides: true, change: 'write the name of a namespace' });
  return denied('destination-invalid', message);
}
