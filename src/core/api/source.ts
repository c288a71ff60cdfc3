import type { Json, JsonObject } from '../json/index.ts';
import { anyObject, type Decode, flag, integerOrText, list, map, Notes, shape, text } from './decode.ts';
import type { Parsed } from './parsed.ts';

/** Where manifests come from, as a user writes it. */
export interface ApplicationSource {
  /** Empty where it was left out. */
  readonly repoURL: string;
  readonly path?: string;
  readonly targetRevision?: string;
  readonly tagPrefix?: string;
  readonly chart?: string;
  readonly ref?: string;
  readonly name?: string;
  readonly helm?: HelmSource;
  readonly kustomize?: KustomizeSource;
  readonly directory?: DirectorySource;
  readonly plugin?: PluginSource;
}

export interface HelmParameter {
  readonly name?: string;
  readonly value?: string;
  readonly forceString?: boolean;
}

export interface HelmSource {
  readonly valueFiles?: readonly string[];
  readonly parameters?: readonly HelmParameter[];
  readonly fileParameters?: readonly { readonly name?: string; readonly path?: string }[];
  readonly releaseName?: string;
  readonly values?: string;
  /** Wins over `values`. */
  readonly valuesObject?: JsonObject;
  readonly version?: string;
  readonly passCredentials?: boolean;
  readonly ignoreMissingValueFiles?: boolean;
  readonly skipCrds?: boolean;
  readonly skipTests?: boolean;
  readonly skipSchemaValidation?: boolean;
  readonly namespace?: string;
  readonly kubeVersion?: string;
  readonly apiVersions?: readonly string[];
}

export interface KustomizePatch {
  readonly path?: string;
  readonly patch?: string;
  /** Group, version, kind, name, namespace and selectors, all texts. */
  readonly target?: { readonly [selector: string]: string };
  readonly options?: { readonly [name: string]: boolean };
}

export interface KustomizeSource {
  readonly namePrefix?: string;
  readonly nameSuffix?: string;
  readonly images?: readonly string[];
  readonly replicas?: readonly { readonly name: string; readonly count: number | string }[];
  readonly commonLabels?: { readonly [key: string]: string };
  readonly forceCommonLabels?: boolean;
  readonly labelWithoutSelector?: boolean;
  readonly labelIncludeTemplates?: boolean;
  readonly commonAnnotations?: { readonly [key: string]: string };
  readonly forceCommonAnnotations?: boolean;
  readonly commonAnnotationsEnvsubst?: boolean;
  readonly namespace?: string;
  readonly patches?: readonly KustomizePatch[];
  readonly components?: readonly string[];
  readonly ignoreMissingComponents?: boolean;
  readonly version?: string;
  readonly kubeVersion?: string;
  readonly apiVersions?: readonly string[];
}

export interface JsonnetVar {
  readonly name: string;
  readonly value: string;
  readonly code?: boolean;
}

export interface DirectorySource {
  readonly recurse?: boolean;
  readonly include?: string;
  readonly exclude?: string;
  readonly jsonnet?: {
    readonly extVars?: readonly JsonnetVar[];
    readonly tlas?: readonly JsonnetVar[];
    readonly libs?: readonly string[];
  };
}

export interface PluginParameter {
  readonly name?: string;
  readonly string?: string;
  /** An empty list and an absent one mean different things to plugins. */
  readonly array?: readonly string[];
  readonly map?: { readonly [key: string]: string };
}

export interface PluginSource {
  readonly name?: string;
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly parameters?: readonly PluginParameter[];
}

const helm = shape<HelmSource>({
  valueFiles: list(text),
  parameters: list(shape<HelmParameter>({ name: text, value: text, forceString: flag })),
  fileParameters: list(shape<{ name?: string; path?: string }>({ name: text, path: text })),
  releaseName: text,
  values: text,
  valuesObject: anyObject,
  version: text,
  passCredentials: flag,
  ignoreMissingValueFiles: flag,
  skipCrds: flag,
  skipTests: flag,
  skipSchemaValidation: flag,
  namespace: text,
  kubeVersion: text,
  apiVersions: list(text),
});

const kustomize = shape<KustomizeSource>({
  namePrefix: text,
  nameSuffix: text,
  images: list(text),
  replicas: list(
    shape<{ name: string; count: number | string }>({ name: text, count: integerOrText }, { name: '', count: 0 }),
  ),
  commonLabels: map(text),
  forceCommonLabels: flag,
  labelWithoutSelector: flag,
  labelIncludeTemplates: flag,
  commonAnnotations: map(text),
  forceCommonAnnotations: flag,
  commonAnnotationsEnvsubst: flag,
  namespace: text,
  patches: list(shape<KustomizePatch>({ path: text, patch: text, target: map(text), options: map(flag) })),
  components: list(text),
  ignoreMissingComponents: flag,
  version: text,
  kubeVersion: text,
  apiVersions: list(text),
});

const jsonnetVar = shape<JsonnetVar>({ name: text, value: text, code: flag }, { name: '', value: '' });

const directory = shape<DirectorySource>({
  recurse: flag,
  include: text,
  exclude: text,
  jsonnet: shape<Exclude<DirectorySource['jsonnet'], undefined>>({
    extVars: list(jsonnetVar),
    tlas: list(jsonnetVar),
    libs: list(text),
  }),
});

const plugin = shape<PluginSource>({
  name: text,
  env: list(shape<{ name: string; value: string }>({ name: text, value: text }, { name: '', value: '' })),
  parameters: list(shape<PluginParameter>({ name: text, string: text, array: list(text), map: map(text) })),
});

/** Reads one source. */
export const applicationSource: Decode<ApplicationSource> = shape<ApplicationSource>(
  {
    repoURL: text,
    path: text,
    targetRevision: text,
    tagPrefix: text,
    chart: text,
    ref: text,
    name: text,
    helm,
    kustomize,
    directory,
    plugin,
  },
  { repoURL: '' },
);

/** Reads a source that stands by itself. */
export function parseSource(json: Json): Parsed<ApplicationSource> {
  const notes = new Notes();
  const value = applicationSource(json, '', notes);
  if (value === undefined || notes.problems.length > 0) return { ok: false, problems: notes.problems };
  return { ok: true, value };
}

/** The hydrator's settings: where dry manifests come from and where rendered ones are synced from. */
export interface SourceHydrator {
  readonly drySource?: ApplicationSource;
  readonly syncSource?: { readonly targetBranch?: string; readonly path?: string; readonly repoURL?: string };
  readonly hydrateTo?: { readonly targetBranch?: string };
}

export const sourceHydrator = shape<SourceHydrator>({
  drySource: applicationSource,
  syncSource: shape<Exclude<SourceHydrator['syncSource'], undefined>>({
    targetBranch: text,
    path: text,
    repoURL: text,
  }),
  hydrateTo: shape<{ targetBranch?: string }>({ targetBranch: text }),
});
