import { canonical, equal, type JsonObject, objectAt, own, stringAt } from '../json/index.ts';
import { combine } from './combine.ts';
import { compareFields } from './compare.ts';
import { type Conflict, conflictsOf } from './conflict.ts';
import { fieldSetOf, withNamedFields } from './field-set-of.ts';
import {
  difference,
  emptySet,
  type FieldSet,
  has,
  intersection,
  isEmpty,
  recursiveDifference,
  sameSet,
  union,
} from './fields.ts';
import {
  type Managed,
  type Managers,
  managerId,
  parseManagers,
  timestamp,
  withFields,
  withManaged,
  withoutManaged,
} from './managed.ts';
import { ownable, type Typing, transfer } from './ownership.ts';
import { removeFields } from './remove.ts';
import { typingProblems } from './typing-problems.ts';
import { recordUpdate } from './update-managed-fields.ts';
import { zeroObject } from './zero.ts';

export interface ApplyRequest extends Typing {
  /** What is stored; absent where the apply creates the object. */
  readonly live?: JsonObject | undefined;
  /** The configuration, without managed fields. */
  readonly applied: JsonObject;
  readonly manager: string;
  readonly apiVersion: string;
  /** Empty for the object itself. */
  readonly subresource?: string | undefined;
  readonly force?: boolean | undefined;
  readonly now: Date;
}

export type ApplyResult =
  /** The object with its managed fields, defaults not yet filled in (they also drop the null an emptied field is); `changed` is false where only ownership may have moved. */
  | { readonly outcome: 'applied'; readonly object: JsonObject; readonly changed: boolean }
  | { readonly outcome: 'conflict'; readonly conflicts: readonly Conflict[] }
  /** The configuration does not fit its type; `message` as the API server words it, with status 500. */
  | { readonly outcome: 'invalid'; readonly message: string };

/** Server-side apply: merges a configuration into an object and accounts for who owns which field. */
export function applyObject(request: ApplyRequest): ApplyResult {
  const problem = typingProblems(request.applied, request.schema, request.resolve);
  if (problem !== undefined)
    return {
      outcome: 'invalid',
      message: `failed to create typed patch object (${titleOf(request.applied)}): ${problem}`,
    };
  const managers = parseManagers(own(objectAt(request.live, 'metadata'), 'managedFields'));
  if (managers === undefined) return { outcome: 'invalid', message: 'failed to decode managed fields' };
  return attempt({ ...request, live: withoutManaged(request.live ?? {}) }, beforeFirstApply(managers, request));
}

type Prepared = ApplyRequest & { readonly live: JsonObject };

function attempt(request: Prepared, managers: Managers): ApplyResult {
  const entry = newEntry(request);
  const id = managerId(entry);
  const last = managers.get(id);
  const claimed = new Map(managers).set(id, entry);
  const merged = combine(request.live, request.applied, request.schema, request.resolve) as JsonObject; // both are objects
  const next = prune(merged, last?.fields ?? emptySet, [...claimed.values()], request);
  const { managers: rest, taken } = transfer(claimed, request.live, next, { ...request, author: id });
  if (taken.size > 0 && request.force !== true) {
    const conflicts = unlessLastApplied(conflictsOf(taken, managers), request);
    if (conflicts.length > 0) return { outcome: 'conflict', conflicts };
  }
  const changed = !equal(request.live, next);
  // Whoever comes to own what is already there is noted without a time, as in Kubernetes.
  const time = changed ? timestamp(request.now) : last?.time;
  const fields = ownable(entry.fields, request);
  // The same set keeps its written form: most applies change nothing.
  const kept = last !== undefined && sameSet(last.fields, fields) ? last.fields : fields;
  withFields(rest, id, { ...entry, time, fields: kept });
  return { outcome: 'applied', object: withManaged(withLastApplied(next, request), rest), changed };
}

function newEntry(request: Prepared): Managed {
  const { manager, apiVersion, subresource = '', schema, resolve } = request;
  // With the object's name still in it: that is what keeps `metadata` when all its labels go.
  const set = fieldSetOf(withoutManaged(request.applied), schema, resolve);
  const fields = recursiveDifference(set, request.ignored ?? emptySet);
  return { manager, operation: 'Apply', apiVersion, subresource, time: timestamp(request.now), fields };
}

/** Removes what the manager applied before, applies no more, and nobody else owns. */
function prune(merged: JsonObject, last: FieldSet, entries: readonly Managed[], typing: Typing): JsonObject {
  const owned = entries.map(({ fields }) => fields).reduce(union, emptySet);
  if (isEmpty(difference(last, owned))) return merged;
  const { schema, resolve } = typing;
  const named = (set: FieldSet): FieldSet => withNamedFields(set, schema, resolve);
  const without = (set: FieldSet): JsonObject => (removeFields(merged, set, schema, resolve) ?? {}) as JsonObject; // of an object
  const fieldsIn = (object: JsonObject): FieldSet => named(fieldSetOf(object, schema, resolve));
  const all = fieldsIn(merged);
  const lastNamed = named(last);
  const bare = without(lastNamed);
  const kept = without(difference(all, union(fieldsIn(bare), named(owned))));
  // What the last configuration did not name goes only with a parent it did name.
  return without(intersection(difference(all, fieldsIn(kept)), lastNamed));
}

/** An object nobody has tracked yet belongs to a stand-in, so that the first apply does not take it silently. */
function beforeFirstApply(managers: Managers, request: ApplyRequest): Managers {
  if (managers.size > 0 || request.live === undefined) return managers;
  return recordUpdate(managers, {
    ...request,
    manager: 'before-first-apply',
    subresource: '',
    before: zeroObject(request.schema, request.resolve),
    after: withoutManaged(request.live),
  });
}

const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';

/** kubectl may take over, without force, what its own client-side apply set and nobody changed since. */
function unlessLastApplied(conflicts: readonly Conflict[], request: Prepared): readonly Conflict[] {
  if (request.manager !== 'kubectl') return conflicts;
  const allowed = lastAppliedFields(request);
  return conflicts.filter(({ path }) => !has(allowed, path));
}

function lastAppliedFields(request: Prepared): FieldSet {
  const text = stringAt(request.live, 'metadata', 'annotations', lastAppliedAnnotation);
  if (text === undefined || text === '') return emptySet;
  const applied = parseObject(text);
  if (applied === undefined || own(applied, 'apiVersion') !== request.apiVersion) return emptySet;
  const { schema, resolve } = request;
  const { added, modified, removed } = compareFields(applied, request.live, schema, resolve);
  return [modified, added, removed].reduce(difference, fieldSetOf(applied, schema, resolve));
}

/** kubectl's server-side apply keeps the annotation of its client-side apply up to date, where there is one. */
function withLastApplied(object: JsonObject, request: Prepared): JsonObject {
  const annotations = objectAt(object, 'metadata', 'annotations');
  const before = stringAt(annotations, lastAppliedAnnotation) ?? '';
  if (request.manager !== 'kubectl' || before === '') return object;
  const text = `${canonical(withoutAnnotation(request.applied))}\n`;
  const metadata = { ...objectAt(object, 'metadata'), annotations: { ...annotations, [lastAppliedAnnotation]: text } };
  return { ...object, metadata };
}

function withoutAnnotation(applied: JsonObject): JsonObject {
  const annotations = objectAt(applied, 'metadata', 'annotations');
  if (annotations === undefined) return applied;
  const { [lastAppliedAnnotation]: _, ...rest } = annotations;
  return { ...applied, metadata: { ...objectAt(applied, 'metadata'), annotations: rest } };
}

function parseObject(text: string): JsonObject | undefined {
  try {
    return objectAt(JSON.parse(text) as JsonObject); // objectAt checks it
  } catch {
    return undefined;
  }
}

/** An object as the API server names it in such messages: `default/web; apps/v1, Kind=Deployment`. */
function titleOf(object: JsonObject): string {
  const namespace = stringAt(object, 'metadata', 'namespace') ?? '';
  const name = stringAt(object, 'metadata', 'name') ?? '';
  const version = stringAt(object, 'apiVersion') ?? '';
  return `${namespace}/${name}; ${version.includes('/') ? version : `/${version}`}, Kind=${stringAt(object, 'kind') ?? ''}`;
}
