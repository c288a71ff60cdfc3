import type { Inside, ResourceInfo, StoreEvent } from '../ports.ts';

const definitions = { group: 'apiextensions.k8s.io', kind: 'CustomResourceDefinition' };

/** Watches objects of every kind there is, also of kinds that come later. */
export function watchAllKinds(
  inside: Inside,
  onEvent: (event: StoreEvent, resource: ResourceInfo) => void,
): { stop(): void } {
  const watches = new Map<string, { stop(): void }>();
  const refresh = (): void => {
    for (const resource of deletableKinds(inside)) {
      if (watches.has(resource.storage)) continue;
      watches.set(
        resource.storage,
        inside.watch(resource.group, resource.kind, (event) => onEvent(event, resource)),
      );
      for (const object of inside.list(resource.group, resource.kind)) {
        const key = `${resource.storage}/${object.metadata.namespace ?? ''}/${object.metadata.name ?? ''}`;
        onEvent({ type: 'ADDED', revision: 0, key, object, previous: undefined }, resource);
      }
    }
  };
  refresh();
  let timer: NodeJS.Timeout | undefined;
  const known = inside.resourceFor(definitions.group, definitions.kind) !== undefined;
  // A definition's kind is served shortly after its own event.
  const later = (): void => {
    clearTimeout(timer);
    timer = setTimeout(refresh, 20).unref();
  };
  const watch = known ? inside.watch(definitions.group, definitions.kind, later) : undefined;
  return {
    stop: () => {
      clearTimeout(timer);
      watch?.stop();
      for (const each of watches.values()) each.stop();
    },
  };
}

/** One entry per kind that objects are kept of. */
export function deletableKinds(inside: Inside): ResourceInfo[] {
  const found = new Map<string, ResourceInfo>();
  for (const resource of inside.resources())
    if (resource.verbs.includes('list') && resource.verbs.includes('delete') && !found.has(resource.storage))
      found.set(resource.storage, resource);
  return [...found.values()];
}
