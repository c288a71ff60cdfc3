import { hash } from 'node:crypto';
import type { ApplicationSource } from '../../core/api/index.ts';
import { canonical, type Json } from '../../core/json/index.ts';
import type { RenderSettings } from '../settings.ts';
import type { RenderRequest } from '../types.ts';

/** Makes the part of a key that does not depend on any file: scope, source, Application, settings. */
export type ParameterKey = (request: RenderRequest, settings: RenderSettings) => string;

/** Sources and settings are the same objects again and again: each is written out once. */
export function createParameterKey(): ParameterKey {
  const sources = new WeakMap<ApplicationSource, string>();
  const settingsKeys = new WeakMap<RenderSettings, string>();
  return ({ scope, source, context, refs }, settings) => {
    const { appName, namespace, project } = context;
    const sourceKey = remembered(sources, source, () => canonical(source as unknown as Json)); // the JSON it was read from
    const settingsKey = remembered(settingsKeys, settings, () => describe(settings));
    const names = refs.size === 0 ? '' : [...refs.keys()].join('\n');
    return hash('sha256', `${scope}\0${appName}\0${namespace}\0${project}\0${names}\0${settingsKey}\0${sourceKey}`);
  };
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
