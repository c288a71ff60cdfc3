import { createClusters } from '../../src/controller/clusters/index.ts';
import { clusterKey, parseClusterSecret, readSettings, type Snapshot } from '../../src/core/api/index.ts';
import type { Json } from '../../src/core/json/index.ts';
import { type Connection, connect } from '../../src/kube/index.ts';
import { silentLogger } from '../../src/telemetry/index.ts';
import type { Target } from './bare-client.ts';

export interface SecretsProbe {
  readonly watchesOfOne: number;
  readonly watchesOfAll: number;
  /** Connections whose requests were lists or watches. */
  readonly views: number;
  readonly bytes: number;
}

/** Opens one cluster Secret, then a hundred with the same address and credential, and tells what the others cost. */
export async function measureSecrets(
  target: Target,
  count: number,
  memory: () => Promise<number>,
): Promise<SecretsProbe> {
  const clusters = Array.from({ length: count }, (_, n) => secret(target, n));
  const { value: settings } = readSettings(new Map());
  const snapshot = { controlPlane: 'argocd', settings, clusters, revision: 1 } as unknown as Snapshot; // all that is read of it
  let watches = 0;
  const watchers = new Set<Connection>();
  const config = { server: target.url, caData: Buffer.from(target.ca) };
  const counted = (): Connection => {
    const connection = connect({ ...config, credential: { type: 'token', token: target.token } });
    const follow = connection.follow.bind(connection);
    return Object.assign(connection, {
      follow: (...what: Parameters<Connection['follow']>) => {
        watches++;
        watchers.add(connection);
        return follow(...what);
      },
    });
  };
  const all = createClusters({
    own: counted(),
    snapshot: () => snapshot,
    connect: counted,
    onTouched: () => undefined,
    log: silentLogger,
  });
  const settle = async (): Promise<void> => {
    for (let before = -1; before !== watches; ) {
      before = watches;
      await new Promise((resolve) => setTimeout(resolve, 3_000));
    }
  };
  try {
    await all.access(clusterKey(clusters[0] ?? secret(target, 0)));
    await settle();
    const [watchesOfOne, before] = [watches, await memory()];
    for (const cluster of clusters) await all.access(clusterKey(cluster));
    await settle();
    const bytes = (await memory()) - before;
    return { watchesOfOne, watchesOfAll: watches, views: watchers.size, bytes };
  } finally {
    await all.stop();
  }
}

function secret(target: Target, n: number): Snapshot['clusters'][number] {
  const data = {
    name: `prod-${n}`,
    server: target.url,
    project: 'bench',
    config: JSON.stringify({
      bearerToken: target.token,
      tlsClientConfig: { caData: Buffer.from(target.ca).toString('base64') },
    }),
  };
  const encoded = Object.fromEntries(
    Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
  );
  const metadata = {
    name: `cluster-${n}`,
    namespace: `team-${n}`,
    uid: `u${n}`,
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: { 'argocd.argoproj.io/secret-type': 'cluster' },
  };
  const parsed = parseClusterSecret({ apiVersion: 'v1', kind: 'Secret', metadata, data: encoded } as Json);
  if (!parsed.ok) throw new Error('the Secret cannot be read');
  return { ...parsed.value, tenant: true, acceptance: { accepted: true } };
}
