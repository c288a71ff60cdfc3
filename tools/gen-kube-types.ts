// Reads what a real kube-apiserver serves (discovery and OpenAPI v3) into src/kubeserver/registry/types.generated.json.
//
//   node tools/gen-kube-types.ts            starts the real binaries (npm run tools builds them)
import { writeFileSync } from 'node:fs';
import { request } from 'node:https';
import type { Json } from '../src/core/json/index.ts';
import { isArray, objectAt, own, stringAt } from '../src/core/json/index.ts';
import { startRealCluster } from '../test/support/real-cluster.ts';
import { compactTable } from './kube-types/compact.ts';

const target = 'src/kubeserver/registry/types.generated.json';
const groups = new Set([
  '',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'apps',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'events.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'networking.k8s.io',
  'node.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
]);

const cluster = await startRealCluster({ own: true, controllers: false });
try {
  const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  const [core, rest, index, version] = await Promise.all([
    get('/api', aggregated),
    get('/apis', aggregated),
    get('/openapi/v3'),
    get('/version'),
  ]);
  const openapi = new Map<string, Json>();
  for (const [path, entry] of Object.entries(objectAt(index, 'paths') ?? {}))
    if (/^(api|apis\/[^/]+)\/v[^/]+$/.test(path))
      openapi.set(path, await get(stringAt(entry, 'serverRelativeURL') ?? ''));
  const discovery = { items: [...listOf(own(core, 'items')), ...listOf(own(rest, 'items'))] };
  const table = compactTable({ kubernetes: stringAt(version, 'gitVersion') ?? '', discovery, openapi, groups });
  writeFileSync(target, printTable(table));
  console.log(`${target}: ${table.kinds.length} kinds, ${Object.keys(table.types).length} types`);
} finally {
  await cluster.stop();
}

function listOf(value: Json | undefined): readonly Json[] {
  return isArray(value) ? value : [];
}

/** One row per line, so that a change of one type is a change of one line. */
function printTable({ kubernetes, kinds, types }: ReturnType<typeof compactTable>): string {
  const rows = kinds.map((kind) => JSON.stringify(kind)).join(',\n');
  const named = Object.entries(types).map(([name, type]) => `${JSON.stringify(name)}:${JSON.stringify(type)}`);
  return `{"kubernetes":${JSON.stringify(kubernetes)},\n"kinds":[\n${rows}\n],\n"types":{\n${named.join(',\n')}\n}}\n`;
}

function get(path: string, accept = 'application/json'): Promise<Json> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${cluster.adminToken}`, accept };
    const call = request(`${cluster.url}${path}`, { headers, ca: cluster.ca, timeout: 30_000 }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        if (response.statusCode === 200) resolve(JSON.parse(text) as Json);
        else reject(new Error(`GET ${path}: ${response.statusCode} ${text.slice(0, 200)}`));
      });
    });
    call.on('error', reject);
    call.on('timeout', () => call.destroy(new Error(`GET ${path}: no answer`)));
    call.end();
  });
}
