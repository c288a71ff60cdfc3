/**
 * Reads the Go types of the Kubernetes API (their `protobuf` tags) from the module cache into the compact table that the
 * embedded cluster decodes kubectl's binary bodies with. Run after a new Kubernetes version: `node tools/gen-kube-protobuf.ts`.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const cache = execFileSync('go', ['env', 'GOMODCACHE'], { encoding: 'utf8' }).trim();
const goMod = readFileSync('tools/kube/kubernetes/go.mod', 'utf8');
const minor = /k8s\.io\/kubernetes v1\.(\d+\.\d+)/.exec(goMod)?.[1];
const root = join(cache, 'k8s.io');
const groups = [
  'apps',
  'authentication',
  'authorization',
  'autoscaling',
  'batch',
  'certificates',
  'coordination',
  'core',
  'discovery',
  'events',
  'networking',
  'node',
  'policy',
  'rbac',
  'scheduling',
  'storage',
];

/** Types that are no plain messages, by their Go name, and the letter the decoder knows them by. */
const special: Record<string, string> = {
  'metav1.Time': 'T',
  Time: 'T',
  'metav1.MicroTime': 'U',
  MicroTime: 'U',
  'resource.Quantity': 'Q',
  'intstr.IntOrString': 'I',
  'runtime.RawExtension': 'R',
  'metav1.FieldsV1': 'V',
  FieldsV1: 'V',
  'metav1.Duration': 'D',
  string: 's',
  bool: 'b',
  int32: 'i',
  int64: 'i',
  int: 'i',
  float64: 'f',
  '[]byte': 'y',
  'types.UID': 's',
  'types.NodeName': 's',
};

const packages: Record<string, string> = { metav1: 'meta', v1: 'core/v1', corev1: 'core/v1', batchv1: 'batch/v1' };
const messages: Record<string, string[]> = {};
const aliases = new Map<string, string>();

interface Source {
  readonly name: string;
  readonly text: string;
}

function sources(): Source[] {
  const api = join(root, `api@v0.${minor}`);
  const found = groups.flatMap((group) =>
    readdirSync(join(api, group), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && /^v\d+$/.test(entry.name))
      .map((entry) => ({ name: `${group}/${entry.name}`, folder: join(api, group, entry.name) })),
  );
  found.push({ name: 'meta', folder: join(root, `apimachinery@v0.${minor}`, 'pkg/apis/meta/v1') });
  return found.map(({ name, folder }) => {
    const files = readdirSync(folder).filter(
      (file) => /types.*\.go$/.test(file) && !file.includes('generated') && !file.includes('test'),
    );
    return { name, text: files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n') };
  });
}

function resolveName(type: string, pkg: string): string {
  const [prefix, name] = type.includes('.') ? type.split('.') : [undefined, type];
  return `${prefix === undefined ? pkg : (packages[prefix] ?? prefix)}.${name}`;
}

function code(type: string, pkg: string): string {
  const known = special[type];
  if (known !== undefined) return known;
  if (type.startsWith('*')) return `*${code(type.slice(1), pkg)}`;
  if (type.startsWith('[]')) return `[]${code(type.slice(2), pkg)}`;
  const map = /^map\[[\w.]+\](.+)$/.exec(type)?.[1];
  if (map !== undefined) return `{}${code(map, pkg)}`;
  const full = resolveName(type, pkg);
  const alias = aliases.get(full);
  if (alias === undefined) return full;
  // A named list is a message with its items in field 1.
  return alias.startsWith('[]') && alias !== '[]byte'
    ? `L${code(alias.slice(2), full.slice(0, full.lastIndexOf('.')))}`
    : code(alias, full.slice(0, full.lastIndexOf('.')));
}

const all = sources();
for (const { name, text } of all)
  for (const match of text.matchAll(/^type (\w+) (string|int32|int64|int|bool|map\[[^\n ]+|\[\][^\n ]+)\s*$/gm))
    if (special[match[1] ?? ''] === undefined) aliases.set(`${name}.${match[1]}`, match[2] ?? '');
for (const { name, text } of all)
  for (const struct of text.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)) {
    const fields = [...(struct[2] ?? '').matchAll(/^\t(?:(\w+)\s+)?(\S+)\s+`([^`]*)`/gm)].flatMap(
      ([, , type = '', tags = '']) => {
        const json = /json:"([^"]*)"/.exec(tags)?.[1] ?? '';
        const number = /protobuf:"\w+,(\d+),/.exec(tags)?.[1];
        if (number === undefined) return [];
        const [key = '', ...options] = json.split(',');
        const inline = options.includes('inline') && key === '';
        const kept = options.includes('omitempty') ? '' : '!';
        return [`${number} ${inline ? '^' : key} ${kept}${code(type, name)}`];
      },
    );
    if (fields.length > 0 && special[struct[1] ?? ''] === undefined) messages[`${name}.${struct[1]}`] = fields;
  }
for (const name of Object.keys(messages)) if (/List$/.test(name) && name !== 'meta.List') delete messages[name];
const target = 'src/kubeserver/protobuf/messages.generated.json';
if (!existsSync('src/kubeserver/protobuf')) throw new Error('run this in the root of the repository');
writeFileSync(target, `${JSON.stringify(messages, null, 0).replaceAll('],"', '],\n"')}\n`);
console.log(`${target}: ${Object.keys(messages).length} messages`);
