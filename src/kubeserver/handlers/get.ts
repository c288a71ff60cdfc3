import { fromStored } from '../registry/convert.ts';
import { keyOf } from '../registry/served.ts';
import { notFound } from '../status.ts';
import { answerObject } from './answer.ts';
import type { Handler } from './handler.ts';
import { revisionOf, tooLarge } from './list-options.ts';

/** GET of one object. */
export const get: Handler = async (exchange, served, cluster) => {
  const { namespace, name, query } = exchange.info;
  const asked = query.get('resourceVersion') ?? '';
  if (asked !== '' && revisionOf(asked) > cluster.store.revision)
    throw tooLarge(revisionOf(asked), cluster.store.revision);
  const entry = cluster.store.get(keyOf(served, namespace, name));
  if (entry === undefined) throw notFound(served.info, name);
  answerObject(exchange, served, 200, fromStored(entry.object, served));
};
