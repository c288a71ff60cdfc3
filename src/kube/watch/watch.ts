import { ArgosyError } from '../../core/errors/index.ts';
import type { Client, IdentityHeaders } from '../call/client.ts';
import { Pace } from '../list/pace.ts';
import { consume } from '../transport/body.ts';
import { CallLimit } from '../transport/limit.ts';
import type { Resource, WatchEvent, WatchOptions } from '../types.ts';
import { collectionPath } from '../verbs/path.ts';
import { decodeEvent, type EventContext } from './decode.ts';
import { LineSplitter } from './lines.ts';

const openMs = 60_000;
const defaultSilenceMs = 150_000;
const maxLine = 8 * 1024 * 1024;
const metadataEvents = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';

/** What one watch is about and whom it tells. */
export interface WatchParts {
  readonly identity: IdentityHeaders | undefined;
  readonly resource: Resource;
  readonly options: WatchOptions;
  readonly onEvent: (event: WatchEvent) => void;
  /** The server has accepted the watch. */
  readonly onOpen?: () => void;
}

/** One watch: ends when the server closes it, throws `kube-gone` on 410 wherever it comes, and on silence. */
export async function watch(client: Client, parts: WatchParts): Promise<void> {
  const { resource, options } = parts;
  const subject = `watch ${resource.plural}${options.namespace ? ` in ${options.namespace}` : ''}`;
  const limit = new CallLimit(subject, options.deadlineMs, options.signal);
  const silenceMs = options.silenceMs ?? defaultSilenceMs;
  const silent = (ms: number): NodeJS.Timeout =>
    setTimeout(() => limit.end(new ArgosyError('kube-timeout', `${subject}: no byte for ${ms} ms`, { subject })), ms);
  let silence = silent(Math.min(openMs, silenceMs)); // until the server has accepted
  try {
    const body = await client.open(watchCall(client, parts, subject), 'stream', limit);
    clearTimeout(silence);
    silence = silent(silenceMs);
    parts.onOpen?.();
    const context = {
      subject,
      resource,
      metadataOnly: options.metadataOnly === true,
      keepFieldsOf: options.keepFieldsOf,
      secrets: client.secrets(),
    };
    await readEvents(body, context, parts.onEvent, () => silence.refresh());
  } catch (error) {
    throw limit.ended ?? error;
  } finally {
    clearTimeout(silence);
    limit.dispose();
  }
}

function watchCall(
  client: Client,
  { resource, options, identity }: WatchParts,
  subject: string,
): Parameters<Client['open']>[0] {
  const query = {
    watch: true,
    allowWatchBookmarks: true,
    resourceVersion: options.resourceVersion,
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
    // Spread out, so that the watches of a restart do not all end at once.
    timeoutSeconds: 300 + Math.floor(client.random() * 300),
  };
  return {
    method: 'GET',
    path: collectionPath(resource, options.namespace, query),
    subject,
    repeatable: 'unprocessed',
    accept: options.metadataOnly === true ? metadataEvents : undefined,
    identity,
    deadlineMs: 0,
  };
}

async function readEvents(
  body: Parameters<typeof consume>[0],
  context: EventContext,
  onEvent: (event: WatchEvent) => void,
  alive: () => void,
): Promise<void> {
  const pace = new Pace();
  const lines = new LineSplitter(
    context.subject,
    (bytes, start, end) => onEvent(decodeEvent(bytes, start, end, context)),
    maxLine,
  );
  try {
    await consume(body, context.subject, (chunk) => {
      alive();
      pace.begin();
      lines.push(chunk);
      return pace.end();
    });
  } finally {
    body.destroy();
  }
  if (lines.unfinished)
    throw new ArgosyError('kube-unreachable', `${context.subject}: the watch broke off in the middle of an event`, {
      subject: context.subject,
    });
}
