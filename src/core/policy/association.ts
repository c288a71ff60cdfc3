import { type Application, namespaceOfApplication, projectOf, type Snapshot } from '../api/index.ts';
import { type EffectiveProject, effectiveProject, unreadableGlobal } from './effective.ts';
import type { Recorder } from './fact.ts';
import { clean, note, quote } from './note.ts';
import { indexOf } from './snapshot-index.ts';
import { allowed, denied, type Verdict } from './verdict.ts';

/** Whether objects of a namespace count at all. A refusal here is silent: the object is ignored as if it were not there. */
export function watchesNamespace(snapshot: Snapshot, namespace: string, recorder?: Recorder): Verdict {
  const { appNamespaces } = indexOf(snapshot);
  const isControlPlane = namespace === snapshot.controlPlane;
  const entry = isControlPlane ? undefined : appNamespaces.match(namespace);
  const yes = isControlPlane || entry !== undefined;
  if (recorder !== undefined) noteGate(recorder, snapshot, { namespace, isControlPlane, entry });
  return yes ? allowed : denied('namespace-not-watched', `namespace '${namespace}' is not permitted`);
}

function noteGate(
  recorder: Recorder,
  snapshot: Snapshot,
  found: { readonly namespace: string; readonly isControlPlane: boolean; readonly entry: number | undefined },
): void {
  const { namespace, isControlPlane, entry } = found;
  const place = { object: 'the list of application namespaces', revision: `snapshot ${snapshot.revision}` };
  const step = 'namespace';
  if (isControlPlane) {
    const compared = `${quote(namespace)} is the control-plane namespace and always counts`;
    note(recorder, { ...place, field: 'controlPlane' }, { step, compared, decides: true });
  } else if (entry !== undefined) {
    const compared = `pattern ${quote(snapshot.appNamespaces[entry] ?? '')} matches namespace ${quote(namespace)}`;
    note(
      recorder,
      { ...place, field: `[${entry}]` },
      { step, compared, decides: true, change: 'take the entry out of --application-namespaces' },
    );
  } else {
    const compared = `none of ${snapshot.appNamespaces.length} patterns matches namespace ${quote(namespace)}: the object is ignored`;
    note(
      recorder,
      { ...place, field: '' },
      {
        step,
        compared,
        decides: true,
        change: `add ${namespace} to --application-namespaces (application.namespaces in argocd-cmd-params-cm)`,
      },
    );
  }
}

/** The project of an Application, or why it may not use it. */
export type Association =
  | { readonly ok: true; readonly project: EffectiveProject }
  | { readonly ok: false; readonly verdict: Exclude<Verdict, { answer: 'allowed' }> };

/**
 * Finds the project an Application asks for and whether its namespace may use it. The one function every path asks;
 * what it needs of the Application is the namespace as stored and `spec.project`.
 */
export function associate(snapshot: Snapshot, app: Application, recorder?: Recorder): Association {
  const name = projectOf(app);
  const namespace = namespaceOfApplication(app, snapshot.controlPlane);
  const gate = watchesNamespace(snapshot, namespace, recorder);
  if (gate.answer !== 'allowed') return { ok: false, verdict: gate };
  const project = effectiveProject(snapshot, name);
  if (project === undefined) return { ok: false, verdict: missing(snapshot, name, recorder) };
  const verdict = usesProject(snapshot, project, { namespace, app: app.metadata.name }, recorder);
  return verdict.answer === 'allowed' ? { ok: true, project } : { ok: false, verdict };
}

function missing(
  snapshot: Snapshot,
  name: string,
  recorder: Recorder | undefined,
): Exclude<Verdict, { answer: 'allowed' }> {
  const broken = snapshot.brokenProjects.has(name);
  const place = { object: `AppProject ${snapshot.controlPlane}/${name}`, revision: '' };
  if (broken) {
    const compared = 'the project is there but cannot be read, so it permits nothing';
    note(
      recorder,
      { ...place, field: 'spec' },
      { step: 'project', compared, decides: true, change: 'correct the project' },
    );
    return denied('project-invalid', `Application referencing project ${clean(name)} which is invalid`);
  }
  const compared = `spec.project asks for ${quote(name)}; the control-plane namespace has no such project`;
  note(
    recorder,
    { ...place, field: 'metadata.name' },
    {
      step: 'project',
      compared,
      decides: true,
      change: `create AppProject ${name} in ${snapshot.controlPlane}, or name another in spec.project`,
    },
  );
  return denied('project-missing', `Application referencing project ${clean(name)} which does not exist`);
}

/** Whether something in a namespace may use a project: the control plane's always may, others must be listed. */
function usesProject(
  snapshot: Snapshot,
  project: EffectiveProject,
  who: { readonly namespace: string; readonly app: string },
  recorder: Recorder | undefined,
): Verdict {
  const unreadable = unreadableGlobal(snapshot, project.project);
  if (unreadable !== undefined) {
    const compared = `the global project ${quote(unreadable)} applies but cannot be read: what it denies is not known`;
    note(
      recorder,
      { object: 'ConfigMap argocd-cm', revision: `snapshot ${snapshot.revision}`, field: 'data.globalProjects' },
      { step: 'project', compared, decides: true, change: `correct AppProject ${unreadable}` },
    );
    return denied('project-invalid', `project ${project.name} inherits from project ${unreadable} which is invalid`);
  }
  if (listsNamespace(project, who.namespace, recorder)) return allowed;
  const message = `application '${who.app}' in namespace '${who.namespace}' is not permitted to use project '${project.name}'`;
  return denied('not-associated', message, 'UnknownError');
}

/** Whether a project may be used from a namespace. */
export function listsNamespace(project: EffectiveProject, namespace: string, recorder?: Recorder): boolean {
  const place = { object: project.object, revision: project.revision };
  const step = 'association';
  if (namespace === project.controlPlane) {
    const compared = `${quote(namespace)} is the control-plane namespace: its Applications may use any project`;
    note(recorder, { ...place, field: 'spec.sourceNamespaces' }, { step, compared, decides: true });
    return true;
  }
  const { patterns } = project.sourceNamespaces;
  const entry = project.sourceNamespaces.match(namespace);
  if (recorder === undefined) return entry !== undefined;
  if (entry !== undefined) {
    const compared = `${quote(patterns[entry] ?? '')} matches namespace ${quote(namespace)}`;
    note(
      recorder,
      { ...place, field: `spec.sourceNamespaces[${entry}]` },
      { step, compared, decides: true, change: `take the entry out of spec.sourceNamespaces` },
    );
    return true;
  }
  for (const [i, pattern] of patterns.entries()) {
    note(
      recorder,
      { ...place, field: `spec.sourceNamespaces[${i}]` },
      { step, compared: `${quote(pattern)} does not match namespace ${quote(namespace)}` },
    );
  }
  const compared =
    patterns.length === 0
      ? 'absent: only the control-plane namespace may use the project'
      : `no entry matches namespace ${quote(namespace)}`;
  note(
    recorder,
    { ...place, field: 'spec.sourceNamespaces' },
    { step, compared, decides: true, change: `add ${namespace} to spec.sourceNamespaces of ${project.object}` },
  );
  return false;
}
