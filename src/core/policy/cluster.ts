import {
  type Application,
  type Cluster,
  clusterKey,
  inClusterName,
  inClusterServer,
  namespaceOfApplication,
  type Snapshot,
} from '../api/index.ts';
import { matchDestination } from './destination.ts';
import type { EffectiveProject } from './effective.ts';
import type { Recorder } from './fact.ts';
import { clean, note, quote } from './note.ts';
import { indexOf } from './snapshot-index.ts';
import { type Denied, denied, type Undecided, undecided } from './verdict.ts';

/** The cluster a destination means, or why there is none. */
export type Resolution =
  | { readonly ok: true; readonly cluster: Cluster; readonly warning?: string }
  | { readonly ok: false; readonly verdict: Denied | Undecided };

/** What an Application's destination is looked up with. */
interface Wanted {
  readonly by: 'server' | 'name';
  readonly text: string;
}

const step = 'cluster';

/**
 * Finds the cluster of an Application among its own namespace's Secrets first, then the control plane's. Secrets of
 * other tenants, of other projects and rejected ones do not exist for it, and the text does not tell them apart.
 */
export function resolveCluster(
  snapshot: Snapshot,
  app: Application,
  project: EffectiveProject,
  recorder?: Recorder,
): Resolution {
  const wanted = wantedBy(app);
  if ('answer' in wanted) {
    noteApp(recorder, wanted.message);
    return { ok: false, verdict: wanted };
  }
  const namespace = namespaceOfApplication(app, snapshot.controlPlane);
  const own = namespace === snapshot.controlPlane ? [] : tenantMatches(snapshot, { namespace, project, wanted });
  noteTenants(recorder, snapshot, { namespace, project, wanted });
  if (own.length > 0) return only(own, wanted, { recorder, why: "the Application's own namespace and project" });
  const unread = unreadSecrets(snapshot, namespace, recorder);
  return unread === undefined ? fromControlPlane(snapshot, project, wanted, recorder) : { ok: false, verdict: unread };
}

/**
 * Where Secrets that come first could not be read, the cluster is not known: falling back to the control plane's would
 * use another credential than the tenant's.
 */
function unreadSecrets(snapshot: Snapshot, namespace: string, recorder: Recorder | undefined): Undecided | undefined {
  const { unread } = snapshot;
  if (unread === undefined || unread.size === 0) return undefined;
  const where = [namespace, snapshot.controlPlane].find((each) => unread.has(each));
  const tenant = namespace !== snapshot.controlPlane && unread.has('');
  if (where === undefined && !tenant) return undefined;
  const message = `the cluster Secrets of namespace '${where ?? namespace}' could not be read`;
  note(
    recorder,
    { object: `Secrets in ${where ?? namespace}`, revision: `snapshot ${snapshot.revision}`, field: '' },
    { step, compared: message, decides: true, change: 'grant the control plane list and watch on them' },
  );
  return undecided('cluster-not-found', message);
}

function wantedBy(app: Application): Wanted | Denied {
  const { server = '', name = '' } = app.spec.destination;
  if (server !== '' && name !== '') {
    return denied(
      'destination-invalid',
      `application destination can't have both name and server defined: ${clean(name)} ${clean(server)}`,
    );
  }
  if (name !== '') return { by: 'name', text: name };
  if (server !== '') return { by: 'server', text: server.replace(/\/+$/, '') };
  return denied('destination-invalid', 'Destination server missing from app spec');
}

function fits(cluster: Cluster, wanted: Wanted): boolean {
  return wanted.by === 'server' ? cluster.server === wanted.text : cluster.name !== '' && cluster.name === wanted.text;
}

interface Search {
  readonly namespace: string;
  readonly project: EffectiveProject;
  readonly wanted: Wanted;
}

function tenantMatches(snapshot: Snapshot, { namespace, project, wanted }: Search): readonly Cluster[] {
  const scoped = indexOf(snapshot).tenantClusters.get(project.name) ?? [];
  return scoped.filter((cluster) => cluster.namespace === namespace && fits(cluster, wanted));
}

/** Control-plane clusters without a scope or scoped to the project; only if there is none, those of other projects. */
function fromControlPlane(
  snapshot: Snapshot,
  project: EffectiveProject,
  wanted: Wanted,
  recorder: Recorder | undefined,
): Resolution {
  const index = indexOf(snapshot);
  const found = (wanted.by === 'server' ? index.byServer : index.byName).get(wanted.text) ?? [];
  const usable = found.filter(({ project: scope }) => scope === '' || scope === project.name);
  const scoped = usable.filter(({ project: scope }) => scope === project.name);
  const best = wanted.by === 'server' && scoped.length > 0 ? scoped : usable;
  if (best.length > 0)
    return only(best, wanted, { recorder, why: 'the control plane, unscoped or scoped to the project' });
  const foreign = found.filter((cluster) => isDeclared(project, cluster));
  if (foreign.length > 0)
    return foreignCluster(
      only(foreign, wanted, { recorder, why: 'scoped to another project, but the destinations of this one name it' }),
      project,
    );
  return notFound(snapshot, wanted, recorder);
}

/** Whether an entry that was written as a destination names the cluster; what follows from scopes does not count. */
function isDeclared(project: EffectiveProject, cluster: Cluster): boolean {
  const { outcome, rule } = matchDestination(project, cluster, undefined);
  return outcome === 'permitted' && rule?.audience === 'all';
}

function foreignCluster(resolution: Resolution, project: EffectiveProject): Resolution {
  if (!resolution.ok) return resolution;
  const warning = `the cluster of this Application is scoped to another project than '${project.name}'; it is used because the project's destinations name it`;
  return { ...resolution, warning };
}

/** One candidate is the answer; more are an error, for picking one would pick somebody's credential by chance. */
function only(
  candidates: readonly Cluster[],
  wanted: Wanted,
  found: { readonly recorder: Recorder | undefined; readonly why: string },
): Resolution {
  const [cluster, ...more] = candidates;
  if (cluster !== undefined && more.length === 0) {
    noteCluster(
      found.recorder,
      cluster,
      `${wanted.by} ${quote(wanted.text)} is that of ${clusterText(cluster)} (${found.why})`,
    );
    return { ok: true, cluster };
  }
  for (const each of candidates)
    noteCluster(
      found.recorder,
      each,
      `${wanted.by} ${quote(wanted.text)} is that of ${clusterText(each)}, and it is not the only one`,
    );
  const servers = candidates.map(({ server }) => server).join(' ');
  const message =
    wanted.by === 'name'
      ? `there are ${candidates.length} clusters with the same name: [${servers}]`
      : `there are ${candidates.length} clusters with the same server: ${clean(wanted.text)}`;
  return { ok: false, verdict: denied('cluster-ambiguous', message) };
}

function notFound(snapshot: Snapshot, wanted: Wanted, recorder: Recorder | undefined): Resolution {
  const { inClusterEnabled } = snapshot.settings;
  const isLocal = wanted.text === (wanted.by === 'server' ? inClusterServer : inClusterName);
  if (!inClusterEnabled && isLocal && wanted.by === 'server') {
    note(
      recorder,
      {
        object: `ConfigMap ${snapshot.controlPlane}/argocd-cm`,
        revision: `snapshot ${snapshot.revision}`,
        field: 'data["cluster.inClusterEnabled"]',
      },
      { step, compared: '"false": the local cluster is no destination', decides: true, change: 'take the key out' },
    );
    return { ok: false, verdict: denied('cluster-disabled', `cluster "${inClusterServer}" is disabled`) };
  }
  const message =
    wanted.by === 'server'
      ? `error getting cluster by server "${clean(wanted.text)}": cluster "${clean(wanted.text)}" not found`
      : `there are no clusters with this name: ${clean(wanted.text)}`;
  noteApp(
    recorder,
    `no Secret of the Application's namespace and project, nor of the control plane, has ${wanted.by} ${quote(wanted.text)}`,
    'add a cluster Secret, or name a cluster that is there',
  );
  return { ok: false, verdict: denied('cluster-not-found', message) };
}

function clusterText(cluster: Cluster): string {
  return cluster.secret === '' ? 'the local cluster' : `Secret ${clusterKey(cluster)}`;
}

function noteCluster(recorder: Recorder | undefined, cluster: Cluster, compared: string): void {
  const object = cluster.secret === '' ? 'the local cluster' : `Secret ${clusterKey(cluster)}`;
  note(
    recorder,
    { object, revision: cluster.resourceVersion, field: 'data.server' },
    { step, compared, decides: true },
  );
}

function noteApp(
  recorder: Recorder | undefined,
  compared: string,
  change = 'give exactly one of destination.server and destination.name',
): void {
  note(
    recorder,
    { object: 'Application', revision: '', field: 'spec.destination' },
    { step, compared, decides: true, change },
  );
}

/** For people who may read the Secrets: every tenant's Secret that carries the wanted address or name, and why it is none. */
function noteTenants(recorder: Recorder | undefined, snapshot: Snapshot, { namespace, project, wanted }: Search): void {
  if (recorder === undefined) return;
  for (const cluster of snapshot.clusters) {
    if (!cluster.tenant || !fits(cluster, wanted)) continue;
    const reason = !cluster.acceptance.accepted
      ? `is rejected: ${cluster.acceptance.reason}`
      : cluster.namespace !== namespace
        ? 'belongs to another namespace'
        : cluster.project !== project.name
          ? 'is scoped to another project'
          : undefined;
    if (reason === undefined) continue;
    note(
      recorder,
      { object: `Secret ${clusterKey(cluster)}`, revision: cluster.resourceVersion, field: 'data' },
      { step, compared: `has that ${wanted.by} but ${reason}` },
    );
  }
}
