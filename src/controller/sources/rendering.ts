import { type Application, isMultiSource } from '../../core/api/index.ts';
import type { Rendering, SourceTree } from '../../render/index.ts';
import type { Manifests } from '../application/world.ts';
import type { Served } from '../clusters/index.ts';
import type { Followed } from './followed.ts';
import type { SourceInput } from './inputs.ts';

/** Renders one source; the trees of all sources are there for `$ref`. */
export type RenderSource = (
  app: Application,
  input: SourceInput,
  trees: {
    readonly own: SourceTree;
    readonly refs: ReadonlyMap<string, SourceTree>;
    /** Nothing that was rendered before may be used. */
    readonly fresh: boolean;
    /** What the destination can do, for charts that ask. */
    readonly served: Served;
  },
) => Promise<Rendering>;

/** What came of an Application's sources, and which paths of each decided it; undefined stands for all. */
export interface Made {
  readonly manifests: Manifests;
  readonly reads: readonly (readonly string[] | undefined)[];
  /** What was rendered: a repository may have moved on meanwhile. */
  readonly commits: readonly string[];
  /** The cluster's version and kinds decided it, too. */
  readonly askedCluster: boolean;
}

/** What rendering needs of its house. */
export interface RenderHouse {
  open(app: Application, input: SourceInput): Followed;
  readonly render: RenderSource;
  served(app: Application): Served;
}

/** Renders all sources of an Application, one after the other. */
export async function renderAll(
  { open, render, served }: RenderHouse,
  app: Application,
  inputs: readonly SourceInput[],
  fresh: boolean,
): Promise<Made> {
  const trees = await Promise.all(
    inputs.map(async (input) => {
      const repository = open(app, input);
      const { commit } = await repository.resolve(input.revision, input.source.tagPrefix);
      return repository.tree(commit);
    }),
  );
  const refs = new Map(
    inputs.flatMap(({ source }, i) =>
      source.ref === undefined || trees[i] === undefined ? [] : [[source.ref, trees[i]] as const],
    ),
  );
  const renderings: Rendering[] = [];
  for (const [i, input] of inputs.entries()) {
    const own = trees[i];
    if (own !== undefined) renderings.push(await render(app, input, { own, refs, fresh, served: served(app) }));
  }
  return {
    manifests: gathered(
      app,
      trees.map(({ revision }) => revision),
      renderings,
    ),
    reads: renderings.map(({ reads }, i) => withReferences(reads, inputs[i]?.source.ref, renderings)),
    commits: trees.map(({ revision }) => revision),
    askedCluster: renderings.some(({ askedCluster }) => askedCluster === true),
  };
}

function gathered(app: Application, revisions: readonly string[], renderings: readonly Rendering[]): Manifests {
  return {
    revision: isMultiSource(app) ? '' : (revisions[0] ?? ''),
    ...(isMultiSource(app) ? { revisions } : {}),
    sourceType: renderings[0]?.sourceType ?? '',
    rendered: renderings.flatMap(({ objects }, source) => objects.map((item) => ({ ...item, source }))),
    warnings: renderings.flatMap(({ warnings }) => warnings),
  };
}

/** What is read of a source: for itself, and by others through its `ref`. */
function withReferences(
  reads: readonly string[] | undefined,
  ref: string | undefined,
  renderings: readonly Rendering[],
): readonly string[] | undefined {
  if (ref === undefined || reads === undefined) return reads;
  return [...reads, ...renderings.flatMap(({ refReads }) => refReads?.get(ref) ?? [])];
}

/**
 * A text that stays the same as long as rendering would bring the same: sources, and the content at all paths that count;
 * at these commits, or else at those the sources lead to now.
 */
export async function fingerprint(
  { open }: Pick<RenderHouse, 'open'>,
  app: Application,
  inputs: readonly SourceInput[],
  { reads, commits }: Pick<Made, 'reads'> & { readonly commits: readonly string[] | undefined },
): Promise<string> {
  const parts: string[] = [];
  for (const [i, input] of inputs.entries()) {
    const repository = open(app, input);
    const commit = commits?.[i] ?? (await repository.resolve(input.revision, input.source.tagPrefix)).commit;
    const paths = reads[i];
    const ids =
      paths === undefined ? [commit] : (await repository.treeIds(commit, paths)).map((item) => item?.id ?? '-');
    parts.push(JSON.stringify([input.source, input.scope, ids]));
  }
  return parts.join('\n');
}

const numbers = new WeakMap<readonly string[], number>();
let lists = 0;

/** A short text for what a cluster can do: lists are numbered, since one that says the same is the same value. */
export function servedKey({ kubeVersion, apiVersions }: Extract<Served, { known: true }>): string {
  const number = numbers.get(apiVersions) ?? ++lists;
  numbers.set(apiVersions, number);
  return `${kubeVersion} ${number}`;
}
