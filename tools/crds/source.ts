import { flag, integerOrText, list, map, object, open, type Schema, text } from './schema.ts';

const named = object({ name: text, value: text }, ['name', 'value']);
const jsonnetVar = object({ name: text, value: text, code: flag }, ['name', 'value']);

const helm = object({
  valueFiles: list(text),
  parameters: list(object({ name: text, value: text, forceString: flag })),
  fileParameters: list(object({ name: text, path: text })),
  releaseName: text,
  values: text,
  valuesObject: open,
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

const patchTarget = object({
  group: text,
  version: text,
  kind: text,
  name: text,
  namespace: text,
  labelSelector: text,
  annotationSelector: text,
});

const kustomize = object({
  namePrefix: text,
  nameSuffix: text,
  images: list(text),
  replicas: list(object({ name: text, count: integerOrText }, ['name', 'count'])),
  commonLabels: map(text),
  forceCommonLabels: flag,
  labelWithoutSelector: flag,
  labelIncludeTemplates: flag,
  commonAnnotations: map(text),
  forceCommonAnnotations: flag,
  commonAnnotationsEnvsubst: flag,
  namespace: text,
  patches: list(object({ path: text, patch: text, target: patchTarget, options: map(flag) })),
  components: list(text),
  ignoreMissingComponents: flag,
  version: text,
  kubeVersion: text,
  apiVersions: list(text),
});

const directory = object({
  recurse: flag,
  include: text,
  exclude: text,
  jsonnet: object({ extVars: list(jsonnetVar), tlas: list(jsonnetVar), libs: list(text) }),
});

const plugin = object({
  name: text,
  env: list(named),
  parameters: list(object({ name: text, string: text, array: list(text), map: map(text) })),
});

const tools = { helm, kustomize, directory, plugin };

/** One source of an Application. */
export const source: Schema = object(
  { repoURL: text, path: text, targetRevision: text, tagPrefix: text, chart: text, ref: text, name: text, ...tools },
  ['repoURL'],
);

export const sourceHydrator: Schema = object(
  {
    drySource: object({ repoURL: text, targetRevision: text, path: text, ...tools }, [
      'path',
      'repoURL',
      'targetRevision',
    ]),
    syncSource: object({ targetBranch: text, path: text, repoURL: text }, ['path', 'targetBranch']),
    hydrateTo: object({ targetBranch: text }, ['targetBranch']),
  },
  ['drySource', 'syncSource'],
);

export const info: Schema = list(named);
