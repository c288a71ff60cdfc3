import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { configMap, openRenderHouse } from '../../../test/support/render-house.ts';
import { parseConstraint, pickVersion } from '../../git/index.ts';
import { createCharts } from './charts.ts';
import { readArchive } from './untar.ts';

interface Entry {
  readonly name: string;
  readonly content?: string;
  readonly type?: string;
  readonly link?: string;
}

function tar(entries: readonly Entry[]): Buffer {
  const blocks = entries.flatMap(({ name, content = '', type = '0', link = '' }) => {
    const header = Buffer.alloc(512);
    header.write(name, 0, 100, 'utf8');
    header.write('0000644\0', 100);
    header.write(`${Buffer.byteLength(content).toString(8).padStart(11, '0')}\0`, 124);
    header.write('        ', 148);
    header.write(type, 156);
    header.write(link, 157, 100, 'utf8');
    header.write('ustar\x0000', 257, 'latin1');
    header.write(
      `${header
        .reduce((sum, byte) => sum + byte, 0)
        .toString(8)
        .padStart(6, '0')}\0 `,
      148,
    );
    const body = Buffer.alloc(Math.ceil(Buffer.byteLength(content) / 512) * 512);
    body.write(content);
    return [header, body];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

const archive = (version: string): Buffer =>
  tar([
    { name: 'shop/Chart.yaml', content: `apiVersion: v2\nname: shop\nversion: ${version}\n` },
    { name: 'shop/templates/x.yaml', content: configMap('x', 'v: {{ .Chart.Version | quote }}') },
  ]);
const digest = (bytes: Buffer | string): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

const seen: { readonly host: string; readonly url: string; readonly authorization: string | undefined }[] = [];
let servers: Server[] = [];
let [first, second] = ['', ''];

function answer(request: IncomingMessage, response: ServerResponse): void {
  const { url = '', headers } = request;
  seen.push({ host: headers.host ?? '', url, authorization: headers.authorization });
  const send = (body: string | Buffer, status = 200, more: Record<string, string> = {}): void => {
    response.writeHead(status, more).end(body);
  };
  if (url === '/charts/index.yaml') send(index());
  else if (url === '/private/index.yaml') send(index(), headers.authorization === undefined ? 401 : 200);
  else if (/\/shop-[0-9.]+\.tgz$/.test(url)) send(archive(/shop-(.*)\.tgz/.exec(url)?.[1] ?? ''));
  else if (url === '/moved/index.yaml') send('', 302, { location: `http://${second}/charts/index.yaml` });
  else if (url === '/astray/index.yaml') send('', 302, { location: 'http://[' });
  else if (url.startsWith('/v2/astray/')) send('', 401, { 'www-authenticate': 'Bearer realm="http://["' });
  else if (url === '/endless/index.yaml') void endless(response);
  else if (url.startsWith('/v2/') && headers.authorization !== 'Bearer good')
    send('', 401, { 'www-authenticate': `Bearer realm="http://${first}/token",service="s",scope="pull"` });
  else if (url.startsWith('/token')) send(JSON.stringify({ token: 'good' }));
  else if (url === '/v2/team/shop/tags/list') send(JSON.stringify({ tags: ['1.0.0', '1.5.0_build', 'latest'] }));
  else if (url === '/v2/team/shop/manifests/1.0.0') send(JSON.stringify(manifest(digest(archive('1.0.0')))));
  else if (url === '/v2/team/shop/manifests/6.6.6') send(JSON.stringify(manifest(digest('other'))));
  else if (url.startsWith('/v2/team/shop/blobs/')) send(archive('1.0.0'));
  else send('no', 404);
}

function manifest(layer: string): object {
  return { layers: [{ mediaType: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip', digest: layer }] };
}

function index(): string {
  const entry = (version: string, url: string): string => `  - {version: ${version}, urls: ['${url}']}\n`;
  return `apiVersion: v1\nentries:\n  shop:\n${entry('1.0.0', 'shop-1.0.0.tgz')}${entry('1.4.0', `http://${second}/shop-1.4.0.tgz`)}${entry('2.0.0-rc1', 'shop-2.0.0.tgz')}`;
}

async function endless(response: ServerResponse): Promise<void> {
  response.on('error', () => undefined);
  const chunk = Buffer.alloc(1024 * 1024, 'a: b\n');
  while (!response.destroyed) {
    response.write(chunk);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

before(async () => {
  servers = await Promise.all(
    [0, 1].map(async () => {
      const server = createServer(answer);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return server;
    }),
  );
  [first = '', second = ''] = servers.map((server) => `127.0.0.1:${(server.address() as AddressInfo).port}`);
});

const outbound = { tenantClusterHosts: [], tenantClusterInsecure: false, sourceHosts: ['127.0.0.1:*'] };
const pick = (constraint: string, versions: readonly string[]): string | undefined => {
  const parsed = parseConstraint(constraint);
  return parsed === undefined ? undefined : pickVersion(parsed, versions);
};
const charts = createCharts({ outbound: () => outbound, pickVersion: pick });
const house = openRenderHouse();
after(async () => {
  await charts.close();
  await house.close();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

const request = { chart: 'shop', scope: 'team-a' };

test('a chart of a Helm repository is brought once and rendered', async () => {
  const wanted = { ...request, repoURL: `http://${first}/charts`, version: '1.0.0' };
  const tree = await charts.tree(wanted);
  const source = { repoURL: wanted.repoURL, chart: 'shop', targetRevision: '1.0.0' };
  const made = await house.render({ tree, source });
  assert.deepEqual([made.revision, made.sourceType], ['1.0.0', 'Helm']);
  assert.match(JSON.stringify(made.objects), /"v":"1\.0\.0"/);
  const before = seen.length;
  assert.equal(await charts.tree(wanted), tree);
  assert.equal(seen.length, before);
});

test('a refresh asks for the versions again, a hard one brings the chart again', async () => {
  const wanted = { ...request, scope: 'refresh', repoURL: `http://${first}/charts`, version: '1.0.*' };
  const asked = async (): Promise<number> => {
    const before = seen.length;
    await charts.tree(wanted);
    return seen.length - before;
  };
  assert.deepEqual([await asked(), await asked()], [2, 0]);
  charts.forget(wanted, 'normal');
  assert.deepEqual([await asked(), await asked()], [1, 0]);
  charts.forget(wanted, 'hard');
  assert.deepEqual([await asked(), await asked()], [2, 0]);
});

test('a constraint means the highest version that fits', async () => {
  const wanted = { ...request, repoURL: `http://${first}/charts/` };
  assert.equal(await charts.version({ ...wanted, version: '1.*' }), '1.4.0');
  await assert.rejects(charts.version({ ...wanted, version: '>=9' }), /no version of the chart fits/);
  await assert.rejects(charts.version({ ...wanted, version: '' }), /needs a targetRevision/);
  await assert.rejects(charts.tree({ ...wanted, version: '3.3.3' }), /no version 3\.3\.3/);
});

test('a server that points to nonsense is told as the fault of the outside', async () => {
  const request = { chart: 'shop', version: '1.x', scope: 'a' };
  await assert.rejects(charts.version({ ...request, repoURL: `http://${first}/astray` }), {
    code: 'render-failed',
    fault: 'outside',
  });
  await assert.rejects(charts.version({ ...request, repoURL: `oci://${first}/astray`, plainHttp: true }), {
    code: 'render-failed',
  });
});

test('KU-12: a credential stays with its host, at a redirect and at an archive that lies elsewhere', async () => {
  const login = { username: 'u', password: 'canary' };
  await charts.tree({ ...request, repoURL: `http://${first}/private`, version: '1.4.0', login });
  await charts.version({ ...request, repoURL: `http://${first}/moved`, version: '1.*', login });
  const there = seen.filter(({ host }) => host === second);
  assert.ok(there.length >= 2);
  assert.deepEqual(
    there.map(({ authorization }) => authorization).filter((each) => each !== undefined),
    [],
  );
  assert.ok(seen.some(({ host, authorization }) => host === first && authorization !== undefined));
});

test('passCredentials lets the credential follow the archive', async () => {
  const login = { username: 'u', password: 'p' };
  seen.length = 0;
  await charts.tree({
    ...request,
    scope: 'pass',
    repoURL: `http://${first}/private`,
    version: '1.4.0',
    login,
    passCredentials: true,
  });
  assert.ok(seen.some(({ host, authorization }) => host === second && authorization !== undefined));
});

test('a chart of an OCI registry is brought by its digest, with a token', async () => {
  const wanted = { ...request, repoURL: `oci://${first}/team`, version: '1.0.0', plainHttp: true };
  const [item] = await (await charts.tree(wanted)).at(['Chart.yaml']);
  assert.equal(item?.kind, 'file');
  assert.equal(await charts.version({ ...wanted, version: '^1.2' }), '1.5.0+build');
  await assert.rejects(charts.tree({ ...wanted, version: '6.6.6' }), /not what it names/);
  await assert.rejects(charts.tree({ ...wanted, version: '7.7.7' }), { status: 404 });
});

test('FL-03: addresses that nobody has listed are refused before a connection', async () => {
  const strict = createCharts({ outbound: () => ({ ...outbound, sourceHosts: [] }), pickVersion: pick });
  const before = seen.length;
  for (const repoURL of [
    `http://${first}/charts`,
    'https://127.0.0.1/x',
    'https://169.254.169.254/latest',
    'oci://localhost/x',
    'https://user:pw@example.com/x',
  ])
    await assert.rejects(strict.tree({ ...request, repoURL, version: '1.0.0' }), { code: 'render-refused' });
  assert.equal(seen.length, before);
  await strict.close();
});

test('AC-15: an endless index is cut off', async () => {
  const wanted = { ...request, repoURL: `http://${first}/endless`, version: '1.*' };
  await assert.rejects(charts.version(wanted), { code: 'render-limit' });
});

test('KU-02: a chart whose name is a path is refused', async () => {
  for (const chart of ['..', '.', '../x', 'a/../b', '/x', 'a?b'])
    await assert.rejects(charts.tree({ ...request, chart, repoURL: `http://${first}/charts`, version: '1.0.0' }), {
      code: 'render-refused',
    });
});

const small = { extractedBytes: 1024 * 1024, files: 10 };

for (const [title, entry] of [
  ['a link', { name: 'c/x', type: '2', link: 'y' }],
  ['an absolute link', { name: 'c/x', type: '2', link: '/etc/passwd' }],
  ['a hard link', { name: 'c/x', type: '1', link: '/etc/passwd' }],
  ['a device', { name: 'c/x', type: '3' }],
  ['a pipe', { name: 'c/x', type: '6' }],
  ['a way up', { name: 'c/../../x' }],
  ['an absolute name', { name: '/etc/x' }],
  ['a long name that goes up', { name: '@', type: 'L', content: '../../x' }],
] as const)
  test(`AC-12, AC-14: ${title} in an archive is refused`, async () => {
    await assert.rejects(readArchive(tar([entry, { name: 'c/after', content: 'x' }]), small), {
      code: 'render-refused',
    });
  });

test('AC-14: an archive that grows beyond the limit is refused, and so is one of too many files', async () => {
  await assert.rejects(readArchive(gzipSync(Buffer.alloc(50 * 1024 * 1024)), small), { code: 'render-limit' });
  const many = Array.from({ length: 20 }, (_, i) => ({ name: `c/${i}`, content: 'x' }));
  await assert.rejects(readArchive(tar(many), small), { code: 'render-limit' });
  await assert.rejects(readArchive(Buffer.from('no archive'), small), { code: 'render-failed' });
});
