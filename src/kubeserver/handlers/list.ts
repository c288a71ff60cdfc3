import { isObject, type JsonObject } from '../../core/json/index.ts';
import type { KubeObject } from '../../core/objects/index.ts';
import type { Exchange } from '../http/exchange.ts';
import { negotiate } from '../http/negotiate.ts';
import { StatusError } from '../ports.ts';
import { tableOf } from '../printers/table.ts';
import type { Cluster } from '../registry/cluster.ts';
import { fromStored } from '../registry/convert.ts';
import { keyPrefix, type Served } from '../registry/served.ts';
import { badRequest, expired } from '../status.ts';
import type { Handler } from './handler.ts';
import { type ListOptions, listOptions, revisionOf, tooLarge } from './list-options.ts';
import { partial } from './partial.ts';
import { itemText, textOf } from './serialize.ts';

/** A page of a list: objects in the version asked for, and the list's own metadata. */
interface Page {
  readonly objects: readonly KubeObject[];
  readonly metadata: JsonObject;
}

/** GET of a collection. */
export const list: Handler = async (exchange, served, cluster) => {
  const wanted = negotiate(exchange.header('accept'), served.custom !== undefined);
  const options = listOptions(exchange.info.query, served, false);
  const isPartial = wanted.as !== 'object';
  const shape: Shape = {
    head: (metadata) => listHead(metadata, served, isPartial),
    item: (object) => (isPartial ? textOf(partial(object)) : itemText(object, served)),
  };
  const inOnePiece = wanted.as === 'Table' || wanted.format === 'yaml' || exchange.pretty;
  if (options.limit === 0 && options.continue === '' && !inOnePiece) {
    await streamAll(exchange, served, cluster, { options, shape });
    return;
  }
  const page = readPage(cluster, served, exchange.info.namespace, options);
  if (wanted.as === 'Table') {
    const include = exchange.info.query.get('includeObject') ?? 'Metadata';
    exchange.send(200, tableOf(page.objects, served, include, page.metadata), wanted.format);
  } else {
    const items = page.objects.map(shape.item).join(',');
    exchange.send(200, `${shape.head(page.metadata)}${items}]}`, wanted.format);
  }
};

/** How a list is written. */
interface Shape {
  head(metadata: JsonObject): string;
  item(object: KubeObject): string;
}

function listHead(metadata: JsonObject, served: Served, isPartial: boolean): string {
  const kind = isPartial ? 'PartialObjectMetadataList' : served.info.listKind;
  const apiVersion = isPartial ? 'meta.k8s.io/v1' : served.apiVersion;
  const meta = `"metadata":${JSON.stringify(metadata)},"items":[`;
  const [k, v] = [JSON.stringify(kind), JSON.stringify(apiVersion)];
  return served.custom === undefined || isPartial
    ? `{"kind":${k},"apiVersion":${v},${meta}`
    : `{"apiVersion":${v},"kind":${k},${meta}`;
}

/** Reads the page a client asks for. */
export function readPage(cluster: Cluster, served: Served, namespace: string, options: ListOptions): Page {
  const { store } = cluster;
  const token = options.continue === '' ? undefined : readToken(options.continue);
  if (token !== undefined && !['', '0'].includes(options.resourceVersion))
    throw badRequest('specifying resource version is not allowed when using continue');
  const at = token === undefined ? exactRevision(options, cluster) : pageRevision(token, cluster);
  const prefix = keyPrefix(served, namespace);
  const limit = options.limit === 0 ? Number.POSITIVE_INFINITY : options.limit;
  const revision = at ?? store.revision;
  const objects: KubeObject[] = [];
  let after = token === undefined ? undefined : `${prefix}${token.start}`;
  let remaining = 0;
  for (let more = true; more && objects.length < limit; ) {
    const found = store.list(prefix, {
      at: revision,
      limit: limit - objects.length,
      ...(after === undefined ? {} : { after }),
    });
    for (const entry of found.entries) {
      after = entry.key;
      const object = fromStored(entry.object, served);
      if (options.matches(object)) objects.push(object);
    }
    ({ more, remaining } = found);
  }
  const metadata: { [key: string]: string | number } = { resourceVersion: String(revision) };
  if (remaining > 0 && after !== undefined) {
    metadata['continue'] = writeToken(revision, after.slice(prefix.length));
    if (!options.selective) metadata['remainingItemCount'] = remaining;
  }
  return { objects, metadata };
}

function exactRevision(options: ListOptions, { store }: Cluster): number | undefined {
  const { resourceVersion, match, limit } = options;
  if (resourceVersion === '') return undefined;
  const wanted = revisionOf(resourceVersion);
  if (wanted > store.revision) throw tooLarge(wanted, store.revision);
  // A limit with a version and no match rule means that exact version: a rule from before there were match rules.
  const exact = match === 'Exact' || (match === '' && limit > 0 && wanted !== 0);
  if (!exact) return undefined;
  if (wanted < store.compacted) throw expired('The resourceVersion for the provided list is too old.');
  return wanted;
}

interface Token {
  readonly revision: number;
  readonly start: string;
}

function writeToken(revision: number, start: string): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start: `${start}\u0000` })).toString(
    'base64url',
  );
}

function readToken(text: string): Token {
  const refuse = (why: string): StatusError => badRequest(`invalid continue token: continue key is not valid: ${why}`);
  const odd = /[^A-Za-z0-9_-]/.exec(text);
  if (odd !== null || text.length % 4 === 1)
    throw refuse(`illegal base64 data at input byte ${odd?.index ?? text.length - 1}`);
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    const first = Buffer.from(text, 'base64url').toString('latin1')[0] ?? '';
    throw refuse(
      first === '' ? 'unexpected end of JSON input' : `invalid character '${first}' looking for beginning of value`,
    );
  }
  if (!isObject(value) || value['v'] !== 'meta.k8s.io/v1')
    throw refuse('server does not recognize this encoded version ""');
  const { rv, start } = value;
  if (typeof rv !== 'number' || !Number.isSafeInteger(rv) || rv === 0)
    throw refuse('incorrect encoded start resourceVersion (version meta.k8s.io/v1)');
  if (typeof start !== 'string' || start === '') throw refuse('encoded start key empty (version meta.k8s.io/v1)');
  return { revision: rv, start: start.endsWith('\u0000') ? start.slice(0, -1) : start };
}

const tooOld =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

/** Thrown for an expired page; `continueAt` goes into the Status so that a client can go on, inconsistently. */
export class ExpiredPage extends StatusError {
  readonly continueAt: string;
  constructor(continueAt: string) {
    super({ code: 410, reason: 'Expired', message: tooOld });
    this.continueAt = continueAt;
  }
}

function pageRevision(token: Token, { store }: Cluster): number | undefined {
  if (token.revision < 0) return undefined;
  if (token.revision < store.compacted) throw new ExpiredPage(writeToken(-1, token.start));
  return token.revision > store.revision ? undefined : token.revision;
}

const chunkSize = 128 * 1024;

const pageSize = 1000;

/**
 * Sends a whole collection as it was at one revision, in chunks: a large one is never in memory as one text, and no
 * stretch of it holds up the others.
 */
async function streamAll(
  exchange: Exchange,
  served: Served,
  cluster: Cluster,
  { options, shape }: { options: ListOptions; shape: Shape },
): Promise<void> {
  const { store } = cluster;
  const at = exactRevision(options, cluster) ?? store.revision;
  const prefix = keyPrefix(served, exchange.info.namespace);
  let chunk = shape.head({ resourceVersion: String(at) });
  let [started, separator, after, more]: [boolean, string, string, boolean] = [false, '', prefix, true];
  while (more) {
    const page = store.list(prefix, { at, after, limit: pageSize, counted: false });
    for (const entry of page.entries) {
      after = entry.key;
      const object = fromStored(entry.object, served);
      if (!options.matches(object)) continue;
      chunk += `${separator}${shape.item(object)}`;
      separator = ',';
      if (chunk.length < chunkSize) continue;
      if (!started) exchange.start(200, { 'content-type': 'application/json' });
      started = true;
      if (!(await exchange.write(chunk))) return;
      chunk = '';
    }
    more = page.more;
    if (more) await new Promise((resolve) => setImmediate(resolve));
    // What was compacted meanwhile can no longer be told; half a list must not look like a whole one.
    if (more && store.compacted > at) throw expired('The resourceVersion for the provided list is too old.');
  }
  if (!started) exchange.send(200, `${chunk}]}`);
  else if (await exchange.write(`${chunk}]}\n`)) exchange.response.end();
}
