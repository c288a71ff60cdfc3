// From a commit to manifests: a repository of 1,000 Applications with four plain files each, through our git and renderer,
// against the plain git program in the same run. npm run bench -- render
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { treeAt } from '../src/controller/sources/tree.ts';
import { createGit, type Repository } from '../src/git/index.ts';
import { createRenderer, defaultRenderSettings, type Renderer, type RenderRequest } from '../src/render/index.ts';
import { createSpawner } from '../src/spawn/index.ts';
import { createTestRepository, type TestRepository } from '../test/support/git-repository.ts';
import { type Figure, median, told } from './probes/figures.ts';

const program = promisify(execFile);
const filesPerApp = 4;
const warmUp = 300;

/** Runs the scenario and answers its figures. */
export async function run(options: { readonly size?: 'bar' | 'full' } = {}): Promise<readonly Figure[]> {
  const [applications, rounds] = options.size === 'full' ? [5_000, 21] : [1_000, 11];
  const directory = mkdtempSync(join(tmpdir(), 'argosy-bench-render-'));
  const source = createTestRepository(tree(applications));
  const spawner = createSpawner({ temporaryRoot: join(directory, 'scratch') });
  const git = createGit({ spawner, cacheDir: join(directory, 'mirrors'), allowedHosts: ['file:'] });
  const renderer = createRenderer({ spawner, settings: () => defaultRenderSettings });
  try {
    const repository = git.repository({ url: source.url, scope: 'bench' });
    await repository.fetch();
    const plain = join(directory, 'plain.git');
    await program('git', ['clone', '--quiet', '--mirror', source.url, plain]);
    const bench = new Bench({ applications, rounds, source, repository, plain, renderer });
    return [...(await bench.cold()), ...(await bench.commits()), ...(await bench.lookups())];
  } finally {
    await renderer.close();
    git.close();
    await spawner.close();
    source.remove();
    rmSync(directory, { recursive: true, force: true });
  }
}

interface Parts {
  readonly applications: number;
  readonly rounds: number;
  readonly source: TestRepository;
  readonly repository: Repository;
  readonly plain: string;
  readonly renderer: Renderer;
}

class Bench {
  readonly #parts: Parts;
  readonly #requests: readonly Omit<RenderRequest, 'tree'>[];

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#requests = Array.from({ length: parts.applications }, (_, i) => ({
      source: { repoURL: parts.source.url, path: folder(i) },
      refs: new Map(),
      scope: 'bench',
      context: { appName: `app-${i}`, namespace: 'bench', project: 'bench', kubeVersion: '', apiVersions: [] },
    }));
  }

  /**
   * Every Application for the first time; processor time is that of all threads. A few others go before, so that threads
   * are there and code is compiled: what is cold is the content.
   */
  async cold(): Promise<Figure[]> {
    const tree = await this.#tree();
    const others = this.#requests
      .slice(0, warmUp)
      .map((each, i) => ({ ...each, source: { ...each.source, path: warm(i) } }));
    await Promise.all(others.map((each) => this.#parts.renderer.render({ ...each, tree })));
    const before = process.cpuUsage();
    const start = performance.now();
    await this.#renderAll();
    const cpu = process.cpuUsage(before);
    const seconds = (performance.now() - start) / 1_000;
    const manifests = this.#parts.applications * filesPerApp;
    const perCore = manifests / ((cpu.user + cpu.system) / 1e6);
    return [
      told('cold, wall', manifests / seconds, '/s'),
      { name: 'cold, per core', value: perCore, unit: '/s', bound: '>= 3,000', ok: perCore >= 3_000 },
    ];
  }

  /** Commits that touch one Application, and commits that touch none, in turns with the floor. */
  async commits(): Promise<Figure[]> {
    const { rounds, source, renderer, plain } = this.#parts;
    const samples: Record<string, number[]> = {};
    const note = async (name: string, work: () => Promise<unknown>): Promise<void> => {
      const start = performance.now();
      await work();
      samples[name] = [...(samples[name] ?? []), performance.now() - start];
    };
    const counts = { one: new Set<number>(), none: new Set<number>() };
    for (let round = 0; round < rounds; round += 1) {
      for (const touched of ['one', 'none'] as const) {
        const before = source.git('rev-parse', 'main');
        const path = touched === 'one' ? `${folder(round)}/config.yaml` : 'docs/notes.md';
        source.commit({ [path]: touched === 'one' ? configMap(round, 'changed') : `round ${round}\n` });
        const floor = (): Promise<void> => note(`floor ${touched}`, () => fetchAndDiff(plain, before));
        const ours = async (): Promise<void> => {
          const { renders } = renderer.stats();
          await note(touched, async () => {
            await this.#parts.repository.fetch();
            await this.#renderAll();
          });
          counts[touched].add(renderer.stats().renders - renders);
        };
        // Whoever comes second finds warm caches of the system: take turns.
        for (const turn of round % 2 === 0 ? [floor, ours] : [ours, floor]) await turn();
        if (touched === 'one') await note('floor folder', () => readFolder(plain, folder(round)));
      }
    }
    const at = (name: string): number => median(samples[name] ?? []);
    const one = at('one') / (at('floor one') + at('floor folder'));
    const none = at('none') / at('floor none');
    return [
      told('floor: fetch + name diff', at('floor one'), 'ms'),
      told('floor: reading the folder', at('floor folder'), 'ms'),
      told('commit touching one', at('one'), 'ms'),
      told('commit touching none', at('none'), 'ms'),
      exactly('renders, one touched', counts.one, 1),
      exactly('renders, none touched', counts.none, 0),
      { name: 'one / floor', value: one, unit: 'x', bound: '<= 2', ok: one <= 2 },
      { name: 'none / floor', value: none, unit: 'x', bound: '<= 1.5', ok: none <= 1.5 },
    ];
  }

  /** What has been rendered, asked for again, at the same commit. */
  async lookups(): Promise<Figure[]> {
    const tree = await this.#tree();
    const times = Math.ceil(100_000 / this.#requests.length);
    const before = process.cpuUsage();
    const start = performance.now();
    for (let i = 0; i < times; i += 1)
      for (let at = 0; at < this.#requests.length; at += 100)
        await Promise.all(
          this.#requests.slice(at, at + 100).map((each) => this.#parts.renderer.render({ ...each, tree })),
        );
    const wall = (times * this.#requests.length) / ((performance.now() - start) / 1_000);
    const cpu = process.cpuUsage(before);
    const rate = (times * this.#requests.length) / ((cpu.user + cpu.system) / 1e6);
    return [
      told('warm lookups, wall', wall, '/s'),
      { name: 'warm lookups, per core', value: rate, unit: '/s', bound: '>= 100,000', ok: rate >= 100_000 },
    ];
  }

  async #tree(): Promise<RenderRequest['tree']> {
    const { commit } = await this.#parts.repository.resolve('main');
    return treeAt(this.#parts.repository, commit);
  }

  async #renderAll(): Promise<void> {
    const tree = await this.#tree();
    await Promise.all(this.#requests.map((each) => this.#parts.renderer.render({ ...each, tree })));
  }
}

function exactly(name: string, seen: ReadonlySet<number>, expected: number): Figure {
  const value = Math.max(...seen);
  return { name, value, unit: '', bound: `= ${expected}`, ok: seen.size === 1 && value === expected };
}

async function fetchAndDiff(plain: string, before: string): Promise<void> {
  await program('git', ['-C', plain, 'fetch', '--quiet']);
  await program('git', ['-C', plain, 'diff', '--name-only', '--no-renames', before, 'main']);
}

async function readFolder(plain: string, path: string): Promise<void> {
  const script = `git -C ${plain} ls-tree -r main ${path} | cut -c13-52 | git -C ${plain} cat-file --batch > /dev/null`;
  await program('sh', ['-c', script]);
}

function folder(index: number): string {
  return `apps/app-${String(index).padStart(4, '0')}`;
}

/** Folders that only warm up. */
function warm(index: number): string {
  return `warm/app-${index}`;
}

function configMap(index: number, value: string): string {
  const data = Array.from({ length: 20 }, (_, line) => `  key-${line}: "${value} ${index} ${line}"\n`).join('');
  return `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: config-${index}\ndata:\n${data}`;
}

function deployment(index: number): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web-${index}
  labels: {app: web-${index}, team: bench}
spec:
  replicas: 2
  selector:
    matchLabels: {app: web-${index}}
  template:
    metadata:
      labels: {app: web-${index}, team: bench}
    spec:
      serviceAccountName: account-${index}
      containers:
        - name: main
          image: registry.example.com/web:1.${index}
          args: ["--port=8080", "--verbose"]
          ports:
            - {name: http, containerPort: 8080}
          env:
            - {name: LEVEL, value: info}
            - name: COLOR
              valueFrom: {configMapKeyRef: {name: config-${index}, key: key-1}}
          resources:
            requests: {cpu: 100m, memory: 128Mi}
            limits: {memory: 256Mi}
          readinessProbe:
            httpGet: {path: /ready, port: http}
            periodSeconds: 5
`;
}

function tree(applications: number): Record<string, string> {
  const files: Record<string, string> = { 'docs/notes.md': 'notes\n' };
  for (let i = 0; i < applications; i += 1) {
    files[`${folder(i)}/config.yaml`] = configMap(i, 'first');
    files[`${folder(i)}/deployment.yaml`] = deployment(i);
    files[`${folder(i)}/service.yaml`] =
      `apiVersion: v1\nkind: Service\nmetadata:\n  name: web-${i}\nspec:\n  selector: {app: web-${i}}\n  ports:\n    - {name: http, port: 80, targetPort: http}\n`;
    files[`${folder(i)}/account.yaml`] = `apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: account-${i}\n`;
  }
  for (let i = 0; i < warmUp; i += 1)
    for (const [name, content] of [
      ['config', configMap(i, 'warm')],
      ['deployment', deployment(-i)],
    ] as const)
      files[`${warm(i)}/${name}.yaml`] = content;
  return files;
}
