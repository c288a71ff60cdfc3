import { startCluster } from '../index.ts';

/** A cluster in a process of its own, for a test that kills it: prints where it is, then waits. */
const [, , dataDir = ''] = process.argv;
const cluster = await startCluster({ dataDir, actors: false });
process.stdout.write(`${JSON.stringify({ url: cluster.url, ca: cluster.caPem, token: cluster.adminToken })}\n`);
