import type { Application } from '../../core/api/index.ts';
import { ArgosyError, isArgosyError } from '../../core/errors/index.ts';
import { at, equal, isObject, type Json, type JsonObject } from '../../core/json/index.ts';
import { mergePatch } from '../../core/merge/index.ts';
import { asJson, type KubeObject } from '../../core/objects/index.ts';

/** What a write of an Application rests on: where somebody else has changed that since the pass began, it is not made. */
export type Guard = 'operation' | 'finalizers';

/** The way to one Application. */
export interface ApplicationDoor {
  patch(patch: JsonObject): Promise<KubeObject>;
  get(): Promise<KubeObject>;
}

/** Others may write the same Application at the same time, but not whenever we do. */
const mostTries = 5;

/**
 * Patches an Application under the version the pass began with. Whoever changed anything else meanwhile, such as a label
 * or the spec, keeps that, and the patch is made on top of it; whoever took the operation or the deletion further, such
 * as a second controller, has taken it over: `kube-conflict`.
 */
export async function patchGuarded(
  app: Application,
  patch: JsonObject,
  guard: Guard,
  door: ApplicationDoor,
): Promise<KubeObject> {
  let { resourceVersion = '' } = app.metadata;
  let isUnheard = false;
  for (let tries = 1; ; tries++) {
    try {
      return await door.patch(under(resourceVersion, patch));
    } catch (error) {
      if (!isArgosyError(error) || tries === mostTries || !isWorthALook(error)) throw error;
      isUnheard ||= error.code !== 'kube-conflict';
      const newest = await door.get();
      const before = plain(app);
      const isOurs = isUnheard && newest.metadata.resourceVersion !== resourceVersion;
      // Only the answer was lost; a conflict at the first try is never our own write.
      if (isOurs && isSame(guard, asJson(newest), mergePatch(before, patch))) return newest;
      if (newest.metadata.uid !== app.metadata.uid || !isSame(guard, asJson(newest), before)) throw takenOver(error);
      resourceVersion = newest.metadata.resourceVersion ?? '';
    }
  }
}

/** Somebody else wrote, or nobody can tell whether we did. */
function isWorthALook({ code }: ArgosyError): boolean {
  return ['kube-conflict', 'kube-unreachable', 'kube-timeout', 'kube-unavailable'].includes(code);
}

function takenOver(cause: ArgosyError): ArgosyError {
  return new ArgosyError('kube-conflict', 'somebody else has taken the Application over', { cause });
}

function plain({ metadata, operation, status }: Application): Json {
  // Without what is undefined: that is how it would come back.
  return JSON.parse(JSON.stringify({ metadata, operation, status }));
}

const restsOn: { readonly [guard in Guard]: readonly (readonly string[])[] } = {
  operation: [['operation'], ['status', 'operationState']],
  finalizers: [
    ['metadata', 'finalizers'],
    ['metadata', 'deletionTimestamp'],
  ],
};

function isSame(guard: Guard, a: Json, b: Json): boolean {
  return restsOn[guard].every((path) => equal(at(a, ...path) ?? null, at(b, ...path) ?? null));
}

function under(resourceVersion: string, { metadata, ...patch }: JsonObject): JsonObject {
  return { ...patch, metadata: { ...(isObject(metadata) ? metadata : {}), resourceVersion } };
}
