import { podLogs } from '../actors/index.ts';
import { findStored } from '../registry/find-stored.ts';
import { badRequest } from '../status.ts';
import type { Handler } from './handler.ts';
import { flag } from './list-options.ts';

/** GET of a pod's log, as plain text in pieces. */
export const log: Handler = async (exchange, served, cluster) => {
  const { namespace, name, query } = exchange.info;
  findStored(cluster, served, { namespace, name });
  const number = (key: string): number | undefined => {
    const text = query.get(key);
    if (text === null) return undefined;
    if (!/^-?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
    return Number(text);
  };
  const sinceTime = query.get('sinceTime');
  const lines = podLogs(cluster.inside, {
    namespace,
    pod: name,
    container: query.get('container') ?? '',
    follow: flag(query, 'follow') ?? false,
    timestamps: flag(query, 'timestamps') ?? false,
    previous: flag(query, 'previous') ?? false,
    ...optional('tailLines', number('tailLines')),
    ...optional('sinceSeconds', number('sinceSeconds')),
    ...optional('limitBytes', number('limitBytes')),
    ...(sinceTime === null ? {} : { sinceTime: new Date(sinceTime) }),
    signal: exchange.signal,
  });
  // The first piece decides between a log and a refusal.
  const first = await lines.next();
  exchange.start(200, { 'content-type': 'text/plain' });
  exchange.flush();
  for (let next = first; next.done !== true; next = await lines.next()) if (!(await exchange.write(next.value))) return;
  exchange.response.end();
};

function optional<Key extends string>(key: Key, value: number | undefined): { [K in Key]?: number } {
  return (value === undefined ? {} : { [key]: value }) as { [K in Key]?: number }; // one key or none
}
