import type { AppProject, Condition, Snapshot } from '../../core/api/index.ts';
import { equal, type Json } from '../../core/json/index.ts';
import { projectWarnings } from '../../core/policy/index.ts';
import { appProjects, type EventWriter, type Writer } from '../../kube/index.ts';

export interface ProjectConditionsParts {
  readonly door: Pick<Writer, 'patch'>;
  readonly events: EventWriter;
  readonly nowText: () => string;
  readonly onError: (project: string, error: unknown) => void;
}

/** Keeps the conditions of projects. */
export interface ProjectConditions {
  update(snapshot: Snapshot, names: Iterable<string>): Promise<void>;
}

/** Says on each project what works there, but not as its admin may think. Writes only what is not said already. */
export function createProjectConditions(parts: ProjectConditionsParts): ProjectConditions {
  // What was said last counts, not what the snapshot holds: it is not made anew for what we write ourselves.
  const said = new Map<string, readonly Condition[]>();
  return {
    async update(snapshot, names) {
      for (const name of names) {
        const project = snapshot.projects.get(name);
        if (project === undefined) continue;
        const before = said.get(name) ?? project.status?.conditions ?? [];
        await say({ project, snapshot, before, said }, parts).catch((error: unknown) => {
          said.delete(name);
          parts.onError(name, error);
        });
      }
    },
  };
}

interface Saying {
  readonly project: AppProject;
  readonly snapshot: Snapshot;
  readonly before: readonly Condition[];
  readonly said: Map<string, readonly Condition[]>;
}

async function say(
  { project, snapshot, before, said }: Saying,
  { door, events, nowText }: ProjectConditionsParts,
): Promise<void> {
  const wanted = projectWarnings(snapshot, project.metadata.name).map(({ code, field, message }) => ({
    type: code,
    message: `${field}: ${message}`,
  }));
  if (equal(before.map(({ type, message }) => ({ type, message })) as Json, wanted as Json)) return;
  const now = nowText();
  const conditions = wanted.map((warning) => {
    const known = before.find(({ type, message }) => type === warning.type && message === warning.message);
    return { ...warning, lastTransitionTime: known?.lastTransitionTime ?? now };
  });
  const { name } = project.metadata;
  // Noted before it is written: who asks meanwhile need not say it again.
  said.set(name, conditions);
  await door.patch(appProjects, snapshot.controlPlane, name, 'merge', { status: { conditions } });
  for (const { type, message } of wanted) {
    if (before.some((known) => known.type === type && known.message === message)) continue;
    const about = {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'AppProject',
      metadata: { ...project.metadata, namespace: snapshot.controlPlane },
    };
    events.write({ type: 'Warning', reason: type, message, about });
  }
}
