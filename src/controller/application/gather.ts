import { type Application, instanceName, parseApplication, printProblems } from '../../core/api/index.ts';
import { type Live, type Target, targetsOf } from '../../core/diff/index.ts';
import { isArgosyError } from '../../core/errors/index.ts';
import type { Json } from '../../core/json/index.ts';
import type { KubeObject } from '../../core/objects/index.ts';
import type { Admitted, ClusterAccess, World } from './world.ts';

/** What a pass knows before it decides. */
export type Inputs =
  | { readonly state: 'gone' }
  /** The object is there and cannot be read as an Application, or the policy refuses it as a whole. */
  | { readonly state: 'refused'; readonly app: Application; readonly condition: string; readonly message: string }
  | Ready;

export interface Ready {
  readonly state: 'ready';
  readonly app: Application;
  readonly instance: string;
  readonly admitted: Admitted;
  readonly access: ClusterAccess;
  readonly targets: readonly Target[];
  readonly live: Live;
  readonly revision: string | undefined;
  readonly sourceType: string | undefined;
  /** Why there are no targets, where the sources could not be rendered: then nothing is judged or removed. */
  readonly sourceError: string | undefined;
}

/** Reads everything a decision needs; asks the policy before anything is fetched. */
export async function gather(key: string, world: World): Promise<Inputs> {
  const object = world.application(key);
  if (object === undefined) return { state: 'gone' };
  const parsed = parseApplication(object as unknown as Json); // objects come from a watch as parsed JSON
  if (!parsed.ok)
    return {
      state: 'refused',
      app: shell(object),
      condition: 'InvalidSpecError',
      message: printProblems(parsed.problems),
    };
  const app = parsed.value;
  const admission = world.admit(app);
  if (admission.answer === 'ignored') return { state: 'gone' };
  if (admission.answer === 'refused')
    return { state: 'refused', app, condition: admission.condition, message: admission.message };
  const access = await world.cluster(admission.cluster);
  const instance = instanceName(app, world.controlPlane);
  const sources = app.metadata.deletionTimestamp === undefined ? await render(app, instance, access, world) : nothing;
  const live = await access.live(instance, sources.targets, kindsOf(app));
  return { state: 'ready', app, instance, admitted: admission, access, live, ...sources };
}

type Sources = Pick<Ready, 'targets' | 'revision' | 'sourceType' | 'sourceError'>;

/** A deletion asks for nothing: what is left is to be removed. */
const nothing: Sources = { targets: [], revision: undefined, sourceType: undefined, sourceError: undefined };

async function render(app: Application, instance: string, access: ClusterAccess, world: World): Promise<Sources> {
  try {
    const { rendered, revision, sourceType } = await world.render(app);
    const targets = targetsOf(rendered, {
      instance,
      destinationNamespace: app.spec.destination?.namespace ?? '',
      namespaced: (group, kind) => access.resource(group, kind)?.namespaced,
    });
    return { targets, revision, sourceType, sourceError: undefined };
  } catch (error) {
    if (!isArgosyError(error) || error.fault === 'bug') throw error;
    return { ...nothing, sourceError: error.message };
  }
}

/** The kinds of the last result: an object of a kind that no target has any more is found by these. */
function kindsOf(app: Application): { group: string; kind: string }[] {
  const rows = [...(app.status?.resources ?? []), ...(app.status?.operationState?.syncResult?.resources ?? [])];
  return rows.map(({ group, kind }) => ({ group: group ?? '', kind: kind ?? '' }));
}

/** The little that can be said of an object that is no readable Application, so that its condition can be written. */
function shell(object: KubeObject): Application {
  const { name = '', namespace = '' } = object.metadata;
  return {
    metadata: { ...object.metadata, name, namespace },
    spec: {},
    raw: object as unknown as Application['raw'],
  } as Application; // only metadata and raw are read of it
}
