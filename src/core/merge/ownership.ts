import type { JsonObject } from '../json/index.ts';
import { compareFields, type FieldComparison } from './compare.ts';
import { difference, emptySet, type FieldSet, intersection, isEmpty, recursiveDifference, union } from './fields.ts';
import { type Managed, type Managers, unownedFields, withFields } from './managed.ts';
import type { ResolveRef, Schema } from './schema.ts';

/** What steers ownership: the type of the object and the fields this request cannot set (`status`, for one). */
export interface Typing {
  readonly schema: Schema;
  readonly resolve: ResolveRef;
  /** Paths left out of all ownership, with what is below them: Kubernetes' reset fields. */
  readonly ignored?: FieldSet | undefined;
}

/** What a change does to the other managers. */
export interface Transfer {
  /** The others, without what was changed or removed. */
  readonly managers: Map<string, Managed>;
  /** What each other manager owned of what is now changed. */
  readonly taken: ReadonlyMap<string, FieldSet>;
  readonly changes: FieldComparison;
}

/** Takes what a change touches from everyone but its author. */
export function transfer(
  managers: Managers,
  before: JsonObject,
  after: JsonObject,
  typing: Typing & { author: string },
): Transfer {
  const changes = differences(before, after, typing);
  const touched = union(changes.modified, changes.added);
  const rest = new Map(managers);
  const taken = new Map<string, FieldSet>();
  for (const [id, entry] of managers) {
    if (id === typing.author) continue;
    const conflict = intersection(entry.fields, touched);
    if (!isEmpty(conflict)) taken.set(id, conflict);
    else if (isEmpty(intersection(entry.fields, changes.removed))) continue;
    const fields = difference(difference(entry.fields, conflict), changes.removed);
    withFields(rest, id, { ...entry, fields });
  }
  return { managers: rest, taken, changes };
}

function differences(before: JsonObject, after: JsonObject, typing: Typing): FieldComparison {
  const all = compareFields(before, after, typing.schema, typing.resolve);
  const { ignored } = typing;
  if (ignored === undefined) return all;
  return {
    added: recursiveDifference(all.added, ignored),
    modified: recursiveDifference(all.modified, ignored),
    removed: recursiveDifference(all.removed, ignored),
  };
}

/** The set without the fields nobody owns and those this request cannot set. */
export function ownable(set: FieldSet, typing: Typing): FieldSet {
  return difference(recursiveDifference(set, typing.ignored ?? emptySet), unownedFields);
}
