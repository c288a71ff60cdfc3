// What git costs us, against the plain git program in the same run: node bench/git.ts
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createGit, type Repository } from '../src/git/index.ts';
import { createSpawner } from '../src/spawn/index.ts';
import { createTestRepository, type TestRepository } from '../test/support/git-repository.ts';
import { median } from './probes/figures.ts';

const run = promisify(execFile);

/** Milliseconds, medians of the rounds, and the ratios to the floors of the same rounds. */
export interface GitFigures {
  readonly applications: number;
  readonly rounds: number;
  readonly floorFetchAndDiff: number;
  readonly floorReadFolder: number;
  readonly floorNothingNew: number;
  readonly oursTouchingOne: number;
  readonly oursTouchingNone: number;
  readonly oursNothingNew: number;
  readonly readAllBlobs: number;
  readonly floorReadAllBlobs: number;
  readonly ratioTouchingOne: number;
  readonly ratioTouchingNone: number;
}

/** Measures a repository of many Applications: commits that touch one of them, and commits that touch none. */
export async function measureGit(applications = 1000, rounds = 11): Promise<GitFigures> {
  const directory = mkdtempSync(join(tmpdir(), 'argosy-bench-git-'));
  const source = createTestRepository(tree(applications));
  const spawner = createSpawner({ temporaryRoot: join(directory, 'scratch') });
  const git = createGit({ spawner, cacheDir: join(directory, 'mirrors'), allowedHosts: ['file:'] });
  try {
    const repository = git.repository({ url: source.url, scope: 'bench' });
    await repository.fetch();
    const plain = join(directory, 'plain.git');
    await run('git', ['clone', '--quiet', '--mirror', source.url, plain]);
    return await measure({ applications, rounds, source, repository, plain });
  } finally {
    git.close();
    await spawner.close();
    source.remove();
    rmSync(directory, { recursive: true, force: true });
  }
}

interface Bench {
  readonly applications: number;
  readonly rounds: number;
  readonly source: TestRepository;
  readonly repository: Repository;
  readonly plain: string;
}

async function measure(bench: Bench): Promise<GitFigures> {
  const { applications, rounds, source, repository } = bench;
  const paths = Array.from({ length: applications }, (_, index) => folder(index));
  const samples: Record<string, number[]> = {};
  const note = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    const start = performance.now();
    await work();
    samples[name] = [...(samples[name] ?? []), performance.now() - start];
  };
  let ids = await repository.treeIds((await repository.resolve('main')).commit, paths);
  const look = async (touched: number): Promise<void> => {
    await repository.fetch();
    const { commit } = await repository.resolve('main');
    const now = await repository.treeIds(commit, paths);
    const changed = now.flatMap((item, index) => (item?.id === ids[index]?.id ? [] : [paths[index] ?? '']));
    ids = now;
    if (changed.length !== touched) throw new Error(`${changed.length} folders changed, ${touched} were touched`);
    for (const path of changed) await repository.read((await repository.files(commit, path)).map(({ id }) => id));
  };
  for (let round = 0; round < rounds; round += 1) {
    for (const touched of [1, 0]) {
      const before = source.git('rev-parse', 'main');
      source.commit(
        touched === 1
          ? { [`${folder(round)}/config.yaml`]: manifest(round, 'changed') }
          : { 'docs/notes.md': `round ${round}\n` },
      );
      const floor = (): Promise<void> => note('fetchAndDiff', () => fetchAndDiff(bench.plain, before));
      const ours = (): Promise<void> => note(touched === 1 ? 'one' : 'none', () => look(touched));
      // Whoever comes second finds warm caches of the system: take turns.
      for (const turn of round % 2 === 0 ? [floor, ours] : [ours, floor]) await turn();
      if (touched === 1) await note('readFolder', () => readFolder(bench.plain, folder(round)));
    }
    await note('nothingNew', () => repository.fetch());
    await note('floorNothingNew', () => run('git', ['-C', bench.plain, 'fetch', '--quiet']));
  }
  const { commit } = await repository.resolve('main');
  const files = await repository.files(commit, 'apps');
  for (let round = 0; round < 5; round += 1) {
    await note('readAll', () => repository.read(files.map(({ id }) => id)));
    await note('floorReadAll', () =>
      run('sh', [
        '-c',
        `git -C ${bench.plain} ls-tree -r main apps | cut -c13-52 | git -C ${bench.plain} cat-file --batch --buffer > /dev/null`,
      ]),
    );
  }
  const at = (name: string): number => median(samples[name] ?? []);
  return {
    applications,
    rounds,
    floorFetchAndDiff: at('fetchAndDiff'),
    floorReadFolder: at('readFolder'),
    floorNothingNew: at('floorNothingNew'),
    oursTouchingOne: at('one'),
    oursTouchingNone: at('none'),
    oursNothingNew: at('nothingNew'),
    readAllBlobs: at('readAll'),
    floorReadAllBlobs: at('floorReadAll'),
    ratioTouchingOne: at('one') / (at('fetchAndDiff') + at('readFolder')),
    ratioTouchingNone: at('none') / at('fetchAndDiff'),
  };
}

async function fetchAndDiff(plain: string, before: string): Promise<void> {
  await run('git', ['-C', plain, 'fetch', '--quiet']);
  await run('git', ['-C', plain, 'diff', '--name-only', '--no-renames', before, 'main']);
}

async function readFolder(plain: string, path: string): Promise<void> {
  await run('sh', [
    '-c',
    `git -C ${plain} ls-tree -r main ${path} | cut -c13-52 | git -C ${plain} cat-file --batch > /dev/null`,
  ]);
}

function folder(index: number): string {
  return `apps/app-${String(index).padStart(4, '0')}`;
}

function manifest(index: number, value: string): string {
  const data = Array.from({ length: 20 }, (_, line) => `  key-${line}: "${value} ${index} ${line}"\n`).join('');
  return `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: config-${index}\ndata:\n${data}`;
}

function tree(applications: number): Record<string, string> {
  const names = ['config.yaml', 'deployment.yaml', 'service.yaml', 'account.yaml'];
  const files: Record<string, string> = { 'docs/notes.md': 'notes\n' };
  for (let index = 0; index < applications; index += 1)
    for (const name of names) files[`${folder(index)}/${name}`] = manifest(index, name);
  return files;
}

if (import.meta.main)
  console.log(
    JSON.stringify(
      await measureGit(),
      (_, value: unknown) => (typeof value === 'number' ? Math.round(value * 100) / 100 : value),
      2,
    ),
  );
