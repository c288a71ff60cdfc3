import {
  type Application,
  instanceName,
  parseApplication,
  printProblems,
  type Settings,
} from '../../core/api/index.ts';
import {
  declaredKinds,
  type Live,
  type Prediction,
  serverSideDiffOf,
  type Target,
  targetsOf,
} from '../../core/diff/index.ts';
import { type ArgosyError, isArgosyError } from '../../core/errors/index.ts';
import type { Json } from '../../core/json/index.ts';
import { type KubeObject, kindText, type ObjectKey, printKey } from '../../core/objects/index.ts';
import { deleteHookFinalizers, syncOptionsOf, withDeleteHookNames } from '../../core/sync/index.ts';
import { lookCloser, needsCloserLook } from './close-look.ts';
import { comparingOf } from './comparing.ts';
import type { Admitted, ClusterAccess, SourceOverride, Unread, World } from './world.ts';

/** What a pass knows before it decides. */
export type Inputs =
  | { readonly state: 'gone' }
  /** The object is there and cannot be read as an Application, or the policy refuses it as a whole. */
  | { readonly state: 'refused'; readonly app: Application; readonly condition: string; readonly message: string }
  /** Its cluster has not answered yet. */
  | { readonly state: 'unreachable'; readonly app: Application; readonly error: ArgosyError }
  | Ready;

export interface Ready {
  readonly state: 'ready';
  readonly app: Application;
  readonly instance: string;
  readonly admitted: Admitted;
  readonly access: ClusterAccess;
  readonly sources: Sources;
  readonly live: Live;
  /** The settings of this pass. */
  readonly settings: Settings;
  /** What the API server said it would make of the targets, where it was asked. */
  readonly predicted: ReadonlyMap<string, Prediction> | undefined;
  /** Something could not be found out, and nobody will tell when it can be. */
  readonly unsure: boolean;
}

/** What the sources ask for, at one revision each. */
export interface Sources {
  readonly targets: readonly Target[];
  readonly revision: string;
  readonly revisions: readonly string[] | undefined;
  readonly sourceType: string | undefined;
  readonly warnings: readonly string[];
  /** The targets are the last good ones: why nothing newer could be read. */
  readonly unread?: Unread | undefined;
  /** Why there are no targets, where the sources could not be rendered: then nothing is judged or removed. */
  readonly error: string | undefined;
}

const skipAnnotation = 'argocd.argoproj.io/skip-reconcile';

/** Reads everything a decision needs; asks the policy before anything is fetched. */
export async function gather(key: string, world: World): Promise<Inputs> {
  const object = world.application(key);
  if (object === undefined || object.metadata.annotations?.[skipAnnotation] === 'true') return { state: 'gone' };
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
  const access = await world.cluster(admission.cluster).catch((error: unknown) => unreachable(error));
  if ('error' in access) return { state: 'unreachable', app, error: access.error };
  const instance = instanceName(app, world.controlPlane);
  const sources = needsNothing(app) ? nothing : await renderSources({ app, instance, access }, world);
  const settings = world.settings();
  const found = { state: 'ready', app, instance, admitted: admission, access, sources, settings } as const;
  return { ...found, ...(await see(found, sources.targets, world)) };
}

function unreachable(error: unknown): { readonly error: ArgosyError } {
  if (!isArgosyError(error) || error.fault === 'bug') throw error;
  return { error };
}

/** What the cluster holds of these targets and of the Application, looked at as closely as the comparison needs. */
export async function see(
  found: Pick<Ready, 'app' | 'instance' | 'admitted' | 'access' | 'settings'>,
  targets: readonly Target[],
  world: Pick<World, 'closeups' | 'params' | 'controlPlane'>,
): Promise<Pick<Ready, 'live' | 'predicted' | 'unsure'>> {
  const { app, instance, admitted, access } = found;
  const live = await access.live(instance, wantedKeys(app, targets), kindsOf(app), admitted.identity);
  const unsure = targets.some(({ key }) => live.unknown.has(printKey(key)));
  if (app.metadata.deletionTimestamp !== undefined) {
    return { live: await withNamed(found, live, targets), predicted: undefined, unsure };
  }
  const serverSide = serverSideDiffOf(app.raw as unknown as KubeObject, world.params().serverSideDiff).enabled; // an Application is an object
  const rules = { ...comparingOf({ ...found, predicted: undefined }), settings: found.settings };
  const key = keyOfApplication(app, world.controlPlane);
  if (!needsCloserLook({ targets, live, rules, serverSide })) {
    world.closeups.forget(key);
    return { live, predicted: undefined, unsure };
  }
  const look = await lookCloser({
    ...{ targets, live, rules, serverSide, permits: rules.permits, identity: admitted.identity },
    resource: ({ group, kind }) => access.resource(group, kind),
    door: access.as(admitted.identity),
    closeup: world.closeups.of(key),
  });
  return { live: look.live, predicted: look.predicted, unsure: unsure || look.failed };
}

/**
 * For a deletion: what stands in the status of kinds that may not be listed is read object by object, in the Application's
 * name. Its mark still has to be on it: a status can be written by anybody who may write the Application.
 */
async function withNamed(
  { app, instance, admitted, access }: Pick<Ready, 'app' | 'instance' | 'admitted' | 'access'>,
  live: Live,
  targets: readonly Target[],
): Promise<Live> {
  const named = rowsOf(app).filter((row) => live.unknown.has(`${kindText(row)}:*`));
  if (named.length === 0) return live;
  const keys = [...wantedKeys(app, targets), ...named.slice(0, mostNamed)];
  return access.live(instance, keys, kindsOf(app), admitted.identity);
}

/** More rows than this no status holds that we have written. */
const mostNamed = 5000;

/** `<namespace>/<name>` of an Application. */
export function keyOfApplication({ metadata }: Application, controlPlane: string): string {
  return `${metadata.namespace ?? controlPlane}/${metadata.name}`;
}

/** A deletion asks for nothing, what is left is to be removed; only its hooks come from the sources, and a sync it waits for. */
function needsNothing(app: Application): boolean {
  const { deletionTimestamp, finalizers = [] } = app.metadata;
  if (deletionTimestamp === undefined || isUnderWay(app)) return false;
  const hooks = Object.values(deleteHookFinalizers).flatMap(({ run, cleanup }) => [run, cleanup]);
  return !finalizers.some((each) => hooks.includes(each));
}

/** Whether an operation has begun and is not over; one that is only asked for has not. */
export function isUnderWay({ operation, status }: Application): boolean {
  return operation !== undefined && ['Running', 'Terminating'].includes(status?.operationState?.phase ?? '');
}

const nothing: Sources = {
  targets: [],
  revision: '',
  revisions: undefined,
  sourceType: undefined,
  warnings: [],
  error: undefined,
};

/** Renders an Application's sources, or what an operation puts in their place, into targets. */
export async function renderSources(
  { app, instance, access }: Pick<Ready, 'app' | 'instance' | 'access'>,
  world: World,
  override: SourceOverride = {},
): Promise<Sources> {
  try {
    const { manifests, unread } = await world.render(app, override);
    if (manifests === undefined) return { ...nothing, unread, error: unread?.message ?? 'nothing was read' };
    const { rendered, revision, revisions, sourceType, warnings = [] } = manifests;
    const declared = declaredKinds(rendered.map(({ object }) => object));
    const targets = targetsOf(rendered, {
      instance,
      destinationNamespace: app.spec.destination.namespace ?? '',
      namespaced: (group, kind) => access.resource(group, kind)?.namespaced ?? declared.get(kindText({ group, kind })),
      tracking: world.settings(),
    });
    const going = Date.parse(app.metadata.deletionTimestamp ?? '') / 1000;
    const known = Number.isNaN(going) ? targets : withDeleteHookNames(targets, revision, going);
    return { targets: known, revision, revisions, sourceType, warnings, unread, error: undefined };
  } catch (error) {
    if (!isArgosyError(error) || error.fault === 'bug') throw error;
    return { ...nothing, error: error.message };
  }
}

/** The objects that must be looked up by name: targets, and the namespace a sync would create. */
function wantedKeys(app: Application, targets: readonly Target[]): ObjectKey[] {
  const named = targets.flatMap(({ key }) => (key.name === '' ? [] : [key]));
  const keys = named.length === targets.length ? named : [...named, ...hooksUnderWay(app)];
  const namespace = app.spec.destination.namespace ?? '';
  const creates = syncOptionsOf(app.spec.syncPolicy?.syncOptions ?? []).createNamespace && namespace !== '';
  return creates ? [...keys, { group: '', kind: 'Namespace', namespace: '', name: namespace }] : keys;
}

/** Hooks whose names were made up for this operation; a kind that may not be listed tells nothing of them by itself. */
function hooksUnderWay(app: Application): ObjectKey[] {
  const rows = isUnderWay(app) ? (app.status?.operationState?.syncResult?.resources ?? []) : [];
  return rows
    .filter(({ hookType }) => hookType !== undefined)
    .slice(0, mostNamed)
    .map(({ group = '', kind = '', namespace = '', name = '' }) => ({ group, kind, namespace, name }));
}

/** The kinds of the last result: an object of a kind that no target has any more is found by these. */
function kindsOf(app: Application): { group: string; kind: string }[] {
  return rowsOf(app).map(({ group, kind }) => ({ group, kind }));
}

/** The objects of the last result, by name. */
function rowsOf(app: Application): ObjectKey[] {
  const rows = [...(app.status?.resources ?? []), ...(app.status?.operationState?.syncResult?.resources ?? [])];
  return rows.map(({ group = '', kind = '', namespace = '', name = '' }) => ({ group, kind, namespace, name }));
}

/** The little that can be said of an object that is no readable Application, so that its condition can be written. */
function shell(object: KubeObject): Application {
  const { name = '', namespace = '' } = object.metadata;
  const raw = object as unknown as Application['raw']; // objects come from a watch as parsed JSON
  return { metadata: { ...object.metadata, name, namespace }, spec: {}, raw } as Application; // only metadata and raw are read of it
}
