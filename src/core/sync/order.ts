import { stringAt } from '../json/index.ts';
import { asJson, printKey } from '../objects/index.ts';
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
export function inOrder(items: readonly Item[], options: { readonly pruneLast: boolean }): readonly Item[] {
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
  const waves = items.map((item) => (item.phase === 'Sync' && !isPrune(item) ? item.wave : 0));
  const last = waves.reduce((most, wave) => Math.max(most, wave), 0) + 1;
  return items.map((item) => {
    const late = isPrune(item) && (all || objectOptionsOf(item.live?.object).pruneLast);
    return late ? { ...item, wave: last } : item;
  });
}

/** A Namespace or CRD moves right before the first item that needs it, and takes over its phase and wave. */
function needsFirst(sorted: readonly Item[]): readonly Item[] {
  if (!sorted.some((item) => providedBy(item) !== undefined)) return sorted;
  const users = firstUsers(sorted);
  const early = new Map<Item, Item[]>();
  const moved = new Set<Item>();
  for (const [place, need] of sorted.entries()) {
    const user = users.get(providedBy(need) ?? '');
    if (user === undefined || user.place > place) continue;
    const { phase, wave } = user.item;
    early.set(user.item, [...(early.get(user.item) ?? []), { ...need, phase, wave }]);
    moved.add(need);
  }
  return sorted.flatMap((item) => (moved.has(item) ? [] : [...(early.get(item) ?? []), item]));
}

/** The first item that lives in a namespace or is of a kind, by what it needs. */
function firstUsers(sorted: readonly Item[]): Map<string, { item: Item; place: number }> {
  const users = new Map<string, { item: Item; place: number }>();
  for (const [place, item] of sorted.entries()) {
    // What provides something lives in no namespace, and is of a kind that is always there.
    if (isPrune(item) || providedBy(item) !== undefined) continue;
    for (const need of [namespaceNeed(item.key.namespace), kindNeed(item.key.group, item.key.kind)]) {
      if (!users.has(need)) users.set(need, { item, place });
    }
  }
  return users;
}

const namespaceNeed = (name: string): string => `namespace ${name}`;
const kindNeed = (group: string, kind: string): string => `kind ${group}/${kind}`;

/** What others may need of an item: the namespace it makes, or the kind it defines. */
function providedBy(item: Item): string | undefined {
  const { group, kind, name } = item.key;
  if (item.target === undefined || name === '') return undefined;
  if (kind === 'Namespace' && group === '') return namespaceNeed(name);
  if (kind !== 'CustomResourceDefinition' || group !== 'apiextensions.k8s.io') return undefined;
  const crd = asJson(item.target.object);
  return kindNeed(stringAt(crd, 'spec', 'group') ?? '', stringAt(crd, 'spec', 'names', 'kind') ?? '');
}
