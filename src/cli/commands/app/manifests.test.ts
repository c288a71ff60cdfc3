import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Seen, typeIn } from '../../testdata/type-in.ts';
import { commands } from '../index.ts';

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'argosy-app-'));
  for (const path of ['repo/plain', 'repo/chart/templates', 'values/envs', 'repo/.git'])
    await mkdir(join(folder, path), { recursive: true });
  const files = {
    'repo/plain/a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {long: 1234567890123456789}\n',
    'repo/.git/x.yaml': 'secret',
    'repo/chart/Chart.yaml': 'apiVersion: v2\nname: c\nversion: 1.0.0\n',
    'repo/chart/templates/x.yaml':
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "{{ .Release.Name }}"}\ndata: {color: "{{ .Values.color }}"}\n',
    'values/envs/prod.yaml': 'color: blue\n',
    'plain.yaml': application('source: {repoURL: "https://git.example.com/x", path: plain}'),
    'out.yaml': application('source: {repoURL: "https://git.example.com/x", path: out}'),
    'chart.yaml': application(
      'sources:\n  - {repoURL: "https://git.example.com/x", path: chart, helm: {valueFiles: [$values/envs/prod.yaml]}}\n  - {repoURL: "https://git.example.com/y", ref: values}',
    ),
  };
  for (const [path, text] of Object.entries(files)) await writeFile(join(folder, path), text);
  await mkdir(join(folder, 'repo/out'));
  await symlink('/etc/hostname', join(folder, 'repo/out/x.yaml'));
});
after(() => rm(folder, { recursive: true }));

function application(source: string): string {
  return `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: shop, namespace: team-a}
spec:
  project: team-a
  destination: {server: 'https://kubernetes.default.svc', namespace: shop}
  ${source}
`;
}

function manifests(...argv: string[]): Promise<Seen> {
  const { HOME, PATH, ARGOSY_TOOLS } = process.env;
  return typeIn(['app', 'manifests', ...argv], commands, { env: { HOME, PATH, ARGOSY_TOOLS }, cwd: folder });
}

test('prints plain manifests as YAML, digits and all', async () => {
  const { code, out } = await manifests('--local', 'repo', '-f', 'plain.yaml');
  assert.equal(code, 0);
  assert.match(out, /^---\napiVersion: v1\nkind: ConfigMap\n/);
  assert.match(out, /long: 1234567890123456789\n/);
});

test('prints JSON', async () => {
  const { out } = await manifests('--local', 'repo', '-f', 'plain.yaml', '-o', 'json');
  assert.match(out, /"long": 1234567890123456789/);
  assert.equal((JSON.parse(out) as { kind: string }[])[0]?.kind, 'ConfigMap');
});

test('renders a chart with values from a second checkout, named by its ref', async () => {
  const { code, out, err } = await manifests('--local', 'repo', '--local', 'values=values', '-f', 'chart.yaml');
  assert.equal(`${code}${err}`, '0');
  assert.match(out, /name: shop\n/);
  assert.match(out, /color: blue\n/);
});

test('refuses what the controller would refuse', async () => {
  const { code, err } = await manifests('--local', 'repo', '-f', 'out.yaml');
  assert.notEqual(code, 0);
  assert.match(err, /a link leads out of the repository/);
});

test('says what is missing', async () => {
  assert.match((await manifests('--local', 'nowhere', '-f', 'plain.yaml')).err, /cannot be read/);
  assert.match((await manifests('--local', 'x=repo', '-f', 'plain.yaml')).err, /no directory was given/);
  assert.match((await manifests('--local', 'repo', '-f', 'values')).err, /one Application is needed|apiVersion|kind/);
});
