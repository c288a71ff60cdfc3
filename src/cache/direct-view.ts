import type { Live, LiveObject } from '../core/diff/index.ts';
import { isArgosyError } from '../core/errors/index.ts';
import { type KubeObject, kindText, objectKey, printKey } from '../core/objects/index.ts';
import type { CacheDoor, Discovery, Resource } from '../kube/index.ts';

/** A kind to be looked at. */
export interface KindName {
  readonly group: string;
  readonly kind: string;
}

/** Finds the preferred resource of a kind in what a cluster serves. */
export function resourceOf(discovery: Discovery, { group, kind }: KindName): Resource | undefined {
  return discovery.resources.find((resource) => resource.group === group && resource.kind === kind);
}

/**
 * Reads what a cluster holds of the given kinds, keeping the objects that `keep` wants. A kind that cannot be read is
 * unknown, with the reason; the others are not harmed.
 */
export async function readLive(
  reader: CacheDoor,
  discovery: Discovery,
  kinds: readonly KindName[],
  keep: (key: string, object: KubeObject) => boolean,
  namespaces: readonly string[] = [],
): Promise<Live> {
  const objects = new Map<string, LiveObject>();
  const unknown = new Map<string, string>();
  const distinct = new Map(kinds.map((kind) => [kindText(kind), kind]));
  for (const [text, kind] of distinct) {
    const resource = resourceOf(discovery, kind);
    if (resource === undefined) {
      if (discovery.unknown.size > 0) unknown.set(text, `${text} could not be discovered`);
      continue;
    }
    const take = (object: KubeObject): void => {
      const key = objectKey(object);
      if (keep(printKey(key), object)) objects.set(printKey(key), { key, object });
    };
    try {
      if (namespaces.length === 0 || !resource.namespaced) await reader.list(resource, {}, take);
      else for (const namespace of namespaces) await reader.list(resource, { namespace }, take);
    } catch (error) {
      if (!isArgosyError(error)) throw error;
      unknown.set(text, error.message);
    }
  }
  return { objects, unknown };
}
