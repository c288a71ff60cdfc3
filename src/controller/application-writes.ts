import type { Application } from '../core/api/index.ts';
import { at, isArray, type JsonObject } from '../core/json/index.ts';
import type { KubeObject } from '../core/objects/index.ts';
import { type ControlDoor, applications as kind } from '../kube/index.ts';
import { keyOfApplication } from './application/gather.ts';
import { type ApplicationDoor, patchGuarded } from './application/guard.ts';
import type { World } from './application/world.ts';
import type { Applications } from './applications/index.ts';

/** What writes to Applications go through, and who is told of them. */
export interface ApplicationWritesOptions {
  readonly control: ControlDoor;
  readonly controlPlane: string;
  /** What the watches show: it takes in our own writes at once. */
  readonly applications: () => Applications;
  /** A deletion has come a stage further by a write of ours, whose echo wakes nobody. */
  readonly onStage: (key: string) => void;
}

/** Writes to Applications with our own account; what a pass says of one that is gone is not written. */
export function applicationWrites(options: ApplicationWritesOptions): World['patchApplication'] {
  const { controlPlane, applications, onStage } = options;
  return async (app, patch, guard) => {
    const key = keyOfApplication(app, controlPlane);
    // Gone, or in a namespace that no longer counts: a pass that began before has nothing to say any more.
    if (applications().get(key) === undefined) return undefined;
    let resourceVersion: string | undefined;
    const door = doorTo(app, options);
    const send = async (): Promise<KubeObject> => {
      const answer = await (guard === undefined ? door.patch(patch) : patchGuarded(app, patch, guard, door));
      ({ resourceVersion } = answer.metadata);
      return answer;
    };
    await applications().write(key, { send, tellsOperation: guard === 'operation' });
    if (namesFinalizers(patch)) onStage(key);
    return resourceVersion;
  };
}

function doorTo({ metadata }: Application, options: ApplicationWritesOptions): ApplicationDoor {
  const { control, applications, controlPlane } = options;
  const { namespace = controlPlane, name } = metadata;
  return {
    patch: (patch) => control.patch(kind, namespace, name, 'merge', patch),
    get: async () => {
      const object = await control.get(kind, namespace, name);
      applications().show(object);
      return object;
    },
  };
}

/** Another finalizer is another stage, which nobody else begins. */
function namesFinalizers(patch: JsonObject): boolean {
  const left = at(patch, 'metadata', 'finalizers');
  return isArray(left) && left.length > 0;
}
