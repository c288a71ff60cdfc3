import { removeObject } from '../registry/remove.ts';
import type { Handler } from './handler.ts';

/** POST of an eviction: a deletion that disruption budgets could refuse; here none does. */
export const evict: Handler = async (exchange, served, cluster) => {
  const { info, user } = exchange;
  const dryRun = info.query.getAll('dryRun').length > 0;
  await removeObject(cluster, served, {}, { info, user, dryRun, manager: '' });
  exchange.send(201, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 });
};
