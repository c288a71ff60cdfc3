import { type Application, parseApplication, projectOf, type Snapshot } from '../../core/api/index.ts';
import { isArgosyError } from '../../core/errors/index.ts';
import { type Json, stringAt } from '../../core/json/index.ts';
import { asJson, type KubeObject } from '../../core/objects/index.ts';
import { associate } from '../../core/policy/index.ts';
import { applications, appProjects, type ControlDoor } from '../../kube/index.ts';
import { planWatches } from '../../settings/index.ts';

const finalizer = 'resources-finalizer.argocd.argoproj.io';

export interface ProjectFinalizersParts {
  readonly door: Pick<ControlDoor, 'list' | 'get' | 'patch'>;
  readonly snapshot: () => Snapshot;
  readonly onError: (project: string, error: unknown) => void;
}

/** Lets deleted projects go. */
export interface ProjectFinalizers {
  /** Looks at one project that may wait for its last Application; does nothing for one that is not being deleted. */
  look(project: string): Promise<void>;
}

/**
 * Takes the finalizer off a deleted project once no Application uses it, in whatever namespace. The Applications are
 * listed anew for that: what a watch has not shown yet must not look like nobody.
 */
export function createProjectFinalizers(parts: ProjectFinalizersParts): ProjectFinalizers {
  const { door, snapshot, onError } = parts;
  const release = async (name: string): Promise<void> => {
    const { controlPlane } = snapshot();
    const { metadata } = await door.get(appProjects, controlPlane, name);
    if (metadata.deletionTimestamp === undefined || !(metadata.finalizers ?? []).includes(finalizer)) return;
    if (await isUsed(name, snapshot(), door)) return;
    const finalizers = (metadata.finalizers ?? []).filter((each) => each !== finalizer);
    const { resourceVersion = '' } = metadata;
    await door.patch(appProjects, controlPlane, name, 'merge', { metadata: { finalizers, resourceVersion } });
  };
  return {
    async look(name) {
      if (snapshot().projects.get(name)?.metadata.deletionTimestamp === undefined) return;
      await release(name).catch((error: unknown) => {
        if (!isArgosyError(error) || error.code !== 'kube-not-found') onError(name, error);
      });
    },
  };
}

async function isUsed(name: string, snapshot: Snapshot, door: Pick<ControlDoor, 'list'>): Promise<boolean> {
  const plan = planWatches(snapshot.appNamespaces, snapshot.controlPlane);
  const scopes = plan.everywhere ? [undefined] : [snapshot.controlPlane, ...plan.namespaces];
  let used = false;
  for (const namespace of scopes) {
    await door.list(applications, { namespace }, (object) => {
      used ||= uses(object, name, snapshot);
    });
  }
  return used;
}

/** One that cannot be read counts by what it asks for: it may be mended. */
function uses(object: KubeObject, name: string, snapshot: Snapshot): boolean {
  const json: Json = asJson(object);
  const parsed = parseApplication(json);
  if (!parsed.ok) return stringAt(json, 'spec', 'project') === name;
  const app: Application = parsed.value;
  return projectOf(app) === name && associate(snapshot, app).ok;
}
