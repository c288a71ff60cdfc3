import { printKey } from '../objects/index.ts';
import type { Item } from './item.ts';
import { isPrune } from './item.ts';
import { objectOptionsOf } from './options.ts';
import type { SyncPhase } from './types.ts';

export const phases: readonly SyncPhase[] = ['PreSync', 'Sync', 'PostSync', 'SyncFail'];

/** Argo CD's order of kinds; all others come last, equal among themselves. */
const kindOrder = new Map(
  `Namespace NetworkPolicy ResourceQuota LimitRange PodSecurityPolicy PodDisruptionBudget ServiceAccount Secret SecretList
  ConfigMap StorageClass PersistentVolume PersistentVolumeClaim CustomResourceDefinition ClusterRole ClusterRoleList
  ClusterRoleBinding ClusterRoleBindingList Role RoleList RoleBinding RoleBindingList Service DaemonSet Pod
  ReplicationController ReplicaSet Deployment HorizontalPodAutoscaler StatefulSet Job CronJob IngressClass Ingress APIService`
    .split(/\s+/)
    .map((kind, place) => [kind, place]),
);

/** The one comparator: phase, wave, kind, name. */
export function compareItems(a: Item, b: Item): number {
  return (
    phases.indexOf(a.phase) - phases.indexOf(b.phase) ||
    a.wave - b.wave ||
    rank(a) - rank(b) ||
    compareText(a.key.name, b.key.name) ||
    compareText(printKey(a.key), printKey(b.key))
  );
}

/** The place of a kind in the order. */
export function rank(item: Item): number {
  return kindOrder.get(item.key.kind) ?? kindOrder.size;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** All items in the order they run: prunes in reversed waves, namespaces and CRDs before what needs them. */
export function inOrder(items: readonly Item[], options: { readonly pruneLast: boolean }): Item[] {
  const sorted = pruneLast(reversePruneWaves(items), options.pruneLast).sort(compareItems);
  return needsFirst(sorted);
}

/** Among the waves of prunes the first swaps with the last and so on: what was made last goes first. */
function reversePruneWaves(items: readonly Item[]): Item[] {
  const waves = [...new Set(items.filter(isPrune).map(({ wave }) => wave))].sort((a, b) => a - b);
  const mirrored = new Map(waves.map((wave, i) => [wave, waves[waves.length - 1 - i] ?? wave]));
  return items.map((item) => (isPrune(item) ? { ...item, wave: mirrored.get(item.wave) ?? item.wave } : item));
}

function pruneLast(items: readonly Item[], all: boolean): Item[] {
  const last =
    Math.max(0, ...items.filter((item) => item.phase === 'Sync' && !isPrune(item)).map(({ wave }) => wave)) + 1;
  return items.map((item) => {
    const late = isPrune(item) && (all || objectOptionsOf(item.live?.object).pruneLast);
    return late ? { ...item, wave: last } : item;
  });
}

/** A Namespace or CRD moves right before the first item that needs it, and takes over its phase and wave. */
function needsFirst(sorted: readonly Item[]): Item[] {
  const out = [...sorted];
  for (const need of sorted.filter((item) => !isPrune(item) && provides(item) !== undefined)) {
    const from = out.findIndex((item) => item.key === need.key && item.phase === need.phase);
    const first = out.findIndex((item) => item !== need && !isPrune(item) && needs(item, need));
    const user = out[first];
    if (from < 0 || first < 0 || user === undefined || first > from) continue;
    out.splice(from, 1);
    out.splice(first, 0, { ...need, phase: user.phase, wave: user.wave });
  }
  return out;
}

function provides(item: Item): 'namespace' | 'crd' | undefined {
  if (item.key.kind === 'Namespace' && item.key.group === '') return 'namespace';
  return item.key.kind === 'CustomResourceDefinition' && item.key.group === 'apiextensions.k8s.io' ? 'crd' : undefined;
}

function needs(item: Item, need: Item): boolean {
  if (provides(need) === 'namespace') return item.key.namespace === need.key.name;
  const spec = need.target?.object['spec'] as { group?: unknown; names?: { kind?: unknown } } | undefined; // read with care below
  return spec?.group === item.key.group && spec.names?.kind === item.key.kind;
}
