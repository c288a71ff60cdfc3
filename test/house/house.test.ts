import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { catalogue } from '../../src/core/errors/index.ts';
import { allowed, environmentReaders, longFiles } from './rooms.ts';

const files = globSync('src/**/*.ts').map((file) => file.replaceAll('\\', '/'));
const production = files.filter((file) => !file.endsWith('.test.ts') && !file.includes('/testdata/'));
const source = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));

interface Import {
  readonly from: string;
  readonly target: string;
  readonly typeOnly: boolean;
}

const imports: Import[] = production.flatMap((from) => importsOf(from));

function importsOf(from: string): Import[] {
  const text = source.get(from) ?? '';
  const found: Import[] = [];
  const statement = /^(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?['"]([^'"]+)['"]/gm;
  for (const match of text.matchAll(statement))
    found.push({ from, target: resolve(from, match[2] ?? ''), typeOnly: match[1] !== undefined });
  for (const match of text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g))
    found.push({ from, target: resolve(from, match[1] ?? ''), typeOnly: false });
  return found;
}

function resolve(from: string, target: string): string {
  return target.startsWith('.') ? normalize(join(dirname(from), target)) : target;
}

/** `src/core/json/equal.ts` is in the room `core/json`, `src/kube/list/stream.ts` in `kube`. */
function roomOf(file: string): string {
  const parts = file.split('/');
  return parts[1] === 'core' ? `core/${parts[2]}` : (parts[1] ?? '');
}

test('every room imports only the rooms below it', () => {
  const wrong = imports
    .filter(({ target }) => target.startsWith('src/'))
    .filter(({ from, target }) => {
      const [mine, theirs] = [roomOf(from), roomOf(target)];
      if (mine === theirs) return false;
      const may = allowed[mine];
      assert.ok(may, `the room ${mine} is missing in test/house/rooms.ts`);
      return !may.includes(theirs) && !(theirs.startsWith('core/') && may.includes('core'));
    });
  assert.deepEqual(wrong, []);
});

test('rooms meet at their faces: no import reaches into another room', () => {
  const wrong = imports
    .filter(({ from, target }) => target.startsWith('src/') && roomOf(from) !== roomOf(target))
    .filter(({ from, target }) => !target.endsWith('/index.ts') && roomOf(from) !== 'main')
    .filter(({ from, target }) => `${from} → ${target}`);
  assert.deepEqual(wrong, []);
});

test('every imported file is there', () => {
  assert.deepEqual(
    imports.filter(({ target }) => target.startsWith('src/') && !existsSync(target)),
    [],
  );
});

test('no file imports itself through others', () => {
  const edges = new Map<string, string[]>();
  for (const { from, target, typeOnly } of imports)
    if (!typeOnly && target.startsWith('src/')) edges.set(from, [...(edges.get(from) ?? []), target]);
  const state = new Map<string, 'open' | 'done'>();
  const cycles: string[] = [];
  const visit = (file: string, path: string[]): void => {
    if (state.get(file) === 'done') return;
    if (state.get(file) === 'open') {
      cycles.push([...path.slice(path.indexOf(file)), file].join(' → '));
      return;
    }
    state.set(file, 'open');
    for (const next of edges.get(file) ?? []) visit(next, [...path, file]);
    state.set(file, 'done');
  };
  for (const file of production) visit(file, []);
  assert.deepEqual(cycles, []);
});

test('core is pure: no node module, clock, randomness, timer or process', () => {
  const impure =
    /\b(Date\.now\(|new Date\(\)|Math\.random\(|setTimeout\(|setInterval\(|setImmediate\(|process\.|performance\.now\(|crypto\.|globalThis\.)/;
  const wrong = production
    .filter((file) => file.startsWith('src/core/'))
    .filter(
      (file) =>
        importsOf(file).some(({ target }) => target.startsWith('node:')) || impure.test(code(source.get(file) ?? '')),
    );
  assert.deepEqual(wrong, []);
});

test('only config and the composition read the environment and the arguments', () => {
  const wrong = production
    .filter((file) => !['config', 'main'].includes(roomOf(file)) && environmentReaders[file] === undefined)
    .filter((file) => /\bprocess\.(env|argv)\b/.test(code(source.get(file) ?? '')));
  assert.deepEqual(wrong, []);
});

test('no file is longer than 400 lines, tests and tools among them, tables of data excepted by name', () => {
  const wrong = globSync('{src,test,tools,bench}/**/*.ts')
    .filter((file) => longFiles[file] === undefined)
    .map((file) => ({ file, lines: readFileSync(file, 'utf8').trimEnd().split('\n').length }))
    .filter(({ lines }) => lines > 400);
  assert.deepEqual(wrong, []);
});

test('every room opens with what it is for', () => {
  const rooms = [...new Set(production.map(roomOf))].filter((room) => room !== 'main');
  const wrong = rooms.filter((room) => !/^\/\*\*/.test(source.get(`src/${room}/index.ts`) ?? ''));
  assert.deepEqual(wrong, []);
});

test('docs/errors.md lists exactly the codes of the catalogue', () => {
  const listed = [...readFileSync('docs/errors.md', 'utf8').matchAll(/^\| `([a-z-]+)` \| (\w+) \| (.*) \|$/gm)];
  assert.deepEqual(
    listed.map(([, code, fault, about]) => [code, fault, about]),
    Object.entries(catalogue).map(([code, { fault, about }]) => [code, fault, about]),
  );
});

/** The text without comments, so that a word in a comment is no crime. */
function code(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[^:])\/\/.*$/gm, '$1');
}

/** Which names of `kube` lead to a cluster, and the only files and rooms that may hold them: three doors, no window. */
const doors: Record<string, readonly string[]> = {
  connect: ['src/main/', 'src/cli/objects/'],
  controlDoor: ['src/main/', 'src/cli/objects/', 'src/controller/controller.ts'],
  cacheDoor: ['src/controller/clusters/', 'src/main/'],
  tenantDoor: ['src/controller/clusters/'],
};

/** Rooms that open sockets at all: clusters, repositories and charts, the servers we are, and pipes to children. */
const networkRooms = ['kube', 'kubeserver', 'git', 'render', 'spawn', 'main'];

test('there are three doors to a cluster and no window', () => {
  const wrong: string[] = [];
  for (const file of production.filter((each) => roomOf(each) !== 'kube')) {
    const text = source.get(file) ?? '';
    const taken = [...text.matchAll(/import\s+(?:type\s+)?\{([^}]*)\}\s+from\s+'[^']*\/kube\/index\.ts'/g)];
    const names = taken.flatMap(([, list]) => (list ?? '').split(',').map((name) => name.trim()));
    for (const [door, places] of Object.entries(doors)) {
      if (names.includes(door) && !places.some((place) => file.startsWith(place))) wrong.push(`${file} takes ${door}`);
    }
    const network = importsOf(file).some(({ target }) => /^node:(http2?|https|tls|net|dgram)$/.test(target));
    if (network && !networkRooms.includes(roomOf(file))) wrong.push(`${file} speaks to a network`);
  }
  assert.deepEqual(wrong, []);
});
