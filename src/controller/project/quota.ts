import { type Application, projectOf, type Snapshot } from '../../core/api/index.ts';
import { applicationsOverQuota, associate, type Denied, type EffectiveProject } from '../../core/policy/index.ts';

/** Which Applications a project's quota has no room for: the oldest stay, whoever comes later waits. */
export interface Quotas {
  /** The refusal for one Application; undefined where there is room or no quota. */
  refusal(project: EffectiveProject, app: Application): Denied | undefined;
  /** An Application of this project came, went or changed sides: it is counted anew. */
  changed(project: string): void;
}

/** Counts the Applications that the watches know. */
export function createQuotas(snapshot: () => Snapshot, all: () => Iterable<Application>): Quotas {
  const counted = new Map<string, { readonly project: EffectiveProject; readonly over: ReadonlyMap<string, Denied> }>();
  return {
    refusal(project, app) {
      if (project.project.spec.quota?.applications === undefined) return undefined;
      const known = counted.get(project.name);
      // A changed project is another value.
      const fresh = known?.project === project ? known : { project, over: count(project) };
      counted.set(project.name, fresh);
      return fresh.over.get(nameOf(app));
    },
    changed: (project) => void counted.delete(project),
  };

  function count(project: EffectiveProject): ReadonlyMap<string, Denied> {
    const now = snapshot();
    const apps = [...all()].filter((app) => projectOf(app) === project.name && associate(now, app).ok);
    return new Map([...applicationsOverQuota(project, apps)].map(([app, denied]) => [nameOf(app), denied]));
  }
}

function nameOf({ metadata }: Application): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}
