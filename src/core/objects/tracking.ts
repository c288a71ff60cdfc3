import type { ObjectKey } from './key.ts';

/** The annotation that says which Application an object belongs to. */
export const trackingAnnotation = 'argocd.argoproj.io/tracking-id';

/** An Application's mark on an object: the Application's instance name and the object it was put on. */
export interface TrackingId {
  readonly instance: string;
  readonly object: ObjectKey;
}

/** The mark as text: `team-a_shop:apps/Deployment:shop-prod/web`. */
export function printTrackingId(id: TrackingId): string {
  const { group, kind, namespace, name } = id.object;
  return `${id.instance}:${group}/${kind}:${namespace}/${name}`;
}

/** Reads a mark; anything not exactly of that form is no mark at all, so that nothing is pruned on a guess. */
export function parseTrackingId(text: string): TrackingId | undefined {
  const [instance, groupKind, place, ...rest] = splitAt(text, ':', 3);
  if (instance === undefined || groupKind === undefined || place === undefined || rest.length > 0) return undefined;
  const [group, kind, ...moreKind] = groupKind.split('/');
  const [namespace, name, ...moreName] = place.split('/');
  if (group === undefined || kind === undefined || moreKind.length > 0) return undefined;
  if (namespace === undefined || name === undefined || moreName.length > 0) return undefined;
  return { instance, object: { group, kind, namespace, name } };
}

/** Splits at the first `parts - 1` separators only: names of RBAC objects hold colons themselves. */
function splitAt(text: string, separator: string, parts: number): string[] {
  const pieces = text.split(separator);
  return pieces.length <= parts ? pieces : [...pieces.slice(0, parts - 1), pieces.slice(parts - 1).join(separator)];
}
