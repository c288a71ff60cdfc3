import { inClusterName, inClusterServer, type Snapshot } from '../api/index.ts';
import { compileNamespacePattern, labelSelectorProblem } from '../match/index.ts';
import { accountWarnings } from './account-warnings.ts';
import { denyWarnings } from './deny-warnings.ts';
import { type EffectiveProject, effectiveProject } from './effective.ts';
import { quote } from './note.ts';
import type { Warning } from './warning.ts';
import { scheduleOf } from './window-state.ts';
import { zoneOffset } from './zone.ts';

/** Everything about a project that works, but not as its admin may think. */
export function projectWarnings(snapshot: Snapshot, name: string): readonly Warning[] {
  const project = effectiveProject(snapshot, name);
  if (project === undefined) return [];
  return [
    ...denyWarnings(project),
    ...controlPlaneWarnings(project),
    ...namespaceWarnings(project),
    ...accountWarnings(project, snapshot.settings.impersonation.enabled),
    ...windowWarnings(project),
  ];
}

/** Whoever may write Applications into the control-plane namespace may use every project. */
function controlPlaneWarnings(project: EffectiveProject): readonly Warning[] {
  const place = {
    server: inClusterServer,
    name: inClusterName,
    namespace: project.controlPlane,
    cluster: { namespace: project.controlPlane, secret: '', tenant: false },
  };
  const match = project.destinations.match(place);
  if (match.outcome !== 'permitted') return [];
  const message = `the destinations cover the control-plane namespace ${quote(project.controlPlane)} of the local cluster: whoever deploys there administers every project`;
  return [{ code: 'ControlPlaneDestination', field: 'spec.destinations', message }];
}

function namespaceWarnings(project: EffectiveProject): readonly Warning[] {
  const { patterns } = project.sourceNamespaces;
  const found = patterns.flatMap((pattern, i) => patternWarnings(pattern, `spec.sourceNamespaces[${i}]`));
  if (patterns.includes(project.controlPlane)) {
    found.push({
      code: 'SourceNamespaces',
      field: 'spec.sourceNamespaces',
      message: `listing the control-plane namespace ${quote(project.controlPlane)} changes nothing: it may use every project`,
    });
  }
  if (project.name === 'default' && patterns.length > 0) {
    found.push({
      code: 'SourceNamespaces',
      field: 'spec.sourceNamespaces',
      message: 'the default project is open to other namespaces; it usually permits everything',
    });
  }
  return found;
}

/** What is odd about one entry of a namespace list. */
function patternWarnings(pattern: string, field: string): Warning[] {
  const compiled = compileNamespacePattern(pattern);
  if (!compiled.ok)
    return [{ code: 'InvalidPattern', field, message: `${quote(pattern)} ${compiled.message}; it matches nothing` }];
  if (pattern.startsWith('!'))
    return [
      {
        code: 'InvalidPattern',
        field,
        message: `${quote(pattern)}: namespace lists know no negation; it matches nothing that can be a namespace`,
      },
    ];
  if (!compiled.unanchored) return [];
  return [
    {
      code: 'UnanchoredPattern',
      field,
      message: `${quote(pattern)} is not anchored with ^ and $ and matches every namespace that contains it`,
    },
  ];
}

function windowWarnings(project: EffectiveProject): readonly Warning[] {
  return project.windows.flatMap(({ value, origin }) => {
    const field = `spec.syncWindows[${origin.index ?? 0}]`;
    const found: Warning[] = [];
    if (scheduleOf(value) === undefined)
      found.push({
        code: 'SyncWindow',
        field,
        message: 'kind, schedule, duration or a selector cannot be read; the Applications it selects do not sync',
      });
    if (zoneOffset(value.timeZone ?? '', 0) === undefined)
      found.push({
        code: 'SyncWindow',
        field: `${field}.timeZone`,
        message: `${quote(value.timeZone ?? '')} is no time zone; UTC is used`,
      });
    return found;
  });
}

/** What is odd about the installation's settings as a whole, apart from any project. */
export function settingsWarnings(snapshot: Snapshot): readonly Warning[] {
  const found = snapshot.appNamespaces.flatMap((pattern, i) =>
    patternWarnings(pattern, `application.namespaces[${i}]`),
  );
  if (snapshot.settings.trackingMethod === 'label' && snapshot.appNamespaces.length > 0) {
    found.push({
      code: 'LabelTracking',
      field: 'application.resourceTrackingMethod',
      message:
        'label tracking with Applications in other namespaces: <namespace>_<name> soon exceeds the 63 characters of a label, and Kubernetes then refuses the object; use annotation',
    });
  }
  for (const [i, { projectName, labelSelector }] of snapshot.settings.globalProjects.entries()) {
    const field = `globalProjects[${i}]`;
    const problem = labelSelectorProblem(labelSelector);
    if (problem !== undefined)
      found.push({ code: 'GlobalProject', field, message: `${problem}; nothing inherits from ${quote(projectName)}` });
    if (!snapshot.projects.has(projectName))
      found.push({
        code: 'GlobalProject',
        field,
        message: `there is no project ${quote(projectName)} to inherit from`,
      });
  }
  return found;
}
