import { ArgosyError, isArgosyError } from '../../core/errors/index.ts';
import { isObject, type Json, type JsonObject, own } from '../../core/json/index.ts';
import { asJson, type KubeObject } from '../../core/objects/index.ts';
import type { Resource, WriteOptions } from '../../kube/index.ts';
import type { Door } from './carry-out.ts';

const annotation = 'kubectl.kubernetes.io/last-applied-configuration';

/** What a client-side apply last asked for, as it is written on the object. */
export function lastApplied(live: KubeObject | undefined): JsonObject | undefined {
  const text = live?.metadata.annotations?.[annotation];
  if (text === undefined) return undefined;
  try {
    const parsed = JSON.parse(text) as Json; // parsed JSON is Json
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Applies as `kubectl apply` does without the server: what was last applied and is no longer asked for goes, what is
 * asked for is set, everything else stays. Lists are replaced as a whole.
 */
export async function applyClientSide(
  door: Door,
  resource: Resource,
  target: KubeObject,
  options: WriteOptions,
): Promise<KubeObject> {
  const { namespace = '', name = '' } = target.metadata;
  const wanted = recorded(target);
  const live = await door.get(resource, namespace, name).catch((error: unknown) => {
    if (isArgosyError(error) && error.code === 'kube-not-found') return undefined;
    throw error;
  });
  if (live === undefined) return door.create(resource, wanted, options);
  const patch = threeWay(lastApplied(live) ?? {}, asJson(wanted));
  if (!isObject(patch)) throw new ArgosyError('internal', `no patch for ${resource.plural} ${namespace}/${name}`);
  return door.patch(resource, namespace, name, 'merge', patch, options);
}

/** The target with itself written on it, for the next time. */
function recorded(target: KubeObject): KubeObject {
  const text = `${JSON.stringify(target)}\n`;
  return {
    ...target,
    metadata: { ...target.metadata, annotations: { ...target.metadata.annotations, [annotation]: text } },
  };
}

/** The merge patch that sets everything wanted and removes what only `last` had. */
function threeWay(last: Json | undefined, wanted: Json): Json {
  if (!isObject(wanted)) return wanted;
  const gone = isObject(last) ? Object.keys(last).filter((key) => !Object.hasOwn(wanted, key)) : [];
  // Entries, since assigning would take a key named `__proto__` for something else.
  return Object.fromEntries<Json>([
    ...gone.map((key) => [key, null] as const),
    ...Object.keys(wanted).map((key) => [key, threeWay(own(last, key), wanted[key] ?? null)] as const),
  ]);
}
