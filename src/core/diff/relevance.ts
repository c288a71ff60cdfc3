import type { Settings } from '../api/index.ts';
import type { JsonObject } from '../json/index.ts';
import { asJson, type KubeObject, objectKey } from '../objects/index.ts';
import { ignoreTable } from './ignore.ts';
import { withoutIgnored } from './ignored-paths.ts';
import { statusWord } from './judge.ts';

/** What the settings say about which changes of live objects are worth looking at. */
export type RelevanceSettings = Pick<Settings, 'resourceOverrides' | 'compareOptions' | 'ignoreResourceUpdatesEnabled'>;

/**
 * Makes what tells the part of a live object whose change is worth looking at: without versions, managed fields, a status
 * that is not compared either, and what `ignoreResourceUpdates` (and, unless switched off, `ignoreDifferences`) names.
 */
export function relevanceOf(settings: RelevanceSettings): (object: KubeObject) => JsonObject {
  // Switched off, whatever happens to an object counts.
  if (!settings.ignoreResourceUpdatesEnabled) return asJson;
  const { resourceOverrides, compareOptions } = settings;
  const both = ['ignoreDifferences', 'ignoreResourceUpdates'] as const;
  const which = compareOptions.ignoreDifferencesOnResourceUpdates ? both : [both[1]];
  const table = ignoreTable([], resourceOverrides, which);
  const compared = statusWord(compareOptions.ignoreResourceStatusField);
  return (object) => {
    const { managedFields: _fields, resourceVersion: _version, generation: _generation, ...metadata } = object.metadata;
    const keepsStatus = compared === 'none' || (compared === 'crd' && object.kind !== 'CustomResourceDefinition');
    const { status: _status, ...rest } = object;
    const plain = asJson({ ...(keepsStatus ? object : rest), metadata } as KubeObject); // kind and version are as they were
    const ignored = table.of(objectKey(object));
    return ignored === undefined ? plain : withoutIgnored({ wanted: {}, there: plain }, asJson(object), ignored).there;
  };
}
