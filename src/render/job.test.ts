import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RenderJob, requireCluster } from './job.ts';

const context = { appName: 'shop', namespace: 'shop', project: 'shop', kubeVersion: '', apiVersions: [] };
const job = (clusterUnknown: string | undefined): Pick<RenderJob, 'context'> => ({
  context: { ...context, clusterUnknown },
});

test('a render that asks for an unknown cluster fails, unless its source says all of it', () => {
  const fails = { code: 'unknown', message: /not known: it does not answer/ };
  assert.throws(() => requireCluster(job('it does not answer')), fails);
  assert.throws(() => requireCluster(job('it does not answer'), { kubeVersion: '1.30.0' }), fails);
  requireCluster(job('it does not answer'), { kubeVersion: '1.30.0', apiVersions: [] });
  requireCluster(job(undefined));
});
