import type { MutableJsonObject } from '../../core/json/index.ts';
import { thaw } from '../../core/json/index.ts';
import { asJson, type KubeObject } from '../../core/objects/index.ts';

/** Names of an Event's fields in the core group and in `events.k8s.io`. */
const pairs = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['reportingComponent', 'reportingController'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
] as const;

/** The Event of `events.k8s.io` that a core Event is. */
export function eventFromCore(object: KubeObject): KubeObject {
  return renamed(object, 'events.k8s.io/v1', (pair) => pair);
}

/** The core Event that one of `events.k8s.io` is. */
export function eventToCore(object: KubeObject): KubeObject {
  return renamed(object, 'v1', ([core, other]) => [other, core]);
}

function renamed(
  object: KubeObject,
  apiVersion: string,
  direction: (pair: readonly [string, string]) => readonly [string, string],
): KubeObject {
  const copy: MutableJsonObject = { ...thaw(asJson(object)), apiVersion };
  for (const pair of pairs) {
    const [from, to] = direction(pair);
    const value = copy[from];
    if (value === undefined) continue;
    delete copy[from];
    copy[to] = value;
  }
  return copy as unknown as KubeObject; // the head is untouched
}
