import { atMost, exactly, type Figure, told } from '../probes/figures.ts';
import { agent, type Bench } from './bench.ts';
import { syncAll } from './initial-sync.ts';
import { application, plainPlatform } from './platform.ts';
import { applications, applyYaml, timed } from './stage.ts';

/** Many cluster Secrets for one address with one credential: they share one view (S7). */
export async function secrets(bench: Bench, count: number): Promise<Figure[]> {
  const one = await measure(bench, 'one', 1);
  const all = await measure(bench, 'many', count);
  return [
    told('S7 cluster Secrets for one address', count),
    exactly('S7 watches more than of one Secret', all.watches - one.watches, 0),
    exactly('S7 lists more than of one Secret', all.lists - one.lists, 0),
    atMost(
      'S7 heap and buffers more than of one Secret, Applications with them',
      (all.heap - one.heap) / 2 ** 20,
      'MiB',
      10,
    ),
  ];
}

async function measure(
  bench: Bench,
  name: string,
  count: number,
): Promise<{ watches: number; lists: number; heap: number }> {
  await applyYaml(bench.floor, plainPlatform(name));
  await applyYaml(bench.floor, Array.from({ length: count }, (_, at) => secret(bench, `${name}-argocd`, at)).join(''));
  const names = Array.from({ length: count }, (_, at) => ({
    namespace: `${name}-argocd`,
    name: `${name}-app-${at}`,
    at: at % bench.folders,
  }));
  await timed(count, (at) => {
    const app = application(bench.repository.url, names[at], 'default', `${name}-shop`);
    const spec = { ...(app['spec'] as object), destination: { name: `cluster-${at}`, namespace: `${name}-shop` } };
    return bench.floor.create(applications, { ...app, spec } as typeof app); // only the destination is another
  });
  const index = bench.mark();
  const { contestant } = await syncAll(bench, `${name}-argocd`, [], names);
  const { heap } = await contestant.settle();
  await contestant.stop();
  const calls = bench
    .audit()
    .slice(index)
    .filter(({ userAgent }) => userAgent === agent);
  // Of a watch the log tells its beginning and its end, of a list its end.
  const began = calls.filter(({ verb, stage }) => verb === 'watch' && stage === 'ResponseStarted');
  return { watches: began.length, lists: calls.filter(({ verb }) => verb === 'list').length, heap };
}

function secret({ cluster }: Bench, namespace: string, at: number): string {
  const config = {
    bearerToken: cluster.adminToken,
    tlsClientConfig: { caData: Buffer.from(cluster.ca).toString('base64') },
  };
  return `---
apiVersion: v1
kind: Secret
metadata: {name: cluster-${at}, namespace: ${namespace}, labels: {argocd.argoproj.io/secret-type: cluster}}
stringData: {name: cluster-${at}, server: '${cluster.url}', config: '${JSON.stringify(config)}'}
`;
}
