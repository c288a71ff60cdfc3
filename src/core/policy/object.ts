import type { Cluster } from '../api/index.ts';
import { isLocalServer } from './cluster-server.ts';
import { evaluateDestination, explainDestination } from './destination.ts';
import type { EffectiveProject } from './effective.ts';
import type { Recorder } from './fact.ts';
import { permitsKind } from './kind.ts';
import { clean, note, quote } from './note.ts';
import { allowed, type Denied, denied, undecided, type Verdict } from './verdict.ts';
import { isNamespaceName } from './who.ts';

/** An object somebody wants to write, delete or show: where it stands and of what kind it is. */
export interface Subject {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  /** The namespace the object would be in; empty for cluster-scoped ones. */
  readonly namespace: string;
  /** What discovery says; undefined where the kind is not known there. */
  readonly namespaced: boolean | undefined;
}

/** On whose behalf and where an object is handled. */
export interface Place {
  readonly project: EffectiveProject;
  readonly cluster: Cluster;
  /** The namespace the Application lives in. */
  readonly applicationNamespace: string;
}

/**
 * Whether an Application may manage an object: scope, name, kind, namespace, the cluster's own limits and the control
 * plane's own objects. The one check for every object of every phase: targets, hooks, prunes, deletions, namespaces.
 */
export function permitsObject(place: Place, subject: Subject, recorder?: Recorder): Verdict {
  const answers = place.project.memory.kinds.of(subject.group, subject.kind);
  const namespaced = answers.clusterScoped ? false : subject.namespaced;
  if (namespaced === undefined) return scopeUnknown(subject, recorder);
  const name = permitsName(subject, recorder);
  if (name !== undefined) return name;
  const known = namespaced ? answers.namespaced : answers.cluster;
  const kind =
    recorder === undefined && known !== undefined ? known : permitsKind(place.project, subject, namespaced, recorder);
  if (kind.answer !== 'allowed') return kind;
  const managed = namespaced
    ? managesNamespace(place, subject, recorder)
    : managesClusterScope(place, subject, recorder);
  if (managed !== undefined) return managed;
  return namespaced ? permitsNamespace(place, subject, recorder) : allowed;
}

function scopeUnknown(subject: Subject, recorder: Recorder | undefined): Verdict {
  const message = `failed to get API resource info for ${clean(subject.group)}/${clean(subject.kind)}: unable to verify permissions`;
  const compared = `the cluster does not know ${quote(`${subject.group}/${subject.kind}`)} (now): whether it is namespaced cannot be told`;
  note(
    recorder,
    { object: 'discovery', revision: '', field: '' },
    { step: 'scope', compared, decides: true, change: 'install the kind first' },
  );
  return undecided('scope-unknown', message, 'SyncError');
}

/** The API server takes a name as a path segment; anything else would address another object. */
function isPathSegment(name: string): boolean {
  if (name === '' || name.length > 253 || name === '.' || name === '..') return false;
  for (let at = 0; at < name.length; at++) {
    const code = name.charCodeAt(at);
    const isControl = code < 32 || (code > 126 && code < 160);
    if (isControl || code === slash || code === percent) return false;
  }
  return true;
}

const slash = 47;
const percent = 37;

function permitsName(subject: Subject, recorder: Recorder | undefined): Denied | undefined {
  const { name } = subject;
  if (isPathSegment(name)) return undefined;
  note(
    recorder,
    { object: 'the manifest', revision: '', field: 'metadata.name' },
    {
      step: 'name',
      compared: `${quote(name)} cannot be the name of an object`,
      decides: true,
      change: 'give the object a valid name',
    },
  );
  return denied(
    'name-invalid',
    `resource ${clean(subject.group)}:${clean(subject.kind)} has an invalid name ${quote(name)}`,
    'SyncError',
  );
}

function managesNamespace(place: Place, subject: Subject, recorder: Recorder | undefined): Denied | undefined {
  const { cluster } = place;
  const { namespace, kind, name } = subject;
  if (cluster.namespaces.length === 0 || cluster.namespaces.includes(namespace)) return undefined;
  const compared = `${quote(cluster.namespaces.join(', '))} does not hold ${quote(namespace)}`;
  note(
    recorder,
    { object: secretText(cluster), revision: cluster.resourceVersion, field: 'data.namespaces' },
    { step: 'cluster', compared, decides: true, change: `add ${namespace} to namespaces of the cluster's Secret` },
  );
  return denied(
    'namespace-not-managed',
    `namespace "${clean(namespace)}" for ${clean(kind)} "${name}" is not managed`,
    'SyncError',
  );
}

function managesClusterScope(place: Place, subject: Subject, recorder: Recorder | undefined): Denied | undefined {
  const { cluster } = place;
  if (cluster.namespaces.length === 0 || cluster.clusterResources) return undefined;
  const compared = `namespaces are listed and clusterResources is not true, so ${quote(subject.kind)} cannot be managed`;
  note(
    recorder,
    { object: secretText(cluster), revision: cluster.resourceVersion, field: 'data.clusterResources' },
    { step: 'cluster', compared, decides: true, change: "set clusterResources to true in the cluster's Secret" },
  );
  const message = `cluster level ${clean(subject.kind)} "${subject.name}" can not be managed when in namespaced mode`;
  return denied('namespace-not-managed', message, 'SyncError');
}

function permitsNamespace(place: Place, subject: Subject, recorder: Recorder | undefined): Verdict {
  const { project, cluster } = place;
  if (isControlPlaneObject(place, subject)) {
    const compared = 'objects of the control plane may only be written by Applications of the control-plane namespace';
    note(
      recorder,
      { object: 'Argosy', revision: '', field: '' },
      {
        step: 'control plane',
        compared,
        decides: true,
        change: 'let an Application in the control-plane namespace manage it',
      },
    );
    return denied('control-plane-object', namespaceRefused(subject.namespace, project), 'SyncError');
  }
  const known = recorder === undefined ? project.memory.objectPlace.get(cluster, subject.namespace) : undefined;
  if (known !== undefined) return known;
  // An object without a namespace of its own must not pass as "the cluster alone".
  const match = evaluateDestination(project, cluster, subject.namespace);
  if (recorder !== undefined) explainDestination(recorder, project, { cluster, namespace: subject.namespace, match });
  const permitted = match.outcome === 'permitted' && isNamespaceName(subject.namespace);
  const verdict = permitted
    ? allowed
    : denied('namespace-not-permitted', namespaceRefused(subject.namespace, project), 'SyncError');
  return project.memory.objectPlace.offer(cluster, subject.namespace, verdict);
}

function namespaceRefused(namespace: string, project: EffectiveProject): string {
  return `namespace ${clean(namespace)} is not permitted in project '${project.name}'`;
}

/**
 * A tenant's Application that writes Applications or projects into the control-plane namespace would hand itself every
 * right there is, so destinations that cover it by mistake do not suffice.
 */
function isControlPlaneObject(place: Place, subject: Subject): boolean {
  const { controlPlane } = place.project;
  return (
    subject.group === 'argoproj.io' &&
    subject.namespace === controlPlane &&
    place.applicationNamespace !== controlPlane &&
    isLocalServer(place.cluster.server)
  );
}

function secretText(cluster: Cluster): string {
  return `Secret ${cluster.namespace}/${cluster.secret}`;
}
