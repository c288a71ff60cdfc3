import { at, type Json, type JsonObject, stringAt } from '../../core/json/index.ts';
import { age, containers } from './text.ts';

/** A column as `Name`, `Name:type` or `Name:type:priority`; the first is always the object's name. */
export interface Printer {
  readonly columns: readonly string[];
  cells(object: JsonObject, now: Date): Json[];
}

export const nameOf = (object: JsonObject): string => stringAt(object, 'metadata', 'name') ?? '';
export const ageOf = (object: JsonObject, now: Date): string =>
  age(stringAt(object, 'metadata', 'creationTimestamp'), now);
export const template = (object: JsonObject): [string, string] => containers(at(object, 'spec', 'template', 'spec'));
