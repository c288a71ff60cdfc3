import type { KubeObject } from '../../core/objects/index.ts';
import type { StoreEvent } from '../ports.ts';
import { fromStored } from '../registry/convert.ts';
import type { Served } from '../registry/served.ts';

// Keyed by the object itself: stored objects never change, and their texts go when they go.
const texts = new WeakMap<object, string>();
const eventTexts = new WeakMap<StoreEvent, Map<string, string>>();

/** The JSON text of an object; made once per object. */
export function textOf(object: KubeObject): string {
  let text = texts.get(object);
  if (text === undefined) {
    text = JSON.stringify(object);
    texts.set(object, text);
  }
  return text;
}

/** The text of an object inside a list: built-in kinds leave out kind and version there. */
export function itemText(object: KubeObject, served: Served): string {
  const text = textOf(object);
  if (served.custom !== undefined) return text;
  const head = `{"kind":${JSON.stringify(object.kind)},"apiVersion":${JSON.stringify(object.apiVersion)},`;
  return text.startsWith(head) ? `{${text.slice(head.length)}` : text;
}

/** One line of a watch for an event as it was stored; made once per event and version. */
export function eventText(event: StoreEvent, served: Served): string {
  let byVersion = eventTexts.get(event);
  if (byVersion === undefined) {
    byVersion = new Map();
    eventTexts.set(event, byVersion);
  }
  let line = byVersion.get(served.apiVersion);
  if (line === undefined) {
    line = watchLine(event.type, textOf(fromStored(event.object, served)));
    byVersion.set(served.apiVersion, line);
  }
  return line;
}

export function watchLine(type: string, objectText: string): string {
  return `{"type":"${type}","object":${objectText}}\n`;
}
