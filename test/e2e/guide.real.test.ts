import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { createTestRepository, type TestRepository } from '../support/git-repository.ts';
import { type Installed, openInstallation, type RunningProgram } from '../support/installed.ts';
import { findBinary } from '../support/real-processes.ts';
import { until } from '../support/story.ts';

let place: Installed;
let repository: TestRepository;
let program: RunningProgram | undefined;
let dir: string;

const manifest = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shop}\ndata: {greeting: hello}\n';

before(async () => {
  place = await openInstallation({ crds: false });
  repository = createTestRepository({ 'deploy/shop.yaml': manifest });
  dir = mkdtempSync(join(tmpdir(), 'argosy-guide-'));
  cpSync('deploy', join(dir, 'deploy'), { recursive: true });
  mkdirSync(join(dir, 'bin'));
  symlinkSync(join(process.cwd(), 'bin/argosy'), join(dir, 'bin/argosy'));
  mkdirSync(join(dir, 'team-a'));
  symlinkSync(repository.directory, join(dir, 'team-a/shop.git'));
});

after(async () => {
  await program?.stop();
  await place?.stop();
  repository?.remove();
  if (dir !== undefined) rmSync(dir, { recursive: true, force: true });
});

test('install.md', async () => {
  await follow('install');
  // No node runs the pod here: the program runs beside, with the account and the rights of the pod.
  const hosts = `{"data":{"source.allowedHosts":"file:","cluster.tenant.allowedHosts":"127.0.0.1:*"}}`;
  await place.kubectl('patch', 'configmap', 'argocd-cm', '-n', 'argocd', '--type=merge', '-p', hosts);
  program = await place.run('argocd/argosy');
});

for (const name of [
  'onboard-a-tenant',
  'impersonation',
  'clusters-from-tenants',
  'respect-rbac',
  'when-it-does-not-sync',
  'upgrade-and-the-way-back',
  'migrating-from-argo-cd',
]) {
  test(`${name}.md, and a push still arrives after it`, async () => {
    await follow(name);
    repository.commit({ 'deploy/shop.yaml': manifest.replace('hello', name) });
    await until(
      () => place.kubectl('get', 'configmap', 'shop', '-n', 'a-shop', '-o', 'jsonpath={.data.greeting}'),
      (greeting) => greeting === name,
    );
  });
}

/** Runs every `sh` block of a guide in one shell that stops at the first failure. */
async function follow(name: string): Promise<void> {
  const text = readFileSync(`docs/guide/${name}.md`, 'utf8');
  const blocks = [...text.matchAll(/^( *)```sh\n([\s\S]*?)^ *```$/gm)].map(([, indent = '', block = '']) =>
    block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
  assert.ok(blocks.length > 0, `${name} has commands`);
  const script = join(dir, `${name}.sh`);
  writeFileSync(script, `set -eux\n${blocks.map(here).join('\n')}`);
  const { code, output } = await bash(script);
  assert.equal(code, 0, output.slice(-4000));
}

/** The guide's addresses as this test has them. */
function here(block: string): string {
  return block
    .replaceAll('https://git.example.com/team-a', `file://${dir}/team-a`)
    .replaceAll('https://blue.example.com:6443', place.cluster.url);
}

function bash(script: string): Promise<{ code: number; output: string }> {
  const path = [
    join(dir, 'bin'),
    dirname(findBinary('kubectl', 'KUBECTL')),
    dirname(process.execPath),
    process.env['PATH'],
  ];
  const { kubeconfig } = place.cluster;
  const env = { PATH: path.join(':'), HOME: dir, KUBECONFIG: kubeconfig, BLUE_KUBECONFIG: kubeconfig };
  const child = spawn('bash', [script], { cwd: dir, env, timeout: 240_000, killSignal: 'SIGKILL' });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  child.stdin.end();
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? -1, output }));
  });
}
