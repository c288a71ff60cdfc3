import { type Json, type JsonObject, objectAt, stringAt } from '../../core/json/index.ts';
import { type KubeObject, nameOf, namespaceOf } from '../../core/objects/index.ts';
import type { Actor, Inside } from '../ports.ts';
import { controlled } from './controlled.ts';
import { reportDeployment } from './deployment-status.ts';
import { tell } from './events.ts';
import { controllerKey, controllerRef, ensure, numberAt, remove, shortHash, specOf, statusOf } from './objects.ts';
import { ownKey, reconciler, splitKey } from './reconciler.ts';
import { margins, nextStep, type Part } from './rollout.ts';

const revisionKey = 'deployment.kubernetes.io/revision';
const hashLabel = 'pod-template-hash';

/** Rolls Deployments out over ReplicaSets, and tells how far they are. */
export function deploymentActor(): Actor {
  const watched = [
    { group: 'apps', kind: 'Deployment', keys: ownKey },
    { group: 'apps', kind: 'ReplicaSet', keys: controllerKey('Deployment') },
  ];
  return reconciler('deployment', watched, async (inside, key) => {
    const deployment = inside.get('apps', 'Deployment', ...splitKey(key));
    if (deployment === undefined || deployment.metadata.deletionTimestamp !== undefined) return undefined;
    await rollOut(inside, deployment);
    const now = inside.get('apps', 'Deployment', ...splitKey(key));
    return now === undefined ? undefined : reportDeployment(inside, now, setsOf(inside, now));
  });
}

/** The ReplicaSets of a Deployment, oldest revision first, and which of them is the wanted one. */
export interface Sets {
  readonly all: readonly KubeObject[];
  readonly fresh: KubeObject | undefined;
}

function revisionOf(object: KubeObject): number {
  return Number(object.metadata.annotations?.[revisionKey] ?? 0);
}

function setsOf(inside: Inside, deployment: KubeObject): Sets {
  const all = controlled(inside, 'apps', 'ReplicaSet', deployment)
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .sort((one, other) => revisionOf(one) - revisionOf(other));
  const hash = shortHash(objectAt(specOf(deployment), 'template') ?? {});
  return { all, fresh: all.find((set) => set.metadata.labels?.[hashLabel] === hash) };
}

async function rollOut(inside: Inside, deployment: KubeObject): Promise<void> {
  const spec = specOf(deployment);
  if (spec['paused'] !== true) await ensureFresh(inside, deployment);
  const sets = setsOf(inside, deployment);
  const desired = numberAt(spec, 'replicas', 1);
  const old = sets.all.filter((set) => set !== sets.fresh);
  const strategy = objectAt(spec, 'strategy') ?? {};
  const fresh = sets.fresh === undefined ? nothing : partOf(sets.fresh);
  const step = nextStep({ desired, strategy, fresh, old: old.map(partOf) });
  const total = desired + margins(strategy, desired).surge;
  if (sets.fresh !== undefined)
    await scale(inside, deployment, sets.fresh, { replicas: step.fresh, desired, most: total });
  if (spec['paused'] !== true)
    for (const [index, set] of old.entries())
      await scale(inside, deployment, set, { replicas: step.old[index] ?? 0, desired, most: total });
  await forgetOld(inside, old, numberAt(spec, 'revisionHistoryLimit', 10));
}

const nothing: Part = { replicas: 0, available: 0, pods: 0 };

function partOf(set: KubeObject): Part {
  const status = statusOf(set);
  const replicas = numberAt(specOf(set), 'replicas', 1);
  return { replicas, available: numberAt(status, 'availableReplicas', 0), pods: numberAt(status, 'replicas', 0) };
}

/** Makes the ReplicaSet of the wanted template, or brings back an older one of the same template. */
async function ensureFresh(inside: Inside, deployment: KubeObject): Promise<void> {
  const { all, fresh } = setsOf(inside, deployment);
  const newest = Math.max(0, ...all.map(revisionOf));
  const revision = String(fresh !== undefined && revisionOf(fresh) === newest ? newest : newest + 1);
  if (fresh === undefined) await createSet(inside, deployment, revision);
  else if (fresh.metadata.annotations?.[revisionKey] !== revision)
    await annotate(inside, fresh, { [revisionKey]: revision });
  await annotate(inside, deployment, { [revisionKey]: revision });
}

async function createSet(inside: Inside, deployment: KubeObject, revision: string): Promise<void> {
  const old = setsOf(inside, deployment).all.map(partOf);
  const spec = specOf(deployment);
  const template = objectAt(spec, 'template') ?? {};
  const hash = shortHash(template);
  const labels = { ...objectAt(template, 'metadata', 'labels'), [hashLabel]: hash };
  const desired = numberAt(spec, 'replicas', 1);
  const first = nextStep({ desired, strategy: strategyOf(spec), fresh: nothing, old }).fresh;
  const minReady = spec['minReadySeconds'];
  const selector = objectAt(spec, 'selector') ?? {};
  const name = `${nameOf(deployment)}-${hash}`;
  await ensure(inside, {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name,
      namespace: namespaceOf(deployment),
      labels,
      annotations: {
        ...inherited(deployment),
        ...sizes(desired, desired + margins(strategyOf(spec), desired).surge),
        [revisionKey]: revision,
      },
      ownerReferences: [controllerRef(deployment)],
    },
    spec: {
      replicas: first,
      ...(minReady === undefined ? {} : { minReadySeconds: minReady }),
      selector: { ...selector, matchLabels: { ...objectAt(selector, 'matchLabels'), [hashLabel]: hash } },
      template: { ...template, metadata: { ...objectAt(template, 'metadata'), labels } },
    },
  });
  if (first > 0) await tellScaling(inside, deployment, name, [0, first]);
}

async function tellScaling(
  inside: Inside,
  deployment: KubeObject,
  set: string,
  [before, after]: readonly [number, number],
): Promise<void> {
  const message = `Scaled ${after > before ? 'up' : 'down'} replica set ${set} from ${before} to ${after}`;
  const component = 'deployment-controller';
  await tell(inside, deployment, { type: 'Normal', reason: 'ScalingReplicaSet', message, component });
}

function strategyOf(spec: JsonObject): JsonObject {
  return objectAt(spec, 'strategy') ?? {};
}

function sizes(desired: number, most: number): { [key: string]: string } {
  return {
    'deployment.kubernetes.io/desired-replicas': String(desired),
    'deployment.kubernetes.io/max-replicas': String(most),
  };
}

/** What a ReplicaSet takes over from its Deployment's annotations. */
function inherited(deployment: KubeObject): { [key: string]: string } {
  const own = ['kubectl.kubernetes.io/last-applied-configuration', revisionKey];
  const all = Object.entries(deployment.metadata.annotations ?? {});
  return Object.fromEntries(all.filter(([key]) => !own.includes(key)));
}

async function annotate(inside: Inside, object: KubeObject, wanted: { [key: string]: string }): Promise<void> {
  await inside.update('apps', object.kind, namespaceOf(object), nameOf(object), (current) => {
    const metadata = objectAt(current, 'metadata') ?? {};
    const before = objectAt(metadata, 'annotations') ?? {};
    if (Object.entries(wanted).every(([key, value]) => stringAt(before, key) === value)) return undefined;
    const next: { [key: string]: Json } = {
      ...current,
      metadata: { ...metadata, annotations: { ...before, ...wanted } },
    };
    return next as typeof current; // a fresh copy, changed here only
  });
}

async function scale(
  inside: Inside,
  deployment: KubeObject,
  set: KubeObject,
  { replicas, desired, most }: { readonly replicas: number; readonly desired: number; readonly most: number },
): Promise<void> {
  const before = numberAt(specOf(set), 'replicas', 1);
  if (before !== replicas) {
    const change = (current: { [key: string]: Json }): typeof current => ({
      ...current,
      spec: { ...objectAt(current, 'spec'), replicas },
    });
    await inside.update(
      'apps',
      'ReplicaSet',
      namespaceOf(set),
      nameOf(set),
      (current) => change(current) as typeof current,
    );
    await tellScaling(inside, deployment, nameOf(set), [before, replicas]);
  }
  await annotate(inside, set, sizes(desired, most));
}

async function forgetOld(inside: Inside, old: readonly KubeObject[], limit: number): Promise<void> {
  const empty = old.filter((set) => numberAt(specOf(set), 'replicas', 1) === 0 && partOf(set).pods === 0);
  for (const set of empty.slice(0, Math.max(0, empty.length - limit))) await remove(inside, set);
}
