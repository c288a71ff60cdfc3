import { isArray, isObject, type Json, type JsonObject } from '../../core/json/index.ts';

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
  /** Generators and transformers that stand in the kustomization itself, as texts. */
  readonly inline: readonly string[];
  /** Where each chart lies if the repository brings it along; otherwise the tool would fetch it. */
  readonly charts: readonly string[];
  /** Why it is refused whatever else it says. */
  readonly refusal?: string | undefined;
}

/** Everything a kustomization makes the tool open. Generators that stand in it as texts are to be looked into. */
export function referencesOf(kustomization: JsonObject): References {
  const references: Reference[] = [];
  const inline: string[] = [];
  const add = (kind: Reference['kind'], field: string, path: string | undefined): void => {
    if (path !== undefined && path !== '') references.push({ kind, field, path });
  };
  for (const field of ['resources', 'bases', 'components'])
    for (const path of textsAt(kustomization, field)) add('base', field, path);
  for (const field of ['generators', 'transformers', 'validators'])
    for (const path of textsAt(kustomization, field))
      if (isInline(path)) inline.push(path);
      else add('config', field, path);
  for (const path of textsAt(kustomization, 'patchesStrategicMerge'))
    if (!isInline(path)) add('file', 'patchesStrategicMerge', path);
  for (const field of ['crds', 'configurations'])
    for (const path of textsAt(kustomization, field)) add('file', field, path);
  for (const field of ['patches', 'patchesJson6902', 'replacements'])
    for (const item of objectsAt(kustomization, field))
      for (const path of textAt(item, 'path')) add('file', field, path);
  for (const field of ['configMapGenerator', 'secretGenerator'])
    for (const item of objectsAt(kustomization, field))
      for (const path of generatorFiles(item)) add('file', field, path);
  for (const openapi of objectsAt(kustomization, 'openapi'))
    for (const path of textAt(openapi, 'path')) add('file', 'openapi', path);
  return { references, inline, ...chartsOf(kustomization, add) };
}

/** What a generator or transformer makes the tool open: one in a file has the fields its entry in a kustomization would have. */
export function configReferencesOf(config: JsonObject): Omit<References, 'inline'> {
  const { references, charts, refusal } = referencesOf({
    configMapGenerator: [config],
    patches: [config],
    replacements: valuesAt(config, 'replacements').flatMap((each) => (isArray(each) ? [...each] : [])),
    ...(valuesAt(config, 'kind').includes('HelmChartInflationGenerator')
      ? { helmCharts: [config], helmGlobals: config }
      : {}),
  });
  const paths = textsAt(config, 'paths').map((path) => ({ path, kind: 'file', field: 'paths' }) as const);
  return { references: [...references, ...paths], charts, refusal };
}

const plainFields = new Set(['apiversion', 'kind', 'metadata', 'resources', 'bases'].map(folded));

/** Whether a kustomization only lists things: one that also changes them could turn a generator into another one. */
export function onlyLists(kustomization: JsonObject): boolean {
  return Object.keys(kustomization).every((key) => plainFields.has(folded(key)));
}

type Add = (kind: Reference['kind'], field: string, path: string | undefined) => void;

function chartsOf(kustomization: JsonObject, add: Add): Pick<References, 'charts' | 'refusal'> {
  const charts = objectsAt(kustomization, 'helmCharts');
  const legacy = objectsAt(kustomization, 'helmChartInflationGenerator');
  const globals = objectsAt(kustomization, 'helmGlobals');
  for (const item of charts)
    for (const path of [...textAt(item, 'valuesFile'), ...textsAt(item, 'additionalValuesFiles')])
      add('file', 'helmCharts', path);
  for (const item of legacy)
    for (const path of [...textAt(item, 'values'), ...textAt(item, 'chartHome')])
      add('file', 'helmChartInflationGenerator', path);
  for (const item of globals) for (const path of textAt(item, 'chartHome')) add('file', 'helmGlobals', path);
  const homes = globals.flatMap((item) => textAt(item, 'chartHome'));
  return {
    charts: [
      ...charts.flatMap((item) => textAt(item, 'name').map((name) => `${homes.at(-1) ?? 'charts'}/${name}`)),
      ...legacy.flatMap((item) =>
        textAt(item, 'chartName').map((name) => `${textAt(item, 'chartHome').at(-1) ?? 'charts'}/${name}`),
      ),
    ],
    refusal: refusalOf([...charts, ...legacy, ...globals]),
  };
}

function refusalOf(items: readonly JsonObject[]): string | undefined {
  // Helm would run plugins that it finds there.
  if (items.some((item) => ['configHome', 'helmHome', 'helmBin'].some((field) => textAt(item, field).length > 0)))
    return 'where Helm keeps its settings and plugins is not for a repository to say';
  // Kustomize hands the name over as a word of its own, which Helm would take for a flag, such as one that runs a program.
  if (items.some((item) => textAt(item, 'releaseName').some((name) => name.trimStart().startsWith('-'))))
    return 'a release name may not begin with a dash';
  return undefined;
}

/** `key=path` or a path. */
function generatorFiles(item: JsonObject): string[] {
  const files = textsAt(item, 'files').map((entry) => entry.slice(entry.indexOf('=') + 1));
  return [...files, ...textsAt(item, 'envs'), ...textAt(item, 'env')];
}

/** Kustomize takes a text of several lines for the thing itself. */
function isInline(text: string): boolean {
  return text.includes('\n') || text.trimStart().startsWith('{');
}

/** Go finds a field whatever the case of its letters, and takes two foreign letters for `s` and `k`. */
function folded(key: string): string {
  return key.toUpperCase().toLowerCase();
}

/** All values that the tool could take for this field's. */
function valuesAt(object: JsonObject, field: string): Json[] {
  const wanted = folded(field);
  return Object.entries(object).flatMap(([key, value]) => (folded(key) === wanted ? [value] : []));
}

/** The texts in a list, or nothing. */
function textsAt(object: JsonObject, field: string): string[] {
  return valuesAt(object, field).flatMap((value) =>
    isArray(value) ? value.filter((each) => typeof each === 'string') : [],
  );
}

/** The text, where it says anything. */
function textAt(object: JsonObject, field: string): string[] {
  return valuesAt(object, field).filter((value) => typeof value === 'string' && value !== '') as string[]; // just seen
}

/** The objects in a list, or the object itself. */
function objectsAt(object: JsonObject, field: string): JsonObject[] {
  return valuesAt(object, field).flatMap((value) =>
    isArray(value) ? value.filter(isObject) : isObject(value) ? [value] : [],
  );
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

const cloned =
  /^[a-z][a-z0-9+.-]*::|:\/\/|^[^/]*@|^(?:gh|git|github\.com)[:/]|[?&](?:ref|version|submodules|timeout)=|\.git(?:\/|$)|(?:^|\/)_git\//i;

/** Whether kustomize would clone rather than enter a directory of this name, though there is one. */
export function looksCloned(path: string): boolean {
  return cloned.test(path);
}
