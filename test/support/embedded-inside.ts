import { after } from 'node:test';
import { type EmbeddedCluster, type Inside, startCluster } from '../../src/kubeserver/index.ts';

const running: EmbeddedCluster[] = [];

after(async () => {
  for (const cluster of running) await cluster.stop();
});

/** An embedded cluster from inside, without actors: what its parts work on. It ends with the test file. */
export async function embeddedInside(): Promise<Inside> {
  const cluster = await startCluster({ actors: false });
  running.push(cluster);
  return cluster.inside;
}
