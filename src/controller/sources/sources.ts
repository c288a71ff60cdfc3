import { type Application, isMultiSource, projectOf, type Snapshot } from '../../core/api/index.ts';
import { ArgosyError } from '../../core/errors/index.ts';
import { type Git, selectCredential } from '../../git/index.ts';
import type { Charts, Rendering, SourceTree } from '../../render/index.ts';
import type { Manifests, SourceOverride } from '../application/world.ts';
import { type Followed, followChart, followGit } from './followed.ts';
import { mirrorKey, type SourceInput, sourceInputs } from './inputs.ts';

/** Renders one source; the trees of all sources are there for `$ref`. */
export type RenderSource = (
  app: Application,
  input: SourceInput,
  trees: { readonly own: SourceTree; readonly refs: ReadonlyMap<string, SourceTree> },
) => Promise<Rendering>;

export interface SourcesOptions {
  readonly git: Git;
  /** Charts of Helm repositories and registries, which are none of git's. */
  readonly charts?: Pick<Charts, 'version' | 'tree'> | undefined;
  readonly snapshot: () => Snapshot;
  readonly render: RenderSource;
  /** How often each repository is asked for news; spread a little, so that hundreds do not ask at once. */
  readonly pollMs: number;
  readonly random: () => number;
  /** What these Applications read is no longer what it was. */
  readonly onChange: (keys: readonly string[]) => void;
}

/** Where manifests come from: repositories shared by all Applications, each asked for news on one timer. */
export interface Sources {
  /** The manifests of the newest commit the repositories are known to have. */
  manifests(key: string, app: Application, wish: Wish): Promise<Manifests>;
  /** An Application came, changed or went: its repositories are followed as long as somebody reads them. */
  track(key: string, app: Application | undefined): void;
  /** Asks a repository for news now, as after a webhook. */
  poll(url: string): Promise<void>;
  stop(): Promise<void>;
}

/** What is wanted of an Application's sources. */
export interface Wish {
  /** Ask the repositories first. */
  readonly fresh: boolean;
  /** What an operation puts in the place of the Application's own sources and revisions. */
  readonly override: SourceOverride;
}

interface Mirror {
  readonly key: string;
  readonly url: string;
  readonly users: Set<string>;
  timer: NodeJS.Timeout | undefined;
  fetched: boolean;
}

/** What an Application read last: while its fingerprint stays, so do its manifests and the commit they are told of. */
interface Known {
  readonly fingerprint: string;
  readonly manifests: Manifests;
  readonly reads: readonly (readonly string[] | undefined)[];
}

/** Follows nothing yet. */
export function createSources(options: SourcesOptions): Sources {
  const mirrors = new Map<string, Mirror>();
  const tracked = new Map<string, Application>();
  const known = new Map<string, Known>();
  let stopped = false;

  const repositoryOf = (app: Application, input: SourceInput): Followed => {
    const { source, url, scope } = input;
    const credential = selectCredential({ project: projectOf(app), url }, options.snapshot().repositories);
    if (source.chart !== undefined) return followChart(options.charts, { source, scope, credential });
    const { login, repository } = credential;
    return followGit(options.git.repository({ url, scope, login, repository }));
  };

  const mirrorOf = (input: SourceInput): Mirror => {
    const key = mirrorKey(input);
    const mirror = mirrors.get(key) ?? {
      key,
      url: input.url,
      users: new Set<string>(),
      timer: undefined,
      fetched: false,
    };
    mirrors.set(key, mirror);
    return mirror;
  };

  const schedule = (mirror: Mirror): void => {
    if (stopped || mirror.timer !== undefined || mirror.users.size === 0) return;
    mirror.timer = setTimeout(
      () => {
        mirror.timer = undefined;
        // A repository that fails keeps its last good manifests; the passes of its Applications tell of it.
        void news(mirror)
          .catch(() => options.onChange([...mirror.users]))
          .finally(() => schedule(mirror));
      },
      options.pollMs * (0.9 + options.random() * 0.2),
    );
    mirror.timer.unref();
  };

  /** Fetches, and names the Applications whose part of the repository changed. */
  const news = async (mirror: Mirror): Promise<void> => {
    const first = [...mirror.users][0];
    const app = first === undefined ? undefined : tracked.get(first);
    const input =
      app === undefined
        ? undefined
        : sourceInputs(app, options.snapshot()).find((each) => mirrorKey(each) === mirror.key);
    if (app === undefined || input === undefined) return;
    const { changed } = await repositoryOf(app, input).fetch();
    const fresh = !mirror.fetched;
    mirror.fetched = true;
    if (changed || fresh) options.onChange(await touched([...mirror.users]));
  };

  const touched = async (keys: readonly string[]): Promise<string[]> => {
    const answers = await Promise.all(
      keys.map(async (key) => {
        const app = tracked.get(key);
        const last = known.get(key);
        if (app === undefined || last === undefined) return [key];
        const now = await fingerprint(app, sourceInputs(app, options.snapshot()), last.reads).catch(() => undefined);
        return now?.text === last.fingerprint ? [] : [key];
      }),
    );
    return answers.flat();
  };

  const fingerprint = async (
    app: Application,
    inputs: readonly SourceInput[],
    reads: readonly (readonly string[] | undefined)[],
  ): Promise<{ text: string; commits: string[] }> => {
    const parts: string[] = [];
    const commits: string[] = [];
    for (const [i, input] of inputs.entries()) {
      const repository = repositoryOf(app, input);
      const { commit } = await repository.resolve(input.revision, input.source.tagPrefix);
      commits.push(commit);
      const paths = reads[i];
      const ids =
        paths === undefined ? [commit] : (await repository.treeIds(commit, paths)).map((item) => item?.id ?? '-');
      parts.push(JSON.stringify([input.source, input.scope, ids]));
    }
    return { text: parts.join('\n'), commits };
  };

  const renderAll = async (
    app: Application,
    inputs: readonly SourceInput[],
  ): Promise<{ manifests: Manifests; reads: Known['reads'] }> => {
    const trees = await Promise.all(
      inputs.map(async (input) => {
        const repository = repositoryOf(app, input);
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
      if (own !== undefined) renderings.push(await options.render(app, input, { own, refs }));
    }
    const revisions = trees.map(({ revision }) => revision);
    return {
      manifests: {
        revision: isMultiSource(app) ? '' : (revisions[0] ?? ''),
        ...(isMultiSource(app) ? { revisions } : {}),
        sourceType: renderings[0]?.sourceType ?? '',
        rendered: renderings.flatMap(({ objects }, source) => objects.map((item) => ({ ...item, source }))),
        warnings: renderings.flatMap(({ warnings }) => warnings),
      },
      reads: renderings.map(({ reads }, i) => withReferences(reads, inputs[i]?.source.ref, renderings)),
    };
  };

  return {
    async manifests(key, app, { fresh, override }) {
      const inputs = sourceInputs(app, options.snapshot(), override);
      if (inputs.length === 0) throw new ArgosyError('render-failed', 'the Application names no source');
      for (const input of inputs) {
        const mirror = mirrorOf(input);
        if (mirror.fetched && !fresh) continue;
        await repositoryOf(app, input).fetch();
        mirror.fetched = true;
      }
      if (isOverride(override)) return (await renderAll(app, inputs)).manifests;
      const last = known.get(key);
      const now = last === undefined ? undefined : await fingerprint(app, inputs, last.reads);
      if (last !== undefined && now?.text === last.fingerprint) return last.manifests;
      const { manifests, reads } = await renderAll(app, inputs);
      const { text } = await fingerprint(app, inputs, reads);
      known.set(key, { fingerprint: text, manifests, reads });
      return manifests;
    },
    track(key, app) {
      const inputs = app === undefined ? [] : sourceInputs(app, options.snapshot());
      const wanted = new Set(inputs.map(mirrorKey));
      for (const mirror of mirrors.values()) if (!wanted.has(mirror.key)) mirror.users.delete(key);
      if (app === undefined) {
        tracked.delete(key);
        known.delete(key);
      } else tracked.set(key, app);
      for (const input of inputs) {
        const mirror = mirrorOf(input);
        mirror.users.add(key);
        schedule(mirror);
      }
      for (const mirror of mirrors.values()) if (mirror.users.size === 0) forget(mirrors, mirror);
    },
    async poll(url) {
      await Promise.all([...mirrors.values()].filter((mirror) => mirror.url === url).map(news));
    },
    async stop() {
      stopped = true;
      for (const mirror of [...mirrors.values()]) forget(mirrors, mirror);
    },
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

function isOverride({ revision, revisions, source, sources }: SourceOverride): boolean {
  return [revision, revisions, source, sources].some((part) => part !== undefined);
}

function forget(mirrors: Map<string, Mirror>, mirror: Mirror): void {
  clearTimeout(mirror.timer);
  mirrors.delete(mirror.key);
}
