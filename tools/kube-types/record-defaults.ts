// Records what a real kube-apiserver makes of the minimal objects: src/kubeserver/registry/testdata/defaults.json.
//
//   node tools/kube-types/record-defaults.ts
import { writeFileSync } from 'node:fs';
import { isObject, type Json, type JsonObject, own, stringAt } from '../../src/core/json/index.ts';
import table from '../../src/kubeserver/registry/types.generated.json' with { type: 'json' };
import { startRealCluster } from '../../test/support/real-cluster.ts';
import { callerOf } from './call.ts';
import { minimalObjects } from './minimal-objects.ts';

/** Defaults that admission plugins add are not the types' own. */
const plugins =
  'ServiceAccount,DefaultTolerationSeconds,Priority,DefaultStorageClass,DefaultIngressClass,StorageObjectInUseProtection,LimitRanger';
const target = 'src/kubeserver/registry/testdata/defaults.json';

const cluster = await startRealCluster({
  own: true,
  controllers: false,
  apiServerArgs: [`--disable-admission-plugins=${plugins}`],
});
try {
  const call = callerOf(cluster);
  const rows: JsonObject[] = [];
  for (const { title, object } of minimalObjects) {
    const { status, body } = await call('POST', `${pathOf(object)}?dryRun=All`, object);
    if (status >= 300) throw new Error(`${title}: ${status} ${JSON.stringify(body).slice(0, 500)}`);
    rows.push({ title, given: object, stored: withoutServerFields(body) });
  }
  writeFileSync(target, `[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]\n`);
  console.log(`${target}: ${rows.length} objects`);
} finally {
  await cluster.stop();
}

function pathOf(object: JsonObject): string {
  const apiVersion = stringAt(object, 'apiVersion') ?? '';
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  const row = table.kinds.find(
    (kind) => kind.kind === object['kind'] && kind.group === group && kind.version === version,
  );
  if (row === undefined) throw new Error(`no kind ${apiVersion} ${stringAt(object, 'kind') ?? ''}`);
  const root = group === '' ? `/api/${apiVersion}` : `/apis/${apiVersion}`;
  return row.namespaced ? `${root}/namespaces/default/${row.plural}` : `${root}/${row.plural}`;
}

/** Without what the server sets on every object, whatever its kind. */
function withoutServerFields(body: Json): Json {
  const metadata = own(body, 'metadata');
  if (!isObject(body) || !isObject(metadata)) return body;
  const { uid: _u, creationTimestamp: _c, managedFields: _m, resourceVersion: _r, generation: _g, ...rest } = metadata;
  return { ...body, metadata: rest };
}
