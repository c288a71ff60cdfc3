import type { Projector } from '../../cache/index.ts';
import { isOurs } from '../../core/diff/index.ts';
import { assess, hasHealth } from '../../core/health/index.ts';
import { asJson, objectKey, parseTrackingId, trackingAnnotation } from '../../core/objects/index.ts';
import { fieldManager } from '../application/carry-out.ts';

/** How the cache reads marks and health: as the comparison does, so that both speak of the same objects. */
export const projector: Projector = {
  manager: fieldManager,
  instanceOf(object) {
    const text = object.metadata.annotations?.[trackingAnnotation];
    const instance = text === undefined ? undefined : parseTrackingId(text)?.instance;
    if (instance === undefined) return undefined;
    return isOurs({ key: objectKey(object), object }, instance) ? instance : undefined;
  },
  healthOf: (object) => assess(asJson(object))?.status,
  needsBody: ({ group, kind }) => hasHealth(group, kind),
};
