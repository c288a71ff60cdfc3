import { type FieldSet, pathsOf } from './fields.ts';
import type { Managed, Managers } from './managed.ts';
import { type PathElement, printPath } from './path.ts';

/** One field that another manager owns with another value. */
export interface Conflict {
  readonly owner: Managed;
  readonly ownerId: string;
  readonly path: readonly PathElement[];
}

/** The conflicts in what would be taken, ordered by owner. */
export function conflictsOf(taken: ReadonlyMap<string, FieldSet>, managers: Managers): Conflict[] {
  return [...taken.keys()].sort().flatMap((ownerId) => {
    const [owner, set] = [managers.get(ownerId), taken.get(ownerId)];
    if (owner === undefined || set === undefined) return [];
    return pathsOf(set).map((path) => ({ owner, ownerId, path }));
  });
}

/** What the API server says about conflicts. */
export function conflictMessage(conflicts: readonly Conflict[]): string {
  const [only] = conflicts;
  if (only !== undefined && conflicts.length === 1)
    return `Apply failed with 1 conflict: conflict with ${printOwner(only.owner)}: ${printPath(only.path)}`;
  const lines: string[] = [];
  let current = '';
  for (const { owner, ownerId, path } of conflicts) {
    if (ownerId !== current) lines.push(`conflicts with ${printOwner(owner)}:`);
    current = ownerId;
    lines.push(`- ${printPath(path)}`);
  }
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`;
}

/** The causes of the Status that answers conflicts. */
export function conflictCauses(
  conflicts: readonly Conflict[],
): { readonly reason: string; readonly message: string; readonly field: string }[] {
  return conflicts.map(({ owner, path }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${printOwner(owner)}`,
    field: printPath(path),
  }));
}

function printOwner(owner: Managed): string {
  const name = JSON.stringify(owner.manager);
  const where = owner.subresource === '' ? name : `${name} with subresource ${JSON.stringify(owner.subresource)}`;
  return owner.operation === 'Update' ? `${where} using ${owner.apiVersion}` : where;
}
