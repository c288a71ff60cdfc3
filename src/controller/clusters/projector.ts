import type { Projector } from '../../cache/index.ts';
import { markOf, type RelevanceSettings, relevanceOf, type Tracking } from '../../core/diff/index.ts';
import { type CustomChecks, hasHealth } from '../../core/health/index.ts';
import { type KubeObject, objectKey } from '../../core/objects/index.ts';
import { fieldManager } from '../application/carry-out.ts';
import { assessWith } from '../application/health.ts';

/** How the cache reads marks and health: as the comparison does, so that both speak of the same objects. */
export function projectorWith(checks: CustomChecks, settings: Tracking & RelevanceSettings): Projector {
  return {
    meaning: relevanceOf(settings),
    manager: fieldManager,
    instanceOf: (object) => instanceOf(object, settings),
    healthOf: (object) => assessWith(checks, object)?.status || undefined,
    // The content of a Secret is never read, whatever a pattern of the admin's says.
    needsBody: ({ group, kind }) =>
      hasHealth(group, kind) || (!(group === '' && kind === 'Secret') && checks.of(group, kind) !== undefined),
  };
}

/** The Application whose mark an object bears; undefined: nobody's. */
export function instanceOf(object: KubeObject, tracking: Tracking): string | undefined {
  const mark = markOf({ key: objectKey(object), object }, tracking);
  return mark?.own === true ? mark.instance : undefined;
}
