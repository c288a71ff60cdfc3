import { type HealthCode, healthOrder } from '../../core/health/index.ts';
import type { ObjectKey } from '../../core/objects/index.ts';
import { type TreeNode as CoreNode, resourceTree, type TreeIndex, type TreeItem } from '../../core/tree/index.ts';
import type { Store } from '../store.ts';
import { none } from '../table/columns.ts';

/** One object in a tree. */
export interface TreeNode extends CoreNode {
  readonly resourceVersion: string;
  /** Seconds since 1970; 0 where it is not known. */
  readonly created: number;
  readonly health: HealthCode | undefined;
  /** The Application whose mark it bears; empty: nobody's. */
  readonly instance: string;
}

/** The roots and what they own, nearest to the roots first; each object once, with all its owners that are there, too. */
export function treeOf(
  store: Store,
  roots: Iterable<number>,
  permits: (key: ObjectKey) => boolean,
): TreeItem<TreeNode>[] {
  const uids = [...roots].map((row) => store.table.uidOf(row));
  return resourceTree({ roots: uids, index: indexOf(store), permits });
}

/** The table, as the rules about trees read it. */
function indexOf(store: Store): TreeIndex<TreeNode> {
  const { table } = store;
  const nodes = (rows: Iterable<number>): TreeNode[] => [...rows].map((row) => nodeOf(store, row));
  return {
    node: (uid) => {
      const row = table.findUid(uid);
      return row === none || table.columns.kind[row] === 0 ? undefined : nodeOf(store, row);
    },
    childrenOf: (uid) => nodes(store.childrenOf(table.findUid(uid))),
    ownersOf: ({ uid }) => nodes(store.ownersOf(table.findUid(uid))),
  };
}

/** What a tree shows of a row. */
export function nodeOf({ table, kinds }: Store, row: number): TreeNode {
  const { columns } = table;
  const version = columns.version[row] ?? Number.NaN;
  return {
    key: { ...kinds.kindOf(columns.kind[row] ?? 0), namespace: table.namespaceOf(row), name: table.nameOf(row) },
    uid: table.uidOf(row),
    ownerUids: [...table.owners(row)].map((owner) => table.uidOf(owner)),
    resourceVersion: Number.isNaN(version) ? '' : String(version),
    created: columns.created[row] ?? 0,
    health: healthOrder[(columns.health[row] ?? 0) - 1],
    instance: table.instances.text(columns.instance[row] ?? 0),
  };
}
