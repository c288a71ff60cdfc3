import type { Json, JsonObject } from '../json/index.ts';
import { difference, emptySet, type FieldSet, setOf, union } from './fields.ts';
import { type Managed, managerId, parseManagers, printManagers, withFields } from './managed.ts';

/** What the client-side apply left that no applier should own: its own bookkeeping. */
const lastApplied = setOf(['metadata', 'annotations', 'kubectl.kubernetes.io/last-applied-configuration']);

export interface Migration {
  /** Names of the managers whose updates were a client-side apply. */
  readonly from: readonly string[];
  /** The manager that applies from now on. */
  readonly to: string;
  readonly apiVersion: string;
}

/**
 * Managed fields in which the updates of former managers belong to an applier, so that fields it stops applying go away;
 * undefined where there is nothing to move. The result is written with a resourceVersion, before the first apply.
 */
export function migrateManager(managedFields: Json | undefined, migration: Migration): JsonObject[] | undefined {
  const managers = parseManagers(managedFields);
  if (managers === undefined) return undefined;
  const moving = [...managers].filter(([, entry]) => isFormer(entry, migration));
  if (moving.length === 0) return undefined;
  const rest = new Map(managers);
  for (const [id] of moving) rest.delete(id);
  const target = {
    manager: migration.to,
    operation: 'Apply' as const,
    apiVersion: migration.apiVersion,
    subresource: '',
  };
  const id = managerId(target);
  const existing = rest.get(id);
  const moved: FieldSet = moving.map(([, entry]) => entry.fields).reduce(union, existing?.fields ?? emptySet);
  const apiVersion = existing?.apiVersion ?? moving[0]?.[1].apiVersion ?? migration.apiVersion;
  withFields(rest, id, { ...target, apiVersion, time: newest(moving), fields: difference(moved, lastApplied) });
  return printManagers(rest);
}

function isFormer(entry: Managed, { from }: Migration): boolean {
  return entry.operation === 'Update' && entry.subresource === '' && from.includes(entry.manager);
}

function newest(entries: readonly (readonly [string, Managed])[]): string | undefined {
  return entries
    .map(([, { time }]) => time)
    .filter((time) => time !== undefined)
    .sort()
    .at(-1);
}
