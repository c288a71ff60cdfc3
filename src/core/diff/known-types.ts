import type { ResourceOverride } from '../api/index.ts';
import { parseDuration } from '../api/index.ts';
import type { Json } from '../json/index.ts';
import { type GroupKind, kindText } from '../objects/index.ts';
import { holdsQuantity } from './built-in.ts';
import { sameQuantity } from './quantity.ts';
import type { KindTraits } from './walk.ts';

interface KnownField {
  readonly path: readonly string[];
  readonly type: string;
}

/** Argo Rollouts has a pod in it, and is told by everybody. */
const shipped: ReadonlyMap<string, readonly KnownField[]> = new Map([
  ['argoproj.io/Rollout', [{ path: ['spec', 'template', 'spec'], type: 'core/v1/PodSpec' }]],
]);

/** How values of a custom kind may be written in two ways, as `knownTypeFields` tells; undefined where in none. */
export function alikeFor(kind: GroupKind, overrides?: ReadonlyMap<string, ResourceOverride>): KindTraits['alike'] {
  const text = kindText(kind);
  const written = (overrides?.get(text)?.knownTypeFields ?? []).flatMap(({ field, type }) =>
    field === undefined || type === undefined ? [] : [{ path: field.split('.'), type }],
  );
  const fields = [...(shipped.get(text) ?? []), ...written];
  if (fields.length === 0) return undefined;
  return (path, a, b) => fields.some((field) => isAlike(field, path, a, b));
}

function isAlike({ path: prefix, type }: KnownField, path: readonly string[], a: Json, b: Json): boolean {
  if (prefix.some((step, i) => step !== path[i])) return false;
  if (type.endsWith('Duration')) return path.length === prefix.length && sameDuration(a, b);
  if (!isAmount(a) || !isAmount(b)) return false;
  const isQuantity = type.endsWith('Quantity') || holdsQuantity('', path.at(-2), path.at(-1) ?? '');
  return isQuantity && sameQuantity(a, b);
}

const isAmount = (value: Json): value is string | number => typeof value === 'string' || typeof value === 'number';

function sameDuration(a: Json, b: Json): boolean {
  if (typeof a !== 'string' || typeof b !== 'string') return false;
  const [one, other] = [parseDuration(a), parseDuration(b)];
  return one !== undefined && one === other;
}
