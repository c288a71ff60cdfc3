import { ArgosyError } from '../../core/errors/index.ts';
import { createLru } from '../cache/lru.ts';
import { memoryTree } from '../tree/memory.ts';
import type { SourceTree } from '../types.ts';
import { createReader, type DocumentReader } from '../yaml/reader.ts';
import { type DownloadOptions, download } from './download.ts';
import { type ChartCall, type ChartRequest, placeOf } from './place.ts';
import { registryArchive, registryVersions } from './registry.ts';
import { type ChartIndex, repositoryArchive, repositoryIndex } from './repository.ts';
import { readArchive } from './untar.ts';

/** What fetching charts needs from outside. */
export interface ChartsOptions extends DownloadOptions {
  /** The name of the highest version within a constraint; `undefined` where none fits or it is no constraint. */
  readonly pickVersion: (constraint: string, versions: readonly string[]) => string | undefined;
  /** How long lists of versions are remembered. */
  readonly indexMs?: number | undefined;
  readonly cacheBytes?: number | undefined;
  readonly deadlineMs?: number | undefined;
  readonly now?: (() => number) | undefined;
}

/** Charts of Helm repositories and OCI registries as trees to render. */
export interface Charts {
  /** The version that a request means today. */
  version(request: ChartRequest): Promise<string>;
  /** The unpacked chart; each version is brought once. */
  tree(request: ChartRequest): Promise<SourceTree>;
  /** Somebody waits for what is there now: the list of versions is asked for again, `hard` brings the chart itself again. */
  forget(request: ChartRequest, how: 'normal' | 'hard'): void;
  close(): Promise<void>;
}

const mebibyte = 1024 * 1024;
const limits = {
  archiveBytes: 100 * mebibyte,
  indexBytes: 100 * mebibyte,
  extractedBytes: 256 * mebibyte,
  files: 20_000,
};
const exact = /^v?\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]*)?$/;

/** Makes a fetcher of charts; nothing is asked for until somebody wants one. */
export function createCharts(options: ChartsOptions): Charts {
  const { deadlineMs = 60_000, indexMs = 30_000, cacheBytes = 256 * mebibyte, now = Date.now } = options;
  const reader: DocumentReader = createReader({ workers: 1, cacheBytes: 0 });
  const trees = createLru<SourceTree>(cacheBytes);
  const lists = new Map<string, { readonly since: number; readonly versions: Promise<ChartIndex> }>();
  const coming = new Map<string, Promise<SourceTree>>();
  const call: ChartCall = (url, headers) =>
    download(options, { url, headers, maxBytes: limits.archiveBytes, deadlineMs });

  /** How often a chart was brought again under the same version. */
  const renewals = new Map<string, number>();

  const versions = (request: ChartRequest): Promise<ChartIndex> => {
    const key = keyOf(request);
    const before = lists.get(key);
    if (before !== undefined && now() - before.since < indexMs) return before.versions;
    const place = placeOf(request);
    const asked =
      place.kind === 'repository'
        ? repositoryIndex(call, place, reader)
        : registryVersions(call, place).then((names) => new Map(names.map((name) => [name, ''])));
    lists.set(key, { since: now(), versions: asked });
    asked.catch(() => lists.delete(key));
    if (lists.size > 1_000) lists.delete([...lists.keys()][0] ?? '');
    return asked;
  };
  const version = async (request: ChartRequest): Promise<string> => {
    if (request.version === '')
      throw new ArgosyError('render-failed', 'a chart needs a targetRevision', { subject: request.chart });
    if (exact.test(request.version)) return request.version;
    const known = [...(await versions(request)).keys()];
    const found = known.includes(request.version) ? request.version : options.pickVersion(request.version, known);
    if (found !== undefined) return found;
    throw new ArgosyError('render-failed', `no version of the chart fits ${request.version.slice(0, 100)}`, {
      subject: request.chart,
    });
  };
  const bring = async (request: ChartRequest, wanted: string): Promise<SourceTree> => {
    const place = placeOf(request);
    const archive =
      place.kind === 'registry'
        ? await registryArchive(call, place, wanted)
        : await repositoryArchive(call, place, await addressOf(await versions(request), wanted, request));
    const files = await readArchive(archive, limits);
    if (!files.has('Chart.yaml'))
      throw new ArgosyError('render-failed', 'the archive holds no chart', { subject: request.chart });
    return memoryTree(wanted, files);
  };

  return {
    version,
    async tree(request) {
      const wanted = await version(request);
      const key = `${keyOf(request)} ${renewals.get(keyOf(request)) ?? 0} ${wanted}`;
      const tree = trees.get(key) ?? (await coming.get(key));
      if (tree !== undefined) return tree;
      const promise = bring(request, wanted);
      coming.set(key, promise);
      try {
        const made = await promise;
        trees.set(key, made, mebibyte);
        return made;
      } finally {
        coming.delete(key);
      }
    },
    forget(request, how) {
      const key = keyOf(request);
      lists.delete(key);
      if (how === 'hard') renewals.set(key, (renewals.get(key) ?? 0) + 1);
    },
    close: () => reader.close(),
  };
}

function keyOf({ scope, repoURL, chart }: ChartRequest): string {
  return JSON.stringify([scope, repoURL, chart]);
}

async function addressOf(index: ChartIndex, version: string, { chart }: ChartRequest): Promise<string> {
  const found = index.get(version) ?? index.get(version.replace(/^v/, '')) ?? index.get(`v${version}`);
  if (found !== undefined) return found;
  throw new ArgosyError('render-failed', `the repository has no version ${version.slice(0, 100)} of the chart`, {
    subject: chart,
  });
}
