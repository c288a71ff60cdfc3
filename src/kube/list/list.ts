import { ArgosyError, isArgosyError } from '../../core/errors/index.ts';
import type { KubeObject } from '../../core/objects/index.ts';
import type { Client, IdentityHeaders } from '../call/client.ts';
import { CallLimit } from '../transport/limit.ts';
import type { ListEnd, ListOptions, Resource } from '../types.ts';
import { collectionPath, type Query } from '../verbs/path.ts';
import { decodeList, type PageEnd } from './decode.ts';

const defaultDeadlineMs = 5 * 60_000;
const silenceMs = 45_000;
const defaultPage = 2_000;

const metadataList = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';

/**
 * Streams a list, page by page. When a continue token has expired the list begins again in one piece, after `onRestart`
 * was called; a caller who gave none gets the `kube-gone` error, since it has seen items that may be gone.
 */
export async function list(
  client: Client,
  identity: IdentityHeaders | undefined,
  what: { readonly resource: Resource; readonly options: ListOptions },
  onItem: (item: KubeObject) => void,
): Promise<ListEnd> {
  const { resource, options } = what;
  const subject = `list ${resource.plural}${options.namespace ? ` in ${options.namespace}` : ''}`;
  const limit = new CallLimit(subject, options.deadlineMs ?? defaultDeadlineMs, options.signal);
  const keep = keeper(options, onItem);
  const page = (query: Query): Promise<PageEnd> =>
    readPage(client, { identity, subject, resource, options, limit, keep }, query);
  try {
    return await readPages(options, page);
  } catch (error) {
    if (limit.ended !== undefined) throw limit.ended;
    throw error;
  } finally {
    limit.dispose();
  }
}

async function readPages(options: ListOptions, page: (query: Query) => Promise<PageEnd>): Promise<ListEnd> {
  // The server's cache ignores a limit at resourceVersion 0 and answers whole.
  const size = options.pageSize ?? (options.resourceVersion === '0' ? undefined : defaultPage);
  let token = '';
  let count = 0;
  for (;;) {
    try {
      const first = token === '' ? { resourceVersion: options.resourceVersion } : {};
      const end = await page({ limit: size, continue: token === '' ? undefined : token, ...first });
      count += end.count;
      if (end.continue === '') return { resourceVersion: end.resourceVersion, count };
      token = end.continue;
    } catch (error) {
      if (token === '' || options.onRestart === undefined || !isArgosyError(error) || error.code !== 'kube-gone')
        throw error;
      options.onRestart();
      const whole = await page({});
      return { resourceVersion: whole.resourceVersion, count: whole.count };
    }
  }
}

function keeper(options: ListOptions, onItem: (item: KubeObject) => void): (item: KubeObject) => void {
  const { project } = options;
  if (project === undefined) return onItem;
  return (item) => {
    const kept = project(item);
    if (kept !== undefined) onItem(kept as KubeObject); // the caller's own projection decides what it receives
  };
}

interface PageParts {
  readonly identity: IdentityHeaders | undefined;
  readonly subject: string;
  readonly resource: Resource;
  readonly options: ListOptions;
  readonly limit: CallLimit;
  readonly keep: (item: KubeObject) => void;
}

async function readPage(client: Client, parts: PageParts, query: Query): Promise<PageEnd> {
  const { subject, resource, options, limit } = parts;
  const selectors = { labelSelector: options.labelSelector, fieldSelector: options.fieldSelector };
  const body = await client.open(
    {
      method: 'GET',
      path: collectionPath(resource, options.namespace, { ...selectors, ...query }),
      subject,
      repeatable: 'always',
      accept: options.metadataOnly === true ? metadataList : undefined,
      identity: parts.identity,
      deadlineMs: 0,
    },
    'call',
    limit,
  );
  const silence = setTimeout(() => {
    limit.end(new ArgosyError('kube-timeout', `${subject}: no byte for ${silenceMs} ms`, { subject }));
  }, silenceMs);
  try {
    const metadataOnly = options.metadataOnly === true;
    return await decodeList(body, {
      subject,
      resource,
      metadataOnly,
      keepFieldsOf: options.keepFieldsOf,
      onItem: parts.keep,
      onBytes: () => silence.refresh(),
    });
  } finally {
    clearTimeout(silence);
    body.destroy();
  }
}
