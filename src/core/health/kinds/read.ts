import { at, isArray, isObject, type JsonArray, type JsonObject, stringAt } from '../../json/index.ts';
import type { Health } from '../types.ts';

/** How an object of one kind is doing; `undefined` where its kind says nothing about that. */
export type Assess = (object: JsonObject) => Health | undefined;

/** A number under a path, 0 where there is none, as Go's zero value. */
export function count(object: JsonObject, ...path: readonly string[]): number {
  const found = at(object, ...path);
  return typeof found === 'number' ? found : 0;
}

/** A list under a path, empty where there is none. */
export function items(object: JsonObject, ...path: readonly string[]): JsonArray {
  const found = at(object, ...path);
  return isArray(found) ? found : [];
}

/** The condition of a type, if the object has it. */
export function conditionOf(object: JsonObject, type: string): JsonObject | undefined {
  const found = items(object, 'status', 'conditions').find((condition) => stringAt(condition, 'type') === type);
  return isObject(found) ? found : undefined;
}

/** The controller has not yet looked at the newest spec. */
export function unobserved(object: JsonObject): boolean {
  return count(object, 'metadata', 'generation') > count(object, 'status', 'observedGeneration');
}

export const healthy = (message?: string): Health => ({ status: 'Healthy', message });
export const progressing = (message?: string): Health => ({ status: 'Progressing', message });
export const degraded = (message?: string): Health => ({ status: 'Degraded', message });
export const suspended = (message?: string): Health => ({ status: 'Suspended', message });
export const unknown = (message?: string): Health => ({ status: 'Unknown', message });
