import { isArray, isObject, type Json, type JsonObject, own, stringAt } from '../../core/json/index.ts';

/** Something that a kustomization names. */
export interface Reference {
  readonly path: string;
  /** `base`: may be a directory with a kustomization of its own; `config`: a file with generators or transformers. */
  readonly kind: 'base' | 'config' | 'file';
  readonly field: string;
}

/** What a kustomization refers to, and the charts it wants inflated. */
export interface References {
  readonly references: readonly Reference[];
  /** Where each chart lies if the repository brings it along; otherwise the tool would fetch it. */
  readonly charts: readonly string[];
}

/** Everything a kustomization makes the tool open. Texts that are manifests themselves are looked into, not opened. */
export function referencesOf(kustomization: JsonObject): References {
  const references: Reference[] = [];
  const add = (kind: Reference['kind'], field: string, path: string | undefined): void => {
    if (path !== undefined && path !== '') references.push({ kind, field, path });
  };
  for (const field of ['resources', 'bases', 'components'])
    for (const path of texts(own(kustomization, field))) add('base', field, path);
  for (const field of ['generators', 'transformers', 'validators'])
    for (const path of texts(own(kustomization, field))) if (!isInline(path)) add('config', field, path);
  for (const path of texts(own(kustomization, 'patchesStrategicMerge')))
    if (!isInline(path)) add('file', 'patchesStrategicMerge', path);
  for (const field of ['crds', 'configurations'])
    for (const path of texts(own(kustomization, field))) add('file', field, path);
  for (const field of ['patches', 'patchesJson6902', 'replacements'])
    for (const item of objects(own(kustomization, field))) add('file', field, stringAt(item, 'path'));
  for (const field of ['configMapGenerator', 'secretGenerator'])
    for (const item of objects(own(kustomization, field)))
      for (const path of generatorFiles(item)) add('file', field, path);
  const openapi = own(kustomization, 'openapi');
  if (isObject(openapi)) add('file', 'openapi', stringAt(openapi, 'path'));
  const charts = addCharts(kustomization, add);
  return { references, charts };
}

function addCharts(
  kustomization: JsonObject,
  add: (kind: Reference['kind'], field: string, path: string | undefined) => void,
): string[] {
  const charts = objects(own(kustomization, 'helmCharts'));
  for (const item of charts) {
    add('file', 'helmCharts', stringAt(item, 'valuesFile'));
    for (const path of texts(own(item, 'additionalValuesFiles'))) add('file', 'helmCharts', path);
  }
  const legacy = objects(own(kustomization, 'helmChartInflationGenerator'));
  for (const item of legacy) {
    add('file', 'helmChartInflationGenerator', stringAt(item, 'values'));
    add('file', 'helmChartInflationGenerator', stringAt(item, 'chartHome'));
    if ((stringAt(item, 'helmHome') ?? '') !== '') add('file', 'helmChartInflationGenerator', '/helmHome');
  }
  const globals = own(kustomization, 'helmGlobals');
  if (isObject(globals)) {
    add('file', 'helmGlobals', stringAt(globals, 'chartHome'));
    // Helm would run plugins that it finds there.
    if ((stringAt(globals, 'configHome') ?? '') !== '') add('file', 'helmGlobals', '/configHome');
  }
  const home = isObject(globals) ? (stringAt(globals, 'chartHome') ?? 'charts') : 'charts';
  return [
    ...charts.map((item) => `${home}/${stringAt(item, 'name') ?? ''}`),
    ...legacy.map((item) => `${stringAt(item, 'chartHome') ?? 'charts'}/${stringAt(item, 'chartName') ?? ''}`),
  ];
}

/** `key=path` or a path. */
function generatorFiles(item: JsonObject): string[] {
  const files = texts(own(item, 'files')).map((entry) => entry.slice(entry.indexOf('=') + 1));
  return [...files, ...texts(own(item, 'envs')), ...[stringAt(item, 'env') ?? '']];
}

/** Kustomize takes a text of several lines for the thing itself. */
function isInline(text: string): boolean {
  return text.includes('\n') || text.trimStart().startsWith('{');
}

/** Texts among a list's items, or nothing. */
export function texts(value: Json | undefined): string[] {
  return isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

function objects(value: Json | undefined): JsonObject[] {
  return isArray(value) ? value.filter(isObject) : [];
}

const remoteForms = [
  /^[a-z][a-z0-9+.-]*::/i,
  /^[a-z][a-z0-9+.-]*:\/\//i,
  /^[^/]+@[^/]+:/,
  /^(?:[a-z0-9-]+\.)+[a-z]{2,}[/:]/i,
  /^(?:gh|git|github):/i,
  /[?&](?:ref|version|submodules|timeout)=/,
  /\.git(?:\/|$|\?)/,
];

/** Whether kustomize would take a name for an address, once it finds no such file. */
export function looksRemote(path: string): boolean {
  return remoteForms.some((form) => form.test(path));
}
