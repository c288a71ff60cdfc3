import { findStored } from '../registry/find-stored.ts';
import { answerObject } from './answer.ts';
import type { Handler } from './handler.ts';
import { revisionOf, tooLarge } from './list-options.ts';

/** GET of one object. */
export const get: Handler = async (exchange, served, cluster) => {
  const asked = exchange.info.query.get('resourceVersion') ?? '';
  if (asked !== '' && revisionOf(asked) > cluster.store.revision)
    throw tooLarge(revisionOf(asked), cluster.store.revision);
  answerObject(exchange, served, 200, findStored(cluster, served, exchange.info).object);
};
