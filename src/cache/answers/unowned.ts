import { type GroupKind, kindText, type ObjectKey } from '../../core/objects/index.ts';
import type { Cell } from '../follow/cell.ts';
import type { Cells } from '../follow/cells.ts';
import type { Store } from '../store.ts';
import { none } from '../table/columns.ts';

/** An object that nothing owns. */
export interface UnownedObject {
  readonly key: ObjectKey;
  /** The Application whose mark it bears; empty: nobody's. */
  readonly instance: string;
}

/** Something that could hold more of them and was not seen. */
export interface Unseen {
  /** Undefined: it is not even known which kinds. */
  readonly kind: GroupKind | undefined;
  readonly reason: string;
  /** The credential may not look; otherwise it is likely to be known soon. */
  readonly forbidden: boolean;
}

/** What nothing owns in a namespace, and where that is not known. */
export interface Unowned {
  /** To be walked over at once: it is read while one walks. */
  readonly objects: Iterable<UnownedObject>;
  readonly unseen: readonly Unseen[];
}

/** Looks through one namespace; whoever asks is told when a kind that is not known now is. */
export function unownedIn(
  { store, cells }: { readonly store: Store; readonly cells: Cells },
  namespace: string,
  asker: string,
): Unowned {
  if (!cells.covers(namespace)) {
    const reason = `namespace ${namespace} is not looked at`;
    return { objects: [], unseen: [{ kind: undefined, reason, forbidden: true }] };
  }
  const unseen: Unseen[] = cells.undiscoveredGroups.map(([group, reason]) => ({
    kind: undefined,
    reason: `${group} could not be discovered: ${reason}`,
    forbidden: false,
  }));
  for (const cell of cells.all()) {
    if (!cell.resource.namespaced || (cell.namespace ?? namespace) !== namespace) continue;
    const missing = unseenIn(cell);
    if (missing === undefined) continue;
    unseen.push(missing);
    if (!missing.forbidden) cell.tellLater(asker);
  }
  return { objects: objectsIn(store, namespace), unseen };
}

/** Old evidence does: nothing is removed on it, and a change would have been told. */
function unseenIn(cell: Cell): Unseen | undefined {
  const { group, kind } = cell.resource;
  const state = cell.state();
  if (state.state === 'known' || state.state === 'old') return undefined;
  const reason = 'reason' in state ? state.reason : `${kindText({ group, kind })} is still being read`;
  return { kind: { group, kind }, reason, forbidden: state.state === 'dropped' };
}

function* objectsIn(store: Store, namespace: string): Generator<UnownedObject> {
  const { table, kinds } = store;
  const { columns } = table;
  for (const row of table.rowsIn(namespace)) {
    if (columns.owner[row] !== none || !store.ownersOf(row).next().done) continue;
    yield {
      key: { ...kinds.kindOf(columns.kind[row] ?? 0), namespace, name: table.nameOf(row) },
      instance: table.instances.text(columns.instance[row] ?? 0),
    };
  }
}
