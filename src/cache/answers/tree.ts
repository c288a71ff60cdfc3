import { type HealthCode, healthOrder } from '../../core/health/index.ts';
import type { ObjectKey } from '../../core/objects/index.ts';
import type { Cells } from '../follow/cells.ts';
import type { Store } from '../store.ts';
import { none } from '../table/columns.ts';

/** One object in a tree. */
export interface TreeNode {
  readonly key: ObjectKey;
  readonly uid: string;
  /** Uid of its owner; empty where it has none. */
  readonly owner: string;
  readonly resourceVersion: string;
  /** Seconds since 1970; 0 where it is not known. */
  readonly created: number;
  readonly health: HealthCode | undefined;
  /** The Application whose mark it bears; empty: nobody's. */
  readonly instance: string;
}

/** More levels than any real chain of owners has. */
const deepest = 32;

/** The roots and what they own, owners first; each object once, even where owners form a ring. */
export function treeOf(store: Store, cells: Cells, roots: Iterable<number>, depth = deepest): TreeNode[] {
  const nodes: TreeNode[] = [];
  const seen = new Set<number>();
  let level = [...roots];
  for (let step = 0; step < depth && level.length > 0; step++) {
    const next: number[] = [];
    for (const row of level) {
      if (seen.has(row)) continue;
      seen.add(row);
      nodes.push(nodeOf(store, cells, row));
      next.push(...store.table.owned(row));
    }
    level = next;
  }
  return nodes;
}

function nodeOf({ table }: Store, cells: Cells, row: number): TreeNode {
  const { columns } = table;
  const owner = columns.owner[row] ?? none;
  const version = columns.version[row] ?? Number.NaN;
  return {
    key: { ...cells.kindOf(columns.kind[row] ?? 0), namespace: table.namespaceOf(row), name: table.nameOf(row) },
    uid: table.uidOf(row),
    owner: owner === none ? '' : table.uidOf(owner),
    resourceVersion: Number.isNaN(version) ? '' : String(version),
    created: columns.created[row] ?? 0,
    health: healthOrder[(columns.health[row] ?? 0) - 1],
    instance: table.instances.text(columns.instance[row] ?? 0),
  };
}
