import type { Unowned, UnownedObject, Unseen } from '../../cache/index.ts';
import { keyOfInstance } from '../../core/api/index.ts';
import type { Comparison } from '../../core/diff/index.ts';
import { kindText, type ObjectKey, printKey } from '../../core/objects/index.ts';
import type { OwnedConditions } from '../../core/status/index.ts';
import { type OrphanRules, orphanTest, orphanWarning } from '../../core/tree/index.ts';
import type { Ready } from './gather.ts';
import type { World } from './world.ts';

const type = 'OrphanedResourceWarning';
/** So many kinds are named in a message; the others are counted. */
const mostNamed = 3;

/**
 * What to say about objects in the destination namespace that belong to nobody, where the project asks for it. Nothing
 * at all where it is not known: what was said last stays.
 */
export function orphanConditions(
  inputs: Pick<Ready, 'app' | 'instance' | 'admitted' | 'access'>,
  comparison: Comparison | undefined,
  world: Pick<World, 'application' | 'controlPlane'>,
): readonly OwnedConditions[] {
  const { app, instance, admitted, access } = inputs;
  const { orphanedResources: settings } = admitted;
  const namespace = app.spec.destination.namespace ?? '';
  if (settings?.warn !== true || namespace === '') return [{ types: [type], conditions: [] }];
  if (comparison === undefined) return [];
  const managed = new Set(comparison.objects.map(({ key }) => printKey(key)));
  const rules: OrphanRules<UnownedObject> = {
    settings,
    managed: (key) => managed.has(printKey(key)),
    // A mark of an Application that is gone makes nobody responsible.
    managedByOther: ({ instance: other }) =>
      other === instance || (other !== '' && world.application(keyOfInstance(other, world.controlPlane)) !== undefined),
    permits: permitsByKind(inputs),
  };
  const message = told(access.unowned(namespace, instance), orphanTest(rules), namespace);
  return message === undefined ? [] : [{ types: [type], conditions: message === '' ? [] : [{ type, message }] }];
}

/** The message, empty where there is none to give; undefined where it is not known whether there is. */
function told(
  { objects, unseen }: Unowned,
  isOrphan: (object: UnownedObject) => boolean,
  namespace: string,
): string | undefined {
  const counts = ({ kind }: Unseen): boolean =>
    kind === undefined || isOrphan({ key: { ...kind, namespace, name: '' }, instance: '' });
  const missing = unseen.filter(counts);
  if (missing.some(({ forbidden }) => !forbidden)) return undefined;
  let count = 0;
  for (const object of objects) if (isOrphan(object)) count++;
  const warning = orphanWarning(count, { warn: true });
  if (missing.length === 0) return warning ?? '';
  // There may be more than was seen: no number is told as if it were all, and none is taken back.
  return warning?.replace('has', 'has at least').concat(`: ${listed(missing)} may not be read`);
}

function listed(missing: readonly Unseen[]): string {
  const names = missing.map(({ kind, reason }) => (kind === undefined ? reason : kindText(kind))).toSorted();
  const rest = names.length - mostNamed;
  return rest > 0 ? `${names.slice(0, mostNamed).join(', ')} and ${rest} more kinds` : names.join(', ');
}

/** In one namespace the project's answer hangs on the kind alone. */
function permitsByKind({ admitted }: Pick<Ready, 'admitted'>): (key: ObjectKey) => boolean {
  const known = new Map<string, boolean>();
  return (key) => {
    const text = kindText(key);
    const permitted = known.get(text) ?? admitted.permits(key, true).answer === 'allowed';
    known.set(text, permitted);
    return permitted;
  };
}
