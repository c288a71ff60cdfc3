import { asJson, groupOf, type KubeObject, objectKey } from '../objects/index.ts';
import { normalSecret, withoutNulls } from './normal.ts';
import { defaultTracking, type Tracking, withMark } from './tracking.ts';
import type { Target } from './types.ts';

/** A rendered object and where it came from. */
export interface Rendered {
  readonly object: KubeObject;
  readonly source: number;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
}

export interface TargetOptions {
  /** The Application's name in marks: `team-a_shop`, or the bare name in the control-plane namespace. */
  readonly instance: string;
  /** Where namespaced objects go that name no namespace. */
  readonly destinationNamespace: string;
  /** Whether a kind lives in namespaces; undefined where the cluster does not serve it (yet). */
  readonly namespaced: (group: string, kind: string) => boolean | undefined;
  /** How objects are marked; by annotation unless told. */
  readonly tracking?: Tracking | undefined;
}

/** Turns rendered objects into targets: each in its namespace and with the Application's mark on it. */
export function targetsOf(rendered: readonly Rendered[], options: TargetOptions): Target[] {
  const { instance, destinationNamespace: place, tracking = defaultTracking } = options;
  return rendered.map((item) => {
    const object = withMark(placed(sendable(item.object), options), { instance, place }, tracking);
    return { key: objectKey(object), object, source: item.source, file: item.file, line: item.line };
  });
}

/**
 * The object as we send it: without nulls, and a Secret's `stringData` in `data`, so that a key removed from Git is one
 * we own and can be removed.
 */
function sendable(object: KubeObject): KubeObject {
  const plain = withoutNulls(asJson(object));
  const secret = object.kind === 'Secret' && object.apiVersion === 'v1';
  return (secret ? normalSecret(plain) : plain) as unknown as KubeObject; // its name and kind are as they were
}

function placed(object: KubeObject, options: TargetOptions): KubeObject {
  const scope = options.namespaced(groupOf(object.apiVersion), object.kind);
  const { namespace, ...rest } = object.metadata;
  if (scope === false) return namespace === undefined ? object : { ...object, metadata: rest };
  if (namespace !== undefined && namespace !== '') return object;
  return { ...object, metadata: { ...rest, namespace: options.destinationNamespace } };
}
