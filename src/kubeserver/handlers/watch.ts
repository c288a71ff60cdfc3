import type { JsonObject } from '../../core/json/index.ts';
import type { KubeObject } from '../../core/objects/index.ts';
import { selectedName } from '../field-terms.ts';
import type { Exchange } from '../http/exchange.ts';
import { negotiate, type Wanted } from '../http/negotiate.ts';
import { type RequestInfo, StatusError, type StoreEvent } from '../ports.ts';
import { tableOf } from '../printers/table.ts';
import type { Cluster } from '../registry/cluster.ts';
import { fromStored } from '../registry/convert.ts';
import { keyPrefix, type Served } from '../registry/served.ts';
import { badRequest, statusObject } from '../status.ts';
import type { Handler } from './handler.ts';
import { type ListOptions, listOptions } from './list-options.ts';
import { partial } from './partial.ts';
import { eventText, textOf, watchLine } from './serialize.ts';

const bookmarkPeriod = 55_000;
/** What a timer can hold; a longer one would fire at once. */
const longestTimer = 2 ** 31 - 1;
const chunkSize = 128 * 1024;
/** What may wait for a slow client before it is cut off. */
const maxBacklog = 64 * 1024 * 1024;

/** GET of a collection with `watch`: events until the client leaves or the time is up. */
export const watch: Handler = async (exchange, served, cluster) => {
  const options = ofOneName(listOptions(exchange.info.query, served, true), exchange.info);
  const from = startRevision(options);
  const session = new WatchSession(exchange, served, cluster, options);
  await session.run(from);
};

/** A watch that was allowed for one name (in its path or its selector) tells of that name only. */
function ofOneName(options: ListOptions, { name, query }: RequestInfo): ListOptions {
  if (name === '') return options;
  const selector = query.get('fieldSelector') ?? '';
  if (selector !== '' && selectedName(selector) !== name)
    throw badRequest("fieldSelector metadata.name doesn't match requested name");
  const matches: ListOptions['matches'] = (object) => object.metadata.name === name && options.matches(object);
  return { ...options, matches, selective: true };
}

/** Where to begin: undefined means "the current state first". */
function startRevision({ resourceVersion }: ListOptions): number | undefined {
  if (resourceVersion === '' || resourceVersion === '0') return undefined;
  if (/^\d+$/.test(resourceVersion)) return Number(resourceVersion);
  const text = JSON.stringify(resourceVersion);
  const message = `resourceVersion: Invalid value: ${text}: strconv.ParseUint: parsing ${text}: invalid syntax`;
  throw new StatusError({ code: 500, reason: '', message });
}

class WatchSession {
  readonly #exchange: Exchange;
  readonly #served: Served;
  readonly #cluster: Cluster;
  readonly #options: ListOptions;
  readonly #wanted: Wanted;
  readonly #include: string;
  #tables = 0;

  constructor(exchange: Exchange, served: Served, cluster: Cluster, options: ListOptions) {
    this.#exchange = exchange;
    this.#served = served;
    this.#cluster = cluster;
    this.#options = options;
    this.#wanted = negotiate(exchange.header('accept'));
    this.#include = exchange.info.query.get('includeObject') ?? 'Metadata';
  }

  async run(from: number | undefined): Promise<void> {
    this.#exchange.start(200, { 'content-type': 'application/json' });
    // The client must learn at once that the watch stands, even if nothing happens for long.
    this.#exchange.flush();
    const after = from === undefined || this.#options.sendInitialEvents === true ? await this.#initial() : from;
    const watching = this.#begin(after);
    if (watching !== undefined) {
      await this.#untilEnd();
      watching.stop();
    }
    if (!this.#exchange.response.destroyed) this.#exchange.response.end();
  }

  #begin(after: number): { stop(): void } | undefined {
    const prefix = keyPrefix(this.#served, this.#exchange.info.namespace);
    try {
      return this.#cluster.store.watch(prefix, after, (event) => this.#onEvent(event));
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      this.#write(watchLine('ERROR', JSON.stringify(statusObject(error))));
      return undefined;
    }
  }

  /** Sends what is there as added, as fast as the client takes it; returns the revision it was read at. */
  async #initial(): Promise<number> {
    const { store } = this.#cluster;
    const revision = store.revision;
    if (this.#options.sendInitialEvents === false) return revision;
    let chunk = '';
    for (const { object } of store.list(keyPrefix(this.#served, this.#exchange.info.namespace)).entries) {
      const shown = fromStored(object, this.#served);
      if (this.#options.matches(shown)) chunk += this.#line('ADDED', shown);
      if (chunk.length < chunkSize) continue;
      if (!(await this.#exchange.write(chunk))) return revision;
      chunk = '';
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#write(chunk);
    if (this.#options.sendInitialEvents === true && this.#options.bookmarks)
      this.#bookmark(revision, { 'k8s.io/initial-events-end': 'true' });
    return revision;
  }

  #untilEnd(): Promise<void> {
    const { signal } = this.#exchange;
    const limit = this.#options.timeoutSeconds ?? 0;
    const seconds = limit > 0 ? limit : 1800 + (this.#cluster.random(2).readUInt16BE(0) % 1800);
    return new Promise((resolve) => {
      const bookmarks = this.#options.bookmarks
        ? setInterval(() => this.#bookmark(this.#cluster.store.revision, undefined), bookmarkPeriod)
        : undefined;
      const done = (): void => {
        clearTimeout(timer);
        clearInterval(bookmarks);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, Math.min(seconds * 1000, longestTimer));
      signal.addEventListener('abort', done, { once: true });
      if (signal.aborted) done();
    });
  }

  #onEvent(event: StoreEvent): void {
    if (!this.#options.selective) {
      if (this.#wanted.as === 'object') this.#write(eventText(event, this.#served));
      else this.#write(this.#line(event.type, fromStored(event.object, this.#served)));
      return;
    }
    const object = fromStored(event.object, this.#served);
    const now = event.type !== 'DELETED' && this.#options.matches(object);
    const before = event.previous !== undefined && this.#options.matches(fromStored(event.previous, this.#served));
    if (now) this.#write(this.#line(before ? 'MODIFIED' : 'ADDED', object));
    else if (before) this.#write(this.#line('DELETED', this.#left(event)));
  }

  /** An object that no longer matches is told of as it was, with the revision at which it left. */
  #left(event: StoreEvent): KubeObject {
    const last = fromStored(event.previous ?? event.object, this.#served);
    return { ...last, metadata: { ...last.metadata, resourceVersion: String(event.revision) } };
  }

  #line(type: string, object: KubeObject): string {
    if (this.#wanted.as === 'object') return watchLine(type, textOf(object));
    if (this.#wanted.as !== 'Table') return watchLine(type, textOf(partial(object)));
    const table = tableOf([object], this.#served, this.#include, {
      resourceVersion: object.metadata.resourceVersion ?? '',
    });
    return watchLine(type, JSON.stringify(this.#tables++ === 0 ? table : { ...table, columnDefinitions: null }));
  }

  #bookmark(revision: number, annotations: JsonObject | undefined): void {
    const metadata = { resourceVersion: String(revision), ...(annotations === undefined ? {} : { annotations }) };
    const { kind } = this.#served.info;
    const isPartial = this.#wanted.as === 'PartialObjectMetadata' || this.#wanted.as === 'PartialObjectMetadataList';
    const head = isPartial
      ? { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' }
      : { kind, apiVersion: this.#served.apiVersion };
    this.#write(watchLine('BOOKMARK', JSON.stringify({ ...head, metadata })));
  }

  #write(line: string): void {
    const { response, signal } = this.#exchange;
    if (line === '' || signal.aborted || response.destroyed) return;
    if (response.writableLength > maxBacklog) response.destroy();
    else (response as NodeJS.WritableStream).write(line); // both kinds of response are streams
  }
}
