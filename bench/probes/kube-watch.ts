import type { Connection, Resource } from '../../src/kube/index.ts';
import type { BareClient } from './bare-client.ts';

/** Milliseconds from the moment a write is sent to the moment its event is told. */
export interface WatchFigures {
  readonly oursP50: number;
  readonly oursP99: number;
  readonly bareP50: number;
  readonly bareP99: number;
}

/** Follows a namespace with our client and, beside it, with a bare stream whose bytes are only looked at; then writes. */
export async function measureWatch(
  connection: Connection,
  bare: BareClient,
  maps: Resource,
  writes: number,
): Promise<WatchFigures> {
  const [ours, floor]: [Map<string, number>, Map<string, number>] = [new Map(), new Map()];
  const stop = new AbortController();
  const { resourceVersion } = await connection.list(maps, { namespace: 'bench-1' }, () => undefined);
  const watching = connection
    .watch(maps, { namespace: 'bench-1', resourceVersion, signal: stop.signal }, (event) => {
      if (event.type !== 'BOOKMARK')
        ours.set(String((event.object['data'] as { n?: string } | undefined)?.n), performance.now()); // a ConfigMap's
    })
    .catch(() => undefined);
  const stream = bare.open(
    'GET',
    `/api/v1/namespaces/bench-1/configmaps?watch=true&resourceVersion=${resourceVersion}`,
  );
  stream.end();
  stream.on('data', (chunk: Buffer) => {
    for (const match of chunk.toString('latin1').matchAll(/"n":"(w\d+)"/g))
      floor.set(match[1] ?? '', performance.now());
  });
  await new Promise((resolve) => setTimeout(resolve, 300));
  const sent = new Map<string, number>();
  for (let at = 0; at < writes; at++) {
    const n = `w${at}`;
    sent.set(n, performance.now());
    await connection.apply(
      maps,
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'watched', namespace: 'bench-1' },
        data: { n, text: 'x'.repeat(2000) },
      },
      { fieldManager: 'bench' },
    );
    while (!ours.has(n) || !floor.has(n)) await new Promise((resolve) => setImmediate(resolve));
  }
  stop.abort();
  stream.destroy();
  await watching;
  const lags = (seen: Map<string, number>): number[] =>
    [...sent].map(([n, at]) => (seen.get(n) ?? Number.NaN) - at).toSorted((a, b) => a - b);
  const at = (values: number[], share: number): number =>
    values[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;
  const [mine, theirs] = [lags(ours), lags(floor)];
  return { oursP50: at(mine, 0.5), oursP99: at(mine, 0.99), bareP50: at(theirs, 0.5), bareP99: at(theirs, 0.99) };
}
