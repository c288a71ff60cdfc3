import type { Application, Cluster } from '../api/index.ts';
import { otherSpellings } from './cluster-server.ts';
import type { DestinationMatch, Place } from './destinations.ts';
import type { EffectiveProject } from './effective.ts';
import type { Recorder } from './fact.ts';
import { clean, note, noteRule, quote } from './note.ts';
import { allowed, denied, type Verdict } from './verdict.ts';

/**
 * Whether a project permits a namespace on a cluster; undefined asks for the cluster alone. Where the project asks for
 * scoped clusters, the cluster's own Secret must be scoped to it: sharing an address or a name does not count.
 */
export function matchDestination(
  project: EffectiveProject,
  cluster: Cluster,
  namespace: string | undefined,
): DestinationMatch {
  const { destination } = project.memory;
  const known = destination.get(cluster, namespace);
  if (known !== undefined) return known;
  return destination.offer(cluster, namespace, evaluateDestination(project, cluster, namespace));
}

const notScoped: DestinationMatch = Object.freeze({ outcome: 'none' });

/** The same without remembering the answer. */
export function evaluateDestination(
  project: EffectiveProject,
  cluster: Cluster,
  namespace: string | undefined,
): DestinationMatch {
  if (project.onlyScopedClusters && cluster.project !== project.name) return notScoped;
  const place = { server: cluster.server, name: cluster.name, namespace, cluster };
  const match = project.destinations.match(place);
  if (match.outcome !== 'permitted' || !cluster.tenant || !project.destinations.deniesByServer) return match;
  return denialOfSpelling(project, place) ?? match;
}

/** A tenant writes the address of its cluster itself: no spelling of it may slip past a deny. */
function denialOfSpelling(project: EffectiveProject, place: Place): DestinationMatch | undefined {
  for (const server of otherSpellings(place.server)) {
    const match = project.destinations.match({ ...place, server });
    if (match.outcome === 'denied') return match;
  }
  return undefined;
}

/** Whether an Application may deploy to the cluster its destination resolves to. */
export function permitsDestination(
  project: EffectiveProject,
  cluster: Cluster,
  app: Application,
  recorder?: Recorder,
): Verdict {
  const { server = '', name = '', namespace = '' } = app.spec.destination;
  const asked = namespace === '' ? undefined : namespace;
  const match =
    recorder === undefined ? matchDestination(project, cluster, asked) : evaluateDestination(project, cluster, asked);
  if (recorder !== undefined) explainDestination(recorder, project, { cluster, namespace: asked, match });
  if (match.outcome === 'permitted') return allowed;
  const message = `application destination server '${clean(name === '' ? server : name)}' and namespace '${namespace}' do not match any of the allowed destinations in project '${project.name}'`;
  return denied(match === notScoped ? 'cluster-not-scoped' : 'destination-not-permitted', message);
}

/** Records what settled a destination. */
export function explainDestination(
  recorder: Recorder,
  project: EffectiveProject,
  found: { readonly cluster: Cluster; readonly namespace: string | undefined; readonly match: DestinationMatch },
): void {
  const { cluster, namespace, match } = found;
  const step = 'destination';
  const place = { object: project.object, revision: project.revision };
  const what = `cluster ${quote(cluster.name)} (${cluster.server})${namespace === undefined ? '' : `, namespace ${quote(namespace)}`}`;
  if (match === notScoped) {
    const compared = `true, and ${what} is ${cluster.project === '' ? 'not scoped to a project' : 'scoped to another project'}`;
    note(
      recorder,
      { ...place, field: 'spec.permitOnlyProjectScopedClusters' },
      {
        step,
        compared,
        decides: true,
        change: `scope the cluster's Secret to ${project.name}, or set permitOnlyProjectScopedClusters to false`,
      },
    );
    return;
  }
  for (const rule of project.destinations.rules) {
    if (rule !== match.rule)
      noteRule(recorder, rule.origin, { step, compared: `${print(rule.value)} does not decide ${what}` });
  }
  if (match.rule === undefined) {
    note(
      recorder,
      { ...place, field: 'spec.destinations' },
      {
        step,
        compared: `no entry permits ${what}`,
        decides: true,
        change: `add {server: ${cluster.server}, namespace: ${namespace ?? "'*'"}} to spec.destinations of ${project.object}`,
      },
    );
    return;
  }
  const verb = match.outcome === 'denied' ? 'denies' : 'permits';
  noteRule(recorder, match.rule.origin, {
    step,
    compared: `${print(match.rule.value)} ${verb} ${what}`,
    decides: true,
    change: 'take the entry out',
  });
}

function print(entry: { readonly server?: string; readonly name?: string; readonly namespace?: string }): string {
  const parts = [
    entry.server === undefined ? '' : `server: ${quote(entry.server)}`,
    entry.name === undefined ? '' : `name: ${quote(entry.name)}`,
    entry.namespace === undefined ? '' : `namespace: ${quote(entry.namespace)}`,
  ];
  return `{${parts.filter((part) => part !== '').join(', ')}}`;
}
