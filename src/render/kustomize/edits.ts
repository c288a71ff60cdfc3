import type { KustomizeSource } from '../../core/api/index.ts';
import type { BuildEnvironment } from '../build-environment.ts';

/** The words behind `kustomize edit`, one list per run, in the order in which Argo CD makes them. */
export function editCommands(
  options: KustomizeSource,
  { substitute }: BuildEnvironment,
): readonly (readonly string[])[] {
  const edits: (readonly string[])[] = [];
  // `--` keeps what a tenant writes from being read as flags.
  if (given(options.namePrefix)) edits.push(['set', 'nameprefix', '--', options.namePrefix]);
  if (given(options.nameSuffix)) edits.push(['set', 'namesuffix', '--', options.nameSuffix]);
  const images = (options.images ?? []).map((image) => normalImage(substitute(image)));
  if (images.length > 0) edits.push(['set', 'image', '--', ...images]);
  const replicas = (options.replicas ?? []).map(({ name, count }) => `${name}=${count}`);
  if (replicas.length > 0) edits.push(['set', 'replicas', '--', ...replicas]);
  const labels = pairs(options.commonLabels, substitute);
  if (labels.length > 0) edits.push(['add', 'label', ...labelFlags(options), '--', ...labels]);
  const annotations = pairs(options.commonAnnotations, options.commonAnnotationsEnvsubst === true ? substitute : same);
  if (annotations.length > 0)
    edits.push([
      'add',
      'annotation',
      ...(options.forceCommonAnnotations === true ? ['--force'] : []),
      '--',
      ...annotations,
    ]);
  if (given(options.namespace)) edits.push(['set', 'namespace', '--', options.namespace]);
  return edits;
}

function labelFlags(options: KustomizeSource): string[] {
  return [
    ...(options.forceCommonLabels === true ? ['--force'] : []),
    ...(options.labelWithoutSelector === true ? ['--without-selector'] : []),
    ...(options.labelIncludeTemplates === true ? ['--include-templates'] : []),
  ];
}

function pairs(map: { readonly [key: string]: string } | undefined, change: (text: string) => string): string[] {
  return Object.entries(map ?? {})
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}:${change(value)}`);
}

function given(text: string | undefined): text is string {
  return text !== undefined && text !== '';
}

function same(text: string): string {
  return text;
}

/** A name alone keeps its tag; everything else is as kustomize wants it already. */
function normalImage(image: string): string {
  return image.trim();
}
