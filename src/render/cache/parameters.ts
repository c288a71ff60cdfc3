import { hash } from 'node:crypto';
import type { ApplicationSource } from '../../core/api/index.ts';
import { canonical, type Json } from '../../core/json/index.ts';
import type { RenderSettings } from '../settings.ts';
import type { RenderRequest } from '../types.ts';

/** Makes the part of a key that does not depend on any file: scope, source, Application, settings. */
export type ParameterKey = (request: RenderRequest, settings: RenderSettings) => string;

interface Last {
  readonly request: RenderRequest;
  readonly settings: RenderSettings;
  readonly key: string;
}

/** Sources, contexts and settings are the same again and again: what was asked last for a source is remembered. */
export function createParameterKey(): ParameterKey {
  const last = new WeakMap<ApplicationSource, Last>();
  const settingsKeys = new WeakMap<RenderSettings, string>();
  return (request, settings) => {
    const { scope, source, context, refs } = request;
    const before = last.get(source);
    if (before !== undefined && before.settings === settings && isSame(before.request, request)) return before.key;
    const { appName, namespace, project } = context;
    const sourceKey = canonical(source as unknown as Json); // the JSON it was read from
    const settingsKey = remembered(settingsKeys, settings, () => describe(settings));
    const parts = [scope, appName, namespace, project, [...refs.keys()], settingsKey, sourceKey];
    const key = hash('sha256', JSON.stringify(parts));
    last.set(source, { request, settings, key });
    return key;
  };
}

function isSame(a: RenderRequest, b: RenderRequest): boolean {
  const [one, other] = [a.context, b.context];
  if (a.refs !== b.refs && (a.refs.size > 0 || b.refs.size > 0)) return false;
  return (
    a.scope === b.scope &&
    one.appName === other.appName &&
    one.namespace === other.namespace &&
    one.project === other.project
  );
}

function remembered<K extends object>(known: WeakMap<K, string>, key: K, make: () => string): string {
  const before = known.get(key);
  if (before !== undefined) return before;
  const made = make();
  known.set(key, made);
  return made;
}

function describe({ kustomize, helm, jsonnet, plugins, remoteReferences, maxDirectoryBytes }: RenderSettings): string {
  const paths = [...kustomize.paths].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([{ ...kustomize, paths }, helm, jsonnet, plugins, remoteReferences, maxDirectoryBytes]);
}
