import { isArray, isObject, type Json, type JsonObject, objectAt, own, stringAt } from '../json/index.ts';
import { union } from './fields.ts';
import {
  capUpdaters,
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
import { zeroObject } from './zero.ts';

export interface UpdateRequest extends Typing {
  /** What is stored; absent for a creation. */
  readonly live?: JsonObject | undefined;
  /** What the request makes of it, defaults filled in, with the managed fields the client sent (or none). */
  readonly updated: JsonObject;
  readonly manager: string;
  readonly apiVersion: string;
  /** Empty for the object itself. */
  readonly subresource?: string | undefined;
  readonly now: Date;
}

/** The updated object with its managed fields: the author owns what it changed, the others lose that. */
export function updateManagedFields(request: UpdateRequest): JsonObject {
  const before = withoutManaged(request.live ?? zeroObject(request.schema, request.resolve));
  const after = withoutManaged(request.updated);
  const managers = startingPoint(request);
  // An object whose managers were dropped stays untracked until somebody applies it.
  if (managers.size === 0 && stringAt(request.live, 'metadata', 'uid') !== undefined) return after;
  return withManaged(after, capUpdaters(recordUpdate(managers, { ...request, before, after })));
}

/** The managers after a change by an updater. */
export function recordUpdate(
  managers: Managers,
  request: Omit<UpdateRequest, 'live' | 'updated'> & { before: JsonObject; after: JsonObject },
): Managers {
  const identity = {
    manager: request.manager,
    operation: 'Update' as const,
    apiVersion: request.apiVersion,
    subresource: request.subresource ?? '',
  };
  const id = managerId(identity);
  // The author's own entry also loses what the change removed, hence nobody is spared here.
  const { managers: rest, changes } = transfer(managers, request.before, request.after, { ...request, author: '' });
  const fields = ownable(union(changes.modified, changes.added), request);
  const fresh: Managed = { ...identity, time: timestamp(request.now), fields };
  const result = new Map(rest);
  if (fields.members.size === 0 && fields.children.size === 0) return result;
  const earlier = rest.get(id);
  withFields(result, id, earlier === undefined ? fresh : { ...fresh, fields: union(fields, earlier.fields) });
  return result;
}

/** A client may write managed fields itself, or reset them; what it does not understand it cannot lose. */
function startingPoint(request: UpdateRequest): Managers {
  const stored = parseManagers(listOf(request.live)) ?? new Map<string, Managed>();
  if ((request.subresource ?? '') !== '') return stored;
  const sent = listOf(request.updated);
  if (isReset(sent)) return new Map();
  const given = parseManagers(sent);
  return given === undefined || given.size === 0 ? stored : given;
}

function listOf(object: JsonObject | undefined): Json | undefined {
  return own(objectAt(object, 'metadata'), 'managedFields');
}

function isReset(sent: Json | undefined): boolean {
  if (!isArray(sent)) return false;
  const [first] = sent;
  return sent.length === 0 || (sent.length === 1 && isObject(first) && Object.keys(first).length === 0);
}
