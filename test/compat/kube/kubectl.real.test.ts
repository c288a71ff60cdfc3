/**
 * kubectl against both clusters: the verbs people use, with the answers the real one gives.
 *
 * It needs the real kubectl, so it runs with the real suite; the embedded cluster is judged here too.
 */
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { edit, watch } from '../../support/kubectl-session.ts';
import type { KubectlResult } from '../../support/real-cluster.ts';
import { type TestCluster, testCluster } from '../../support/test-cluster.ts';
import { unique } from './cluster.ts';
import { crdBody } from './crds.ts';

const json = (value: object): string => JSON.stringify(value);
const configMap = (name: string, data: object, metadata: object = {}): string =>
  json({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data });
const deployment = (image: string, replicas = 0): string =>
  json({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image }] } },
    },
  });

for (const flavour of ['real', 'embedded'] as const)
  describe(`kubectl against the ${flavour} cluster`, { concurrency: 3 }, () => {
    let starting: Promise<TestCluster> | undefined;
    const cluster = (): Promise<TestCluster> => {
      starting ??= testCluster(flavour);
      return starting;
    };
    after(async () => (await starting)?.stop());

    /** Runs kubectl and expects it to succeed unless told otherwise. */
    const run = async (args: string[], input?: string, code = 0): Promise<KubectlResult> => {
      const result = await (await cluster()).kubectl(args, input === undefined ? {} : { input });
      assert.equal(result.code, code, `kubectl ${args.join(' ')}\n${result.stdout}\n${result.stderr}`);
      return result;
    };
    /** Replaces as a user does: a write that lost the race against a controller is sent again. */
    const replace = async (ns: string, body: string): Promise<KubectlResult> => {
      for (let attempt = 1; ; attempt++) {
        const result = await (await cluster()).kubectl(['replace', '-n', ns, '-f', '-'], { input: body });
        if (attempt === 10 || !result.stderr.includes('(Conflict)')) return result;
      }
    };
    const fresh = async (): Promise<string> => {
      const ns = unique('k');
      const { stdout } = await run(['create', 'namespace', ns]);
      assert.equal(stdout, `namespace/${ns} created\n`);
      return ns;
    };

    test('apply creates, then says unchanged, then configured', async () => {
      const ns = await fresh();
      const apply = async (data: object): Promise<string> =>
        (await run(['apply', '-n', ns, '-f', '-'], configMap('a', data))).stdout;
      assert.equal(await apply({ k: '1', l: '1' }), 'configmap/a created\n');
      assert.equal(await apply({ k: '1', l: '1' }), 'configmap/a unchanged\n');
      assert.equal(await apply({ k: '2' }), 'configmap/a configured\n');
      assert.equal((await run(['get', '-n', ns, 'cm', 'a', '-o', 'jsonpath={.data}'])).stdout, '{"k":"2"}');
    });

    test('server-side apply says what it did and names conflicts', async () => {
      const ns = await fresh();
      const flags = ['apply', '-n', ns, '--server-side', '-f', '-'];
      const made = await run([...flags, '--field-manager=one'], configMap('a', { k: '1' }));
      assert.equal(made.stdout, 'configmap/a serverside-applied\n');
      const clash = await run([...flags, '--field-manager=two'], configMap('a', { k: '2' }), 1);
      assert.match(clash.stderr, /Apply failed with 1 conflict: conflict with "one": \.data\.k/);
      await run([...flags, '--field-manager=two', '--force-conflicts'], configMap('a', { k: '2' }));
    });

    test('apply --dry-run=server stores nothing', async () => {
      const ns = await fresh();
      const { stdout } = await run(['apply', '-n', ns, '--dry-run=server', '-f', '-'], configMap('a', { k: '1' }));
      assert.equal(stdout, 'configmap/a created (server dry run)\n');
      await run(['get', '-n', ns, 'cm', 'a'], undefined, 1);
    });

    test('apply validates on the server and refuses unknown fields', async () => {
      const ns = await fresh();
      const bad = json({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, dta: {} });
      const { stderr } = await run(['apply', '-n', ns, '-f', '-'], bad, 1);
      assert.match(stderr, /strict decoding error: unknown field "dta"/);
    });

    test('apply --prune by a label removes what is no longer there', async () => {
      const ns = await fresh();
      const labels = { labels: { set: ns } };
      const list = (...names: string[]): string =>
        json({ apiVersion: 'v1', kind: 'List', items: names.map((name) => JSON.parse(configMap(name, {}, labels))) });
      const flags = ['apply', '-n', ns, '-l', `set=${ns}`, '--prune', '--prune-allowlist=core/v1/ConfigMap', '-f', '-'];
      await run(flags, list('a', 'b'));
      assert.match((await run(flags, list('a'))).stdout, /configmap\/b pruned/);
    });

    test('get prints tables, wide, names, yaml and json', async () => {
      const ns = await fresh();
      await run(['apply', '-n', ns, '-f', '-'], configMap('a', { k: '1' }));
      const lines = (await run(['get', '-n', ns, 'cm', 'a'])).stdout.split('\n');
      assert.match(lines[0] ?? '', /^NAME +DATA +AGE$/);
      assert.match(lines[1] ?? '', /^a +1 +\d+s$/);
      assert.equal((await run(['get', '-n', ns, 'cm', 'a', '-o', 'name'])).stdout, 'configmap/a\n');
      assert.match((await run(['get', '-n', ns, 'cm', 'a', '-o', 'yaml'])).stdout, /^kind: ConfigMap$/m);
      assert.match((await run(['get', '-n', ns, 'configmaps', '-o', 'wide'])).stdout, /^a /m);
      assert.equal(JSON.parse((await run(['get', '-n', ns, 'cm/a', '-o', 'json'])).stdout).metadata.name, 'a');
    });

    test('get of all and of what is not there', async () => {
      const ns = await fresh();
      assert.equal((await run(['get', '-n', ns, 'pods'])).stderr, `No resources found in ${ns} namespace.\n`);
      assert.equal(
        (await run(['get', '-n', ns, 'cm', 'none'], undefined, 1)).stderr,
        'Error from server (NotFound): configmaps "none" not found\n',
      );
      const unknown = await run(['get', '-n', ns, 'nonsense'], undefined, 1);
      assert.equal(unknown.stderr, 'error: the server doesn\'t have a resource type "nonsense"\n');
      await run(['apply', '-n', ns, '-f', '-'], deployment('i'));
      assert.match((await run(['get', '-n', ns, 'all'])).stdout, /^deployment\.apps\/web +0\/0 /m);
    });

    test('describe tells an object’s parts and events', async () => {
      const ns = await fresh();
      await run(['apply', '-n', ns, '-f', '-'], configMap('a', { k: 'value-1' }));
      assert.match((await run(['describe', '-n', ns, 'cm', 'a'])).stdout, /^Name: +a\n[\s\S]*value-1[\s\S]*Events:/);
      await run(['apply', '-n', ns, '-f', '-'], deployment('i'));
      assert.match((await run(['describe', '-n', ns, 'deployment', 'web'])).stdout, /^Selector: +app=web$/m);
      assert.match((await run(['describe', 'namespace', ns])).stdout, /^Status: +Active$/m);
    });

    test('diff shows the change and ends with 1, with 0 if there is none', async () => {
      const ns = await fresh();
      await run(['apply', '-n', ns, '-f', '-'], configMap('a', { k: 'old' }));
      const { stdout } = await run(['diff', '-n', ns, '-f', '-'], configMap('a', { k: 'new' }), 1);
      assert.match(stdout, /^- {2}k: old$/m);
      assert.match(stdout, /^\+ {2}k: new$/m);
      await run(['diff', '-n', ns, '-f', '-'], configMap('a', { k: 'old' }));
      await run(
        ['diff', '-n', ns, '--server-side', '--field-manager=x', '--force-conflicts', '-f', '-'],
        configMap('a', { k: 'new' }),
        1,
      );
    });

    test('edit writes what the editor left', async () => {
      const ns = await fresh();
      await run(['apply', '-n', ns, '-f', '-'], configMap('a', { k: 'old' }));
      const dir = mkdtempSync(join(tmpdir(), 'argosy-edit-'));
      const editor = join(dir, 'editor');
      writeFileSync(editor, '#!/bin/sh\nsed -i "s/k: old/k: edited/" "$1"\n');
      chmodSync(editor, 0o755);
      try {
        const { kubeconfig } = await cluster();
        const said = await edit(kubeconfig, editor, ['edit', '-n', ns, 'cm', 'a']);
        assert.equal(said, 'configmap/a edited\n');
      } finally {
        rmSync(dir, { recursive: true });
      }
      assert.equal((await run(['get', '-n', ns, 'cm', 'a', '-o', 'jsonpath={.data.k}'])).stdout, 'edited');
    });

    test('patch takes each kind of patch', async () => {
      const ns = await fresh();
      await run(['apply', '-n', ns, '-f', '-'], deployment('i'));
      const patch = async (type: string, body: unknown): Promise<string> =>
        (await run(['patch', '-n', ns, 'deployment', 'web', `--type=${type}`, '-p', JSON.stringify(body)])).stdout;
      assert.equal(await patch('merge', { metadata: { labels: { a: 'b' } } }), 'deployment.apps/web patched\n');
      assert.equal(
        await patch('merge', { metadata: { labels: { a: 'b' } } }),
        'deployment.apps/web patched (no change)\n',
      );
      assert.equal(
        await patch('json', [{ op: 'add', path: '/metadata/labels/c', value: 'd' }]),
        'deployment.apps/web patched\n',
      );
      const containers = [{ name: 'c', image: 'j' }];
      assert.equal(
        await patch('strategic', { spec: { template: { spec: { containers } } } }),
        'deployment.apps/web patched\n',
      );
    });

    test('label, annotate, scale, set image and replace change an object', async () => {
      const ns = await fresh();
      await run(['apply', '-n', ns, '-f', '-'], deployment('i'));
      assert.equal(
        (await run(['label', '-n', ns, 'deployment', 'web', 'a=b'])).stdout,
        'deployment.apps/web labeled\n',
      );
      assert.equal(
        (await run(['annotate', '-n', ns, 'deployment', 'web', 'a=b'])).stdout,
        'deployment.apps/web annotated\n',
      );
      assert.equal(
        (await run(['scale', '-n', ns, 'deployment', 'web', '--replicas=0'])).stdout,
        'deployment.apps/web scaled\n',
      );
      assert.equal(
        (await run(['set', 'image', '-n', ns, 'deployment/web', 'c=j'])).stdout,
        'deployment.apps/web image updated\n',
      );
      // kubectl replace reads the resourceVersion and writes with it: the Deployment controller may come in between.
      await run(['rollout', 'status', '-n', ns, 'deployment/web', '--timeout=60s']);
      const replaced = await replace(ns, deployment('k'));
      assert.equal(replaced.stdout, 'deployment.apps/web replaced\n', replaced.stderr);
    });

    test('wait and rollout status end when the condition holds', async () => {
      const ns = await fresh();
      await run(['apply', '-n', ns, '-f', '-'], deployment('i'));
      const rollout = await run(['rollout', 'status', '-n', ns, 'deployment/web', '--timeout=60s']);
      assert.match(rollout.stdout, /deployment "web" successfully rolled out\n$/);
      const waited = await run(['wait', '-n', ns, '--for=condition=Available', 'deployment/web', '--timeout=60s']);
      assert.equal(waited.stdout, 'deployment.apps/web condition met\n');
      await run(['set', 'image', '-n', ns, 'deployment/web', 'c=j']);
      await run(['rollout', 'status', '-n', ns, 'deployment/web', '--timeout=60s']);
      assert.match((await run(['rollout', 'history', '-n', ns, 'deployment/web'])).stdout, /^2 /m);
      assert.match(
        (await run(['rollout', 'undo', '-n', ns, 'deployment/web'])).stdout,
        /deployment\.apps\/web rolled back/,
      );
    });

    test('delete waits until the object is gone', async () => {
      const ns = await fresh();
      await run(['apply', '-n', ns, '-f', '-'], configMap('a', {}));
      assert.equal((await run(['delete', '-n', ns, 'cm', 'a'])).stdout, `configmap "a" deleted from ${ns} namespace\n`);
      assert.equal((await run(['delete', '-n', ns, 'cm', 'a', '--ignore-not-found'])).stdout, '');
      assert.equal((await run(['delete', 'namespace', ns, '--timeout=90s'])).stdout, `namespace "${ns}" deleted\n`);
    });

    test('get -w prints a line per change', async () => {
      const ns = await fresh();
      const { kubeconfig } = await cluster();
      const watching = watch(kubeconfig, [
        'get',
        '-n',
        ns,
        'cm',
        '-w',
        '-l',
        'w',
        '--no-headers',
        '--output-watch-events',
      ]);
      await run(['apply', '-n', ns, '-f', '-'], configMap('a', { k: '1' }, { labels: { w: 'x' } }));
      await watching.until(/^ADDED +a +1 /m);
      await run(['delete', '-n', ns, 'cm', 'a']);
      await watching.until(/^DELETED +a +1 /m);
      watching.stop();
    });

    test('auth can-i answers yes, no and the list', async () => {
      const ns = await fresh();
      await run(['create', 'role', '-n', ns, 'r', '--verb=get,list', '--resource=configmaps']);
      await run(['create', 'rolebinding', '-n', ns, 'b', '--role=r', '--user=alice']);
      assert.equal((await run(['auth', 'can-i', 'get', 'cm', '-n', ns, '--as', 'alice'])).stdout, 'yes\n');
      assert.equal(
        (await run(['auth', 'can-i', 'create', 'cm', '-n', ns, '--as', 'alice'], undefined, 1)).stdout,
        'no\n',
      );
      const { stdout } = await run(['auth', 'can-i', '--list', '-n', ns, '--as', 'alice']);
      assert.match(stdout, /^configmaps +\[\] +\[\] +\[get list\]$/m);
      assert.match(stdout, /^selfsubjectaccessreviews\.authorization\.k8s\.io +\[\] +\[\] +\[create\]$/m);
    });

    test('auth whoami tells an impersonated identity', async () => {
      const { stdout } = await run(['auth', 'whoami', '--as', 'alice', '--as-group', 'team', '-o', 'json']);
      assert.deepEqual(JSON.parse(stdout).status.userInfo, {
        username: 'alice',
        groups: ['team', 'system:authenticated'],
      });
    });

    test('create token gives a token that works', async () => {
      const ns = await fresh();
      await run(['create', 'serviceaccount', '-n', ns, 'sa']);
      const token = (await run(['create', 'token', '-n', ns, 'sa', '--duration=20m'])).stdout.trim();
      assert.equal(token.split('.').length, 3);
      const { stdout } = await run([
        'auth',
        'whoami',
        // A kubeconfig's client certificate would win over the token.
        '--kubeconfig=/dev/null',
        `--server=${(await cluster()).url}`,
        '--insecure-skip-tls-verify=true',
        `--token=${token}`,
        '-o',
        'jsonpath={.status.userInfo.username}',
      ]);
      assert.equal(stdout, `system:serviceaccount:${ns}:sa`);
    });

    test('api-resources and api-versions list what is served', async () => {
      const { stdout } = await run(['api-resources']);
      assert.match(stdout, /^configmaps +cm +v1 +true +ConfigMap$/m);
      assert.match(stdout, /^deployments +deploy +apps\/v1 +true +Deployment$/m);
      assert.match(stdout, /^clusterroles +rbac\.authorization\.k8s\.io\/v1 +false +ClusterRole$/m);
      assert.match((await run(['api-versions'])).stdout, /^apps\/v1$/m);
      assert.match((await run(['version'])).stdout, /^Server Version: v1\./m);
    });

    test('explain tells the fields of built-in kinds', async () => {
      const { stdout } = await run(['explain', 'deployment.spec.replicas']);
      assert.match(stdout, /^KIND: +Deployment$/m);
      assert.match(stdout, /^FIELD: replicas <integer>$/m);
      assert.match((await run(['explain', 'pod', '--recursive'])).stdout, /^ {2}spec\t<PodSpec>$/m);
    });

    test('a CRD and its objects are applied, listed by short name and explained', async () => {
      const [ns, group] = [await fresh(), `${unique('g')}.example.com`];
      const names = {
        plural: 'widgets',
        singular: 'widget',
        kind: 'Widget',
        listKind: 'WidgetList',
        shortNames: [`w${group.slice(2, 8)}`],
      };
      const schema = {
        type: 'object',
        properties: {
          spec: {
            type: 'object',
            description: 'what is wanted',
            properties: { size: { type: 'integer', minimum: 1 } },
          },
        },
      };
      await run(['apply', '-f', '-'], json(crdBody(group, schema, {}, { names })));
      // On a definition without any condition yet kubectl gives up instead of waiting.
      const wait = ['wait', '--for=condition=Established', `crd/widgets.${group}`, '--timeout=30s'];
      for (let tries = 0; tries < 20 && (await (await cluster()).kubectl(wait)).code !== 0; tries++) await sleep(250);
      await run(wait);
      const widget = (size: number): string =>
        json({ apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name: 'a' }, spec: { size } });
      assert.equal((await run(['apply', '-n', ns, '-f', '-'], widget(1))).stdout, `widget.${group}/a created\n`);
      assert.match(
        (await run(['apply', '-n', ns, '-f', '-'], widget(0), 1)).stderr,
        /spec\.size: Invalid value: 0: spec\.size in body should be greater than or equal to 1/,
      );
      assert.match((await run(['get', '-n', ns, names.shortNames[0] ?? ''])).stdout, /^a +\d+s$/m);
      assert.match((await run(['explain', `widgets.${group}.spec`])).stdout, /what is wanted/);
      await run(['delete', 'crd', `widgets.${group}`, '--timeout=60s']);
    });

    test('create makes the usual objects', async () => {
      const ns = await fresh();
      assert.equal(
        (await run(['create', '-n', ns, 'configmap', 'c', '--from-literal=a=b'])).stdout,
        'configmap/c created\n',
      );
      assert.equal(
        (await run(['create', '-n', ns, 'secret', 'generic', 's', '--from-literal=a=b'])).stdout,
        'secret/s created\n',
      );
      assert.equal(
        (await run(['create', '-n', ns, 'deployment', 'd', '--image=i', '--replicas=0'])).stdout,
        'deployment.apps/d created\n',
      );
      assert.equal((await run(['expose', '-n', ns, 'deployment', 'd', '--port=80'])).stdout, 'service/d exposed\n');
      const again = await run(['create', '-n', ns, 'configmap', 'c'], undefined, 1);
      assert.match(again.stderr, /configmaps "c" already exists/);
    });
  });
