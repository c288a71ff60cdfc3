import { equal, isArray, isObject, type Json, type JsonObject, own } from '../json/index.ts';
import { asJson, type KubeObject, words } from '../objects/index.ts';
import type { DiffersOptions } from './differs.ts';
import { leftoverOf } from './leftovers.ts';
import { normalOf } from './normal.ts';
import { keyText, ownershipOf, parseElement } from './ownership.ts';

/**
 * What the API server would make of a target (apply as a dry run, force, as our manager), or why it would not; where it
 * was judged before and nothing has changed since, the verdict alone.
 */
export type Prediction =
  | { readonly object: KubeObject }
  | { readonly error: string }
  | { readonly verdict: DryRunVerdict };

/** Whether an Application's comparison asks the API server, and whether what admission changes counts, too. */
export interface ServerSideDiff {
  readonly enabled: boolean;
  readonly includeMutations: boolean;
}

/** Reads the Application's `compare-options`; its own word wins over the installation's. */
export function serverSideDiffOf(app: KubeObject, byDefault = false): ServerSideDiff {
  const options = words(app, 'argocd.argoproj.io/compare-options') ?? [];
  const enabled = options.includes('ServerSideDiff=true') || byDefault;
  return {
    enabled: enabled && !options.includes('ServerSideDiff=false'),
    includeMutations: options.includes('IncludeMutationWebhook=true'),
  };
}

export interface DryRunOptions extends DiffersOptions {
  readonly includeMutations?: boolean | undefined;
}

/** The verdict of a dry run: the path to the first field it would change, or why it tells nothing. */
export type DryRunVerdict =
  | { readonly known: true; readonly difference: readonly string[] | undefined }
  | { readonly known: false; readonly reason: string };

/** Compares a live object with what the API server would make of it; what only admission adds is left out. */
export function judgeDryRun(predicted: KubeObject, live: KubeObject, options: DryRunOptions = {}): DryRunVerdict {
  const [next, now] = [asJson(predicted), asJson(live)];
  const pair = { wanted: normalOf(next, options), there: normalOf(now, options) };
  const { wanted, there } = options.without?.(pair, now) ?? pair;
  if (options.includeMutations === true) {
    return {
      known: true,
      difference: equal(wanted, { ...there, apiVersion: wanted['apiVersion'] ?? null }) ? undefined : [],
    };
  }
  const ours = ownershipOf(next).ours;
  if (ours === undefined) return { known: false, reason: 'the dry run tells no managed fields of ours' };
  const changed = changedPath(ours, wanted, there, []);
  if (changed !== undefined) return { known: true, difference: changed };
  // What we own now, the prediction no longer has and nobody else owns would be removed.
  const { ours: before, others } = ownershipOf(now);
  const difference = before === undefined ? undefined : leftoverOf({ owned: before, wanted, live: there, others });
  return { known: true, difference };
}

/** The first path of ours at which two objects differ. */
function changedPath(
  owned: JsonObject,
  a: Json | undefined,
  b: Json | undefined,
  path: readonly string[],
): readonly string[] | undefined {
  for (const element of Object.keys(owned)) {
    if (element === '.') continue;
    const node = owned[element];
    const here = [...path, element];
    const [left, right] = [partOf(a, element), partOf(b, element)];
    if (left === undefined && right === undefined) continue;
    const deeper = isObject(node) && Object.keys(node).some((key) => key !== '.');
    if (!deeper || left === undefined || right === undefined) {
      if (!equal(left, right)) return here;
      continue;
    }
    const found = changedPath(node, left, right, here);
    if (found !== undefined) return found;
  }
  return undefined;
}

function partOf(value: Json | undefined, element: string): Json | undefined {
  if (element.startsWith('f:')) return own(value, element.slice(2));
  if (!isArray(value)) return undefined;
  const key = parseElement(element);
  if (!isObject(key)) return value.find((item) => equal(item, key));
  const names = Object.keys(key);
  const text = keyText(key, names);
  return value.find((item) => keyText(item, names) === text);
}
