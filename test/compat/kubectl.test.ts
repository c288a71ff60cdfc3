/**
 * One walk with kubectl over the embedded cluster, from an empty namespace to the last delete.
 *
 * Each verb by itself, against both clusters, is `test/compat/kube/kubectl.real.test.ts`; this one needs no real cluster.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startCluster } from '../../src/kubeserver/index.ts';
import { kubectl } from '../support/real-cluster.ts';
import { findBinary } from '../support/real-processes.ts';

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'nginx:1' }] } },
  },
};
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'boats.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'boats', kind: 'Boat', shortNames: ['bt'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { masts: { type: 'integer', default: 2 } } } },
          },
        },
        additionalPrinterColumns: [{ name: 'Masts', type: 'integer', jsonPath: '.spec.masts' }],
      },
    ],
  },
};

/** The path of kubectl; without one this says so, and where everything must be there it fails. */
function kubectlPath(context: TestContext): string | undefined {
  try {
    return findBinary('kubectl', 'KUBECTL');
  } catch (error) {
    if (process.env['CI'] !== undefined && process.env['CI'] !== '') throw error;
    context.diagnostic(`not run: it needs kubectl. ${error instanceof Error ? error.message : ''}`);
    return undefined;
  }
}

test('kubectl walks over the embedded cluster', { timeout: 180_000 }, async (context) => {
  const path = kubectlPath(context);
  if (path === undefined) return;
  const faults: unknown[] = [];
  const dir = mkdtempSync(join(tmpdir(), 'argosy-walk-'));
  const cluster = await startCluster({ onFault: (fault) => faults.push(fault) });
  const kubeconfig = join(dir, 'kubeconfig');
  writeFileSync(kubeconfig, cluster.adminKubeconfig(), { mode: 0o600 });
  const run = async (args: string[], wanted: RegExp, input?: object, code = 0): Promise<string> => {
    const given = input === undefined ? {} : { input: JSON.stringify(input) };
    const result = await kubectl(kubeconfig, ['-n', 'walk', ...args], given);
    assert.equal(result.code, code, `kubectl ${args.join(' ')}\n${result.stdout}${result.stderr}`);
    assert.match(`${result.stdout}${result.stderr}`, wanted, `kubectl ${args.join(' ')}`);
    return result.stdout;
  };
  const changed = { ...deployment, spec: { ...deployment.spec, replicas: 2 } };
  try {
    await run(['create', 'namespace', 'walk'], /created/);
    await run(['apply', '--dry-run=server', '-f', '-'], /created \(server dry run\)/, deployment);
    await run(['apply', '-f', '-'], /web created/, deployment);
    await run(['rollout', 'status', 'deployment/web', '--timeout=60s'], /successfully rolled out/);
    await run(['wait', '--for=condition=Available', 'deployment/web', '--timeout=60s'], /condition met/);
    await run(['get', 'deploy,rs,pods', '-o', 'wide'], /deployment.apps\/web +1\/1/);
    await run(['describe', 'deployment', 'web'], /MinimumReplicasAvailable/);
    await run(['logs', 'deploy/web'], /./);
    await run(['diff', '-f', '-'], /\+ {2}replicas: 2/, changed, 1);
    await run(['apply', '-f', '-'], /web configured/, changed);
    await run(['label', 'deployment', 'web', 'team=a'], /labeled/);
    await run(['patch', 'deployment', 'web', '-p', '{"spec":{"replicas":1}}'], /patched/);
    await run(
      ['patch', 'deployment', 'web', '--type=json', '-p', '[{"op":"remove","path":"/metadata/labels/team"}]'],
      /patched/,
    );
    const applied = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' }, data: { k: '1' } };
    await run(['apply', '--server-side', '--field-manager=one', '-f', '-'], /serverside-applied/, applied);
    const other = { ...applied, data: { k: '2' } };
    await run(['apply', '--server-side', '--field-manager=two', '-f', '-'], /conflict with "one"/, other, 1);
    await run(['auth', 'can-i', '--list', '--as', 'jane'], /selfsubjectaccessreviews/);
    await run(['create', 'token', 'default'], /^[\w-]+\.[\w-]+\.[\w-]+$/m);
    await run(['api-resources'], /^deployments +deploy +apps\/v1 +true +Deployment$/m);
    await run(['explain', 'deployment.spec.replicas'], /FIELD: replicas <integer>/);
    await run(['apply', '-f', '-'], /created/, definition);
    await run(['wait', '--for=condition=Established', 'crd/boats.example.com', '--timeout=60s'], /condition met/);
    await run(['apply', '-f', '-'], /created/, {
      apiVersion: 'example.com/v1',
      kind: 'Boat',
      metadata: { name: 'b' },
      spec: {},
    });
    await run(['get', 'bt'], /^NAME +MASTS\nb +2$/m);
    await watchOnce(path, kubeconfig, () => run(['annotate', 'configmap', 'm', 'a=b'], /annotated/));
    await run(['delete', 'deployment/web', 'configmap/m', 'boat/b', 'crd/boats.example.com'], /deleted/);
    await run(['get', 'deployment', 'web'], /NotFound/, undefined, 1);
    await run(['delete', 'namespace', 'walk', '--timeout=60s'], /deleted/);
  } finally {
    await cluster.stop();
    rmSync(dir, { recursive: true });
  }
  assert.deepEqual(faults, []);
});

/** `get -w` prints a line for the change made while it watches. */
async function watchOnce(path: string, kubeconfig: string, change: () => Promise<unknown>): Promise<void> {
  const args = ['--kubeconfig', kubeconfig, '-n', 'walk', 'get', 'configmap', 'm', '-w', '--no-headers'];
  const child = spawn(path, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    let lines = 0;
    const seen = new Promise<void>((resolve) => {
      child.stdout.on('data', (chunk: Buffer) => {
        lines += chunk.toString().split('\n').length - 1;
        if (lines === 1) void change();
        if (lines >= 2) resolve();
      });
    });
    await Promise.race([seen, once(child, 'close').then(() => assert.fail('kubectl get -w ended early'))]);
  } finally {
    child.kill();
  }
}
