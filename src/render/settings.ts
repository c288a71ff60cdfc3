import { load } from 'js-yaml';
import type { Settings } from '../core/api/index.ts';
import { isArray, isObject, type Json, type JsonObject, own, stringAt } from '../core/json/index.ts';
import { defaultRenderLimits } from './limits.ts';

/** A config management plugin: programs of the installation that turn a directory into manifests. */
export interface Plugin {
  readonly name: string;
  readonly init?: readonly string[] | undefined;
  readonly generate: readonly string[];
  readonly discover?: Discovery | undefined;
}

/** How a plugin knows its directories: a file by its name, a glob, or a command that prints something. */
export type Discovery =
  | { readonly fileName: string }
  | { readonly glob: string }
  | { readonly command: readonly string[] };

/** What the installation's settings say about rendering. */
export interface RenderSettings {
  readonly kustomize: {
    readonly enabled: boolean;
    readonly buildOptions: string;
    /** Programs by the version an Application may ask for. */
    readonly paths: ReadonlyMap<string, string>;
  };
  readonly helm: { readonly enabled: boolean; readonly valuesFileSchemes: readonly string[] };
  readonly jsonnet: { readonly enabled: boolean };
  readonly plugins: readonly Plugin[];
  /** Whether tools may reach the network: remote bases, value files by URL, charts of kustomizations. */
  readonly remoteReferences: boolean;
  readonly maxDirectoryBytes: number;
}

export const defaultRenderSettings: RenderSettings = {
  kustomize: { enabled: true, buildOptions: '', paths: new Map() },
  helm: { enabled: true, valuesFileSchemes: ['https', 'http'] },
  jsonnet: { enabled: true },
  plugins: [],
  remoteReferences: false,
  maxDirectoryBytes: defaultRenderLimits.directoryBytes,
};

/** Reads them out of `argocd-cm`; a plugin that is not written properly is left out. */
export function renderSettings({ tools, data }: Pick<Settings, 'tools' | 'data'>): RenderSettings {
  const paths = [...tools.kustomizeVersions].flatMap(([version, { path }]) =>
    path === undefined ? [] : [[version, path] as const],
  );
  return {
    kustomize: {
      enabled: tools.kustomizeEnabled,
      buildOptions: tools.kustomizeBuildOptions,
      paths: new Map(paths),
    },
    helm: { enabled: tools.helmEnabled, valuesFileSchemes: tools.helmValuesFileSchemes },
    jsonnet: { enabled: tools.jsonnetEnabled },
    plugins: readPlugins(data.get('configManagementPlugins') ?? ''),
    remoteReferences: data.get('source.remoteReferences') === 'true',
    maxDirectoryBytes: defaultRenderLimits.directoryBytes,
  };
}

function readPlugins(text: string): Plugin[] {
  let value: unknown;
  try {
    value = text === '' ? [] : load(text);
  } catch {
    return [];
  }
  // What YAML gives is JSON here; anything else is not an object or list and falls through.
  const list = value as Json;
  return isArray(list) ? list.flatMap(readPlugin) : [];
}

function readPlugin(value: Json): Plugin[] {
  if (!isObject(value)) return [];
  const name = stringAt(value, 'name') ?? '';
  const generate = commandOf(value, 'generate');
  if (name === '' || generate === undefined) return [];
  return [{ name, generate, init: commandOf(value, 'init'), discover: discoveryOf(own(value, 'discover')) }];
}

function commandOf(value: JsonObject, key: string): readonly string[] | undefined {
  const part = own(value, key);
  if (!isObject(part)) return undefined;
  const words = [...listOf(own(part, 'command')), ...listOf(own(part, 'args'))];
  return words.length > 0 ? words : undefined;
}

function discoveryOf(value: Json | undefined): Discovery | undefined {
  if (!isObject(value)) return undefined;
  const fileName = stringAt(value, 'fileName');
  if (fileName !== undefined && fileName !== '') return { fileName };
  const find = own(value, 'find');
  if (!isObject(find)) return undefined;
  const glob = stringAt(find, 'glob');
  if (glob !== undefined && glob !== '') return { glob };
  const command = commandOf(value, 'find');
  return command === undefined ? undefined : { command };
}

function listOf(value: Json | undefined): string[] {
  return isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
