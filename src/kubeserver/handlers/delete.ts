import type { JsonObject } from '../../core/json/index.ts';
import type { KubeObject } from '../../core/objects/index.ts';
import { StatusError } from '../ports.ts';
import { answersDeleted } from '../registry/kinds.ts';
import { removeObject } from '../registry/remove.ts';
import type { Served } from '../registry/served.ts';
import { answerObject } from './answer.ts';
import { readDeleteOptions } from './delete-options.ts';
import type { Handler } from './handler.ts';
import { readPage } from './list.ts';
import { listOptions } from './list-options.ts';
import { itemText } from './serialize.ts';

/** DELETE of one object. */
export const remove: Handler = async (exchange, served, cluster) => {
  const { info, user } = exchange;
  const options = await readDeleteOptions(exchange);
  const removed = await removeObject(cluster, served, options, { info, user, dryRun: options.dryRun, manager: '' });
  if (removed.gone && !answersDeleted(served)) exchange.send(200, success(served, removed.object));
  else answerObject(exchange, served, 200, removed.object);
};

function success(served: Served, object: KubeObject): JsonObject {
  const { group, plural } = served.info;
  const { name = '', uid = '' } = object.metadata;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name, ...(group === '' ? {} : { group }), kind: plural, uid },
  };
}

/** DELETE of a collection: everything the selectors match. */
export const removeCollection: Handler = async (exchange, served, cluster) => {
  const { info, user } = exchange;
  const options = await readDeleteOptions(exchange);
  const page = readPage(cluster, served, info.namespace, listOptions(info.query, served, false));
  for (const object of page.objects) {
    const { name = '', namespace = '' } = object.metadata;
    try {
      const writing = { info: { ...info, name, namespace }, user, dryRun: options.dryRun, manager: '' };
      await removeObject(cluster, served, options, writing);
    } catch (error) {
      // Somebody else was faster: that is what was asked for.
      if (!(error instanceof StatusError) || error.status.code !== 404) throw error;
    }
  }
  const items = page.objects.map((object) => itemText(object, served)).join(',');
  const kind = JSON.stringify(served.info.listKind);
  const head = `{"kind":${kind},"apiVersion":${JSON.stringify(served.apiVersion)},"metadata":${JSON.stringify(page.metadata)}`;
  exchange.send(200, `${head},"items":[${items}]}`);
};
