import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Reads the numbers of protobuf fields out of the Go modules k8s.io/api and k8s.io/apimachinery into a compact table,
 * so that the embedded cluster understands kubectl's typed commands, which send protobuf.
 *
 *   node tools/protobuf-table.ts <directory of k8s.io/api> <directory of k8s.io/apimachinery>
 *
 * Each type maps numbers to `name type flags`; flags: r repeated, m map, p pointer in Go, n inlined in JSON.
 */
const out = 'src/kubeserver/http/protobuf.generated.json';
const table = JSON.parse(readFileSync('src/kubeserver/registry/types.generated.json', 'utf8')) as {
  kinds: { type: string }[];
  types: { [name: string]: { properties?: { [name: string]: unknown } } };
};
const messages = new Map<string, { [number: string]: string }>();

for (const root of process.argv.slice(2))
  for (const file of globSync(join(root, '**/generated.proto'))) readProto(file);

const kept: { [name: string]: { [number: string]: string } } = {};
const extra = ['io.k8s.api.authentication.v1.TokenRequest', 'io.k8s.api.autoscaling.v1.Scale', 'io.k8s.api.policy.v1.Eviction'];
for (const name of [...table.kinds.map(({ type }) => type), ...extra, 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions'])
  keep(name);
const sorted = Object.fromEntries(Object.entries(kept).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(out, `${JSON.stringify(sorted)}\n`);
console.log(`${Object.keys(sorted).length} types`);

function keep(name: string): void {
  const message = messages.get(name);
  if (message === undefined || kept[name] !== undefined) return;
  kept[name] = message;
  for (const field of Object.values(message)) keep(field.split(' ')[1] ?? '');
}

/** `k8s.io.api.core.v1` is `io.k8s.api.core.v1` in OpenAPI. */
function openApiName(name: string): string {
  return name.replace(/^k8s\.io\./, 'io.k8s.');
}

function readProto(file: string): void {
  const text = readFileSync(file, 'utf8').replace(/\/\/.*$/gm, '');
  const pack = /^package ([\w.]+);/m.exec(text)?.[1] ?? '';
  const pointers = goPointers(dirname(file));
  for (const [, name = '', body = ''] of text.matchAll(/^message (\w+) \{([^}]*)\}/gm)) {
    const full = openApiName(`${pack}.${name}`);
    const fields: { [number: string]: string } = {};
    const pattern = /(?:(optional|repeated)\s+)?(map<string,\s*[\w.]+>|[\w.]+)\s+(\w+)\s*=\s*(\d+)/g;
    for (const [, label, type = '', field = '', number = ''] of body.matchAll(pattern))
      fields[number] = describe(full, pack, { label, type, field, pointer: pointers.has(`${name}.${field}`) });
    messages.set(full, fields);
  }
}

function describe(
  owner: string,
  pack: string,
  { label, type, field, pointer }: { label: string | undefined; type: string; field: string; pointer: boolean },
): string {
  const map = /^map<string,\s*([\w.]+)>$/.exec(type)?.[1];
  const bare = map ?? type;
  const scalar = /^(string|bytes|bool|int32|int64|uint32|uint64|double)$/.test(bare);
  const full = scalar ? bare : openApiName(bare.startsWith('.') ? bare.slice(1) : bare.includes('.') ? bare : `${pack}.${bare}`);
  const properties = table.types[owner]?.properties;
  const inline = !scalar && map === undefined && label === 'optional' && properties !== undefined && !Object.hasOwn(properties, field);
  const flags = `${label === 'repeated' ? 'r' : ''}${map === undefined ? '' : 'm'}${pointer ? 'p' : ''}${inline ? 'n' : ''}`;
  return flags === '' ? `${field} ${full}` : `${field} ${full} ${flags}`;
}

/** `Type.field` of every scalar that is a pointer in Go: only there zero and absent differ. */
function goPointers(directory: string): Set<string> {
  const found = new Set<string>();
  for (const file of globSync(join(directory, 'types*.go'))) {
    const text = readFileSync(file, 'utf8');
    for (const [, name = '', body = ''] of text.matchAll(/^type (\w+) struct \{([\s\S]*?)^\}/gm))
      for (const [, field = ''] of body.matchAll(/^\s+\w+\s+\*[\w.]+\s+`[^`]*json:"(\w+)/gm)) found.add(`${name}.${field}`);
  }
  return found;
}
