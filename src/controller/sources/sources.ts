import { type Application, projectOf, type Snapshot } from '../../core/api/index.ts';
import { ArgosyError, isArgosyError } from '../../core/errors/index.ts';
import type { Git } from '../../git/index.ts';
import type { Charts } from '../../render/index.ts';
import type { Manifests, Reading, SourceOverride } from '../application/world.ts';
import type { Served } from '../clusters/index.ts';
import { type Followed, followChart, followGit } from './followed.ts';
import { credentialFor, isOverride, type SourceInput, sourceInputs } from './inputs.ts';
import { type VerifierOf, verifierOf, verifiesNothing } from './integrity.ts';
import { createMirrors, type Mirrors, type Read, type Trouble } from './mirrors.ts';
import { modulesOf } from './permitted-modules.ts';
import { fingerprint, type Made, type RenderHouse, type RenderSource, renderAll, servedKey } from './rendering.ts';
import { type Sweep, startSweep } from './sweep.ts';
import { asTold } from './told.ts';
import { hasNewSources, saysNothing, Unreads } from './unread.ts';

export interface SourcesOptions {
  readonly git: Git;
  /** Charts of Helm repositories and registries, which are none of git's. */
  readonly charts?: Pick<Charts, 'version' | 'tree' | 'forget'> | undefined;
  readonly snapshot: () => Snapshot;
  readonly render: RenderSource;
  /** What of the settings decides how sources are rendered: as long as it stays the same, so does what was rendered. */
  readonly renderKey?: (() => string) | undefined;
  /** What the destination of an Application can do, for charts that ask. */
  readonly served: (app: Application) => Served;
  /** How often each repository is asked for news; 0: only when somebody says so. */
  readonly pollMs: () => number;
  readonly random: () => number;
  readonly now?: (() => number) | undefined;
  /** What these Applications read is no longer what it was, or has to be tried again. */
  readonly onChange: (keys: readonly string[]) => void;
  /** Mirrors that nobody reads could not be removed. */
  readonly onSweepFailed?: ((error: unknown) => void) | undefined;
}

/** Where manifests come from: repositories shared by all Applications, each asked for news on one timer. */
export interface Sources {
  /**
   * The manifests of the newest commit the repositories are known to have; where they cannot be read, the last good ones
   * and the reason. Throws for what an operation puts in the place of the Application's own sources.
   */
  manifests(key: string, app: Application, wish: Wish): Promise<Reading>;
  /** An Application came, changed or went: its repositories are followed as long as somebody reads them. */
  track(key: string, app: Application | undefined): void;
  /** What a cluster can do has changed: charts that asked are rendered again. */
  servedChanged(): void;
  /** Asks a repository for news now, as after a webhook. */
  poll(url: string): Promise<void>;
  stop(): Promise<void>;
}

/** What is wanted of an Application's sources. */
export interface Wish {
  /** Somebody waits: ask the repositories first, and say at once what is wrong. `hard`: render again, too. */
  readonly refresh: 'normal' | 'hard' | undefined;
  /** What an operation puts in the place of the Application's own sources and revisions. */
  readonly override: SourceOverride;
}

/** What an Application read last: while its fingerprint stays, so do its manifests and the commit they are told of. */
interface Known extends Made {
  readonly fingerprint: string;
  /** The sources it was made of, as text. */
  readonly sources: string;
  /** What its cluster could do, where that counts. */
  readonly cluster: string;
}

/** What of an earlier rendering tells whether another would bring the same. */
type Lead = Pick<Made, 'reads' | 'askedCluster'> & { readonly cluster?: string };

const retryMs = 10_000;
/** Differs from wherever sources may lead. */
const unreachable = '\n';

/** Follows nothing yet. */
export function createSources(options: SourcesOptions): Sources {
  return new Following(options);
}

class Following implements Sources {
  readonly #options: SourcesOptions;
  readonly #mirrors: Mirrors;
  readonly #unreads: Unreads;
  readonly #sweep: Sweep;
  readonly #house: RenderHouse;
  readonly #tracked = new Map<string, Application>();
  readonly #known = new Map<string, Known>();
  /** Applications for whom the mirrors hold nothing from before either. */
  readonly #unkept = new Set<string>();

  constructor(options: SourcesOptions) {
    const { snapshot, now = Date.now, pollMs, random, onChange } = options;
    this.#options = options;
    this.#unreads = new Unreads({
      now,
      graceMs: () => snapshot().params.repoErrorGracePeriod,
      againMs: () => pollMs() || retryMs,
    });
    this.#mirrors = createMirrors({
      pollMs,
      random,
      now,
      settingsRevision: () => snapshot().revision,
      onNews: async (keys) => onChange(await this.#touched(keys)),
      onFailed: onChange,
      onDue: (keys) => onChange(this.#unreads.due(keys)),
    });
    const inUse = (): SourceInput[] => this.#mirrors.inUse();
    const onError = options.onSweepFailed ?? (() => undefined);
    this.#sweep = startSweep({ git: options.git, inUse, now, onError });
    this.#house = { open: (app, input) => this.#open(app, input), render: options.render, served: options.served };
  }

  async manifests(key: string, app: Application, wish: Wish): Promise<Reading> {
    try {
      return await this.#manifests(key, app, wish);
    } finally {
      // It may have gone while it was read: what was made for it would stay for ever.
      if (!this.#tracked.has(key)) this.#forget(key);
    }
  }

  async #manifests(key: string, app: Application, { refresh, override }: Wish): Promise<Reading> {
    const inputs = sourceInputs(app, this.#options.snapshot(), override);
    if (inputs.length === 0) throw new ArgosyError('render-failed', 'the Application names no source');
    const isAsked = refresh !== undefined;
    let trouble: Trouble | undefined;
    for (const input of inputs) trouble ??= await this.#mirrors.ask(this.#readOf(app, input), refresh);
    // What an operation is pinned to may well be there, whatever the repository says now.
    if (isOverride(override)) return { manifests: (await renderAll(this.#house, app, inputs, false)).manifests };
    const asked = isAsked || hasNewSources(app) || saysNothing(app);
    if (trouble !== undefined) {
      await this.#fromMirror(key, app, inputs);
      return this.#lastGood(key, inputs, { ...trouble, asked, seen: unreachable, passes: true });
    }
    try {
      const manifests = await this.#newest(key, app, inputs, refresh === 'hard');
      this.#readable(key);
      return { manifests };
    } catch (error) {
      if (!isArgosyError(error) || error.fault === 'bug') throw error;
      const seen = await this.#leadsTo(app, inputs);
      // A chart may be published, or its credential accepted, without any sign of it.
      const passes = error.fault === 'outside' || inputs.some(({ source }) => source.chart !== undefined);
      return this.#lastGood(key, inputs, { error, since: undefined, asked, seen, passes });
    }
  }

  track(key: string, app: Application | undefined): void {
    const inputs = app === undefined ? [] : sourceInputs(app, this.#options.snapshot());
    if (app === undefined) {
      this.#tracked.delete(key);
      this.#forget(key);
    } else this.#tracked.set(key, app);
    this.#mirrors.follow(key, app === undefined ? [] : inputs.map((input) => this.#readOf(app, input)));
  }

  #forget(key: string): void {
    this.#known.delete(key);
    this.#readable(key);
  }

  servedChanged(): void {
    // It may have been any cluster: only those are looked at for whom something else comes of it.
    const isOther = ([key, last]: [string, Known]): boolean => {
      const app = this.#tracked.get(key);
      return last.askedCluster && app !== undefined && clusterKey(last, this.#options.served(app)) !== last.cluster;
    };
    const asked = [...this.#known].filter(isOther).map(([key]) => key);
    this.#options.onChange([...new Set([...asked, ...this.#unreads.waitingToKnow()])]);
  }

  poll(url: string): Promise<void> {
    return this.#mirrors.poll(url);
  }

  async stop(): Promise<void> {
    this.#sweep.stop();
    this.#mirrors.stop();
  }

  #readOf(app: Application, input: SourceInput): Read {
    return { input, open: () => this.#open(app, input) };
  }

  #open(app: Application, input: SourceInput, verify: VerifierOf = verifierOf, kept = false): Followed {
    const { source, url, scope } = input;
    const credential = credentialFor(app, source, this.#options.snapshot());
    if (source.chart !== undefined) return followChart(this.#options.charts, { source, scope, credential });
    const { login, repository } = credential;
    const mirror = this.#options.git.repository({ url, scope, login, repository });
    const verified = verify(app, url, this.#options.snapshot());
    const wish = { lfs: repository?.enableLfs, modules: modulesOf(this.#options, projectOf(app), kept) };
    return followGit(kept ? mirror.kept() : mirror, verified, wish);
  }

  async #newest(key: string, app: Application, inputs: readonly SourceInput[], hard: boolean): Promise<Manifests> {
    const last = hard ? undefined : this.#known.get(key);
    if (last !== undefined && (await this.#fingerprint(app, inputs, last)) === last.fingerprint) return last.manifests;
    // As they are before: what changes while it is rendered may not be in it.
    const [settings, served] = [this.#renderKey(), this.#options.served(app)];
    const made = await renderAll({ ...this.#house, served: () => served }, app, inputs, hard);
    const cluster = clusterKey(made, served);
    const content = await fingerprint(this.#house, app, inputs, made);
    const text = `${settings}\n${cluster}\n${content}`;
    // The first look after a start goes on with the commit the status tells of, as every later one would.
    const isFirst = !hard && (last === undefined || last.fingerprint === '');
    const manifests = isFirst ? await asTold(this.#house, app, inputs, made) : made.manifests;
    this.#known.set(key, { ...made, manifests, fingerprint: text, sources: textOf(inputs), cluster });
    return manifests;
  }

  async #fingerprint(app: Application, inputs: readonly SourceInput[], last: Lead): Promise<string> {
    const content = await fingerprint(this.#house, app, inputs, { reads: last.reads, commits: undefined });
    return `${this.#renderKey()}\n${clusterKey(last, this.#options.served(app))}\n${content}`;
  }

  #renderKey(): string {
    return this.#options.renderKey?.() ?? '';
  }

  /** Where the sources lead, whatever is there; undefined where a revision does not exist. */
  #leadsTo(app: Application, inputs: readonly SourceInput[]): Promise<string | undefined> {
    const open = (each: Application, input: SourceInput): Followed => this.#open(each, input, verifiesNothing);
    return fingerprint({ open }, app, inputs, { reads: [], commits: undefined }).catch(() => undefined);
  }

  #readable(key: string): void {
    this.#unreads.forget(key);
    this.#unkept.delete(key);
  }

  /** After a restart nothing was read yet, but the mirrors may still hold what the status was last told of. */
  async #fromMirror(key: string, app: Application, inputs: readonly SourceInput[]): Promise<void> {
    const { revision, revisions } = app.status?.sync ?? {};
    if (this.#known.has(key) || this.#unkept.has(key) || hasNewSources(app)) return;
    const last = sourceInputs(app, this.#options.snapshot(), revisions === undefined ? { revision } : { revisions });
    const open = (each: Application, input: SourceInput): Followed => this.#open(each, input, verifierOf, true);
    try {
      const made = await renderAll({ ...this.#house, open }, app, last, false);
      // No fingerprint: once the sources read again, they are looked at as if for the first time.
      this.#known.set(key, { ...made, fingerprint: '', sources: textOf(inputs), cluster: '' });
    } catch (error) {
      if (!isArgosyError(error) || error.fault === 'bug') throw error;
      this.#unkept.add(key);
    }
  }

  /** What was good last stays, unless other sources were asked for since. */
  #lastGood(key: string, inputs: readonly SourceInput[], failure: Parameters<Unreads['note']>[1]): Reading {
    const { unread, lookAt } = this.#unreads.note(key, failure);
    for (const input of inputs) this.#mirrors.lookAt(input, lookAt);
    const last = this.#known.get(key);
    return { unread, manifests: last?.sources === textOf(inputs) ? last.manifests : undefined };
  }

  /** Those for whom a look at the repository brings something else than before. */
  async #touched(keys: readonly string[]): Promise<string[]> {
    const answers = await Promise.all(
      keys.map(async (key) => {
        const app = this.#tracked.get(key);
        const last = this.#known.get(key);
        if (app === undefined) return [];
        const inputs = sourceInputs(app, this.#options.snapshot());
        if (this.#unreads.has(key)) return this.#unreads.isInVain(key, await this.#leadsTo(app, inputs)) ? [] : [key];
        if (last === undefined) return [key];
        const now = await this.#fingerprint(app, inputs, last).catch(() => undefined);
        return now === last.fingerprint ? [] : [key];
      }),
    );
    return answers.flat();
  }
}

/** While it is not known what the cluster can do, what was known last counts: there is no sign of anything else. */
function clusterKey({ askedCluster, cluster = '' }: Omit<Lead, 'reads'>, served: Served): string {
  if (!askedCluster) return '';
  return served.known ? servedKey(served) : cluster;
}

function textOf(inputs: readonly SourceInput[]): string {
  return JSON.stringify(inputs.map(({ source }) => source));
}
