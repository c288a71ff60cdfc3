import type { Application, Condition } from '../../core/api/index.ts';
import { isArgosyError } from '../../core/errors/index.ts';
import { at, isArray, type Json, stringAt } from '../../core/json/index.ts';
import { asJson, type KubeObject } from '../../core/objects/index.ts';

/** Passes that fail in a row by a fault of ours before it is told: a single one may be gone with the next. */
export const toldAfter = 2;

/** For a person who can do nothing about it. No word of the error itself, which may hold anything. */
export const ownFaultText =
  'Argosy fails on this Application by a fault of its own, not of the Application: what is deployed stays as it is, ' +
  'nothing new is synced, and it is tried again ever more rarely. ' +
  'The log of the controller has the reason under "a pass failed by a fault of Argosy"; please report it';

/** Whether a pass failed by a fault of ours: whatever is no answer of somebody else and no mistake of a person. */
export function isOwnFault(error: unknown): boolean {
  return !isArgosyError(error) || error.fault === 'bug';
}

/** The least of an Application that a condition can be written with, read without the code that may be at fault. */
export function bareApplication(object: KubeObject): Application {
  const { name = '', namespace = '' } = object.metadata;
  const status = { conditions: conditionsOf(asJson(object)) };
  const raw = object as unknown as Application['raw']; // objects come from a watch as parsed JSON
  const spec = {} as Application['spec']; // nothing of it is read
  return { metadata: { ...object.metadata, name, namespace }, spec, status, raw };
}

function conditionsOf(object: Json): Condition[] {
  const found = at(object, 'status', 'conditions');
  return (isArray(found) ? found : []).flatMap((each) => {
    const [type, message] = [stringAt(each, 'type'), stringAt(each, 'message')];
    const lastTransitionTime = stringAt(each, 'lastTransitionTime');
    if (type === undefined || message === undefined) return [];
    return [{ type, message, ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }) }];
  });
}

/** The lines of ours that an error came through; never its message, which may hold anything. */
export function whereOf(error: unknown): string {
  const lines = error instanceof Error ? (error.stack ?? '').split('\n') : [];
  return lines
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 8)
    .map((line) => line.trim())
    .join(' < ');
}
