import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { toolsDirectory } from '../../src/config/index.ts';
import type { ApplicationSource } from '../../src/core/api/index.ts';
import type { Json } from '../../src/core/json/index.ts';
import {
  createRenderer,
  defaultRenderSettings,
  type MemoryFile,
  memoryTree,
  type Renderer,
  type RendererOptions,
  type Rendering,
  type RenderRequest,
  type RenderSettings,
  type SourceTree,
  type ToolName,
} from '../../src/render/index.ts';
import { readDocuments } from '../../src/render/yaml/documents.ts';
import { createSpawner, type Spawner } from '../../src/spawn/index.ts';

/** Files of a test by path: a text, bytes, a script, or a link. */
export type Files = Readonly<Record<string, string | Buffer | { readonly script: string } | { readonly link: string }>>;

/** What a test wants rendered; everything that is left out has a plain value. */
export interface Wanted extends Partial<Omit<RenderRequest, 'source' | 'context' | 'refs'>> {
  readonly files?: Files;
  readonly source: Partial<ApplicationSource>;
  readonly refs?: Readonly<Record<string, Files>>;
  readonly context?: Partial<RenderRequest['context']>;
}

/** A renderer with real tools, for one test file. */
export interface RenderHouse {
  readonly renderer: Renderer;
  readonly spawner: Spawner;
  /** Where its private directories are made. */
  readonly scratch: string;
  /** Settings that count from now on. */
  set(settings: Partial<RenderSettings>): void;
  render(wanted: Wanted): Promise<Rendering>;
  /** The objects alone, as JSON. */
  objects(wanted: Wanted): Promise<Json>;
  /** Runs real tools on the same files and returns what the last one prints, as JSON. */
  beside(files: Files, directory: string, ...commands: readonly (readonly [ToolName, ...string[]])[]): Promise<Json>;
  close(): Promise<void>;
}

export const context: RenderRequest['context'] = {
  appName: 'team-a_shop',
  namespace: 'shop',
  project: 'team-a',
  kubeVersion: 'v1.36.3',
  apiVersions: ['apps/v1', 'apps/v1/Deployment', 'v1', 'v1/ConfigMap'],
};

/** Opens it. */
export function openRenderHouse(options: Partial<RendererOptions> = {}): RenderHouse {
  const scratch = mkdtempSync(join(tmpdir(), 'argosy-render-'));
  const spawner = createSpawner({ temporaryRoot: join(scratch, 'private'), graceMs: 300 });
  let settings = defaultRenderSettings;
  const tools = { directory: toolsDirectory(), path: process.env['PATH'] };
  const renderer = createRenderer({ spawner, settings: () => settings, tools, ...options });
  const render = (wanted: Wanted): Promise<Rendering> => renderer.render(requestOf(wanted));
  return {
    renderer,
    spawner,
    scratch,
    set: (changes) => {
      settings = { ...defaultRenderSettings, ...changes };
    },
    render,
    objects: async (wanted) => (await render(wanted)).objects.map(({ object }) => object) as unknown as Json,
    beside: (files, directory, ...commands) => beside(renderer, files, directory, commands),
    async close() {
      await renderer.close();
      await spawner.close();
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}

/** A whole request of what a test wants. */
export function requestOf(wanted: Wanted): RenderRequest {
  const refs = Object.entries(wanted.refs ?? {}).map(([name, files]) => [name, treeOf(files)] as const);
  return {
    tree: treeOf(wanted.files ?? {}),
    scope: 'team-a',
    ...wanted,
    source: { repoURL: 'https://git.example.com/shop.git', ...wanted.source },
    refs: new Map(refs),
    context: { ...context, ...wanted.context },
  };
}

/** A tree of files in memory; its revision follows from its content. */
export function treeOf(files: Files, revision = `0123456${hash('sha1', JSON.stringify(files)).slice(7)}`): SourceTree {
  return memoryTree(revision, new Map(Object.entries(files).map(([path, content]) => [path, fileOf(content)])));
}

function fileOf(content: Files[string]): MemoryFile {
  if (typeof content === 'string' || Buffer.isBuffer(content)) return { kind: 'file', content: Buffer.from(content) };
  if ('script' in content) return { kind: 'executable', content: Buffer.from(content.script) };
  return { kind: 'link', content: Buffer.from(content.link) };
}

async function beside(
  renderer: Renderer,
  files: Files,
  directory: string,
  commands: readonly (readonly [ToolName, ...string[]])[],
): Promise<Json> {
  const root = mkdtempSync(join(tmpdir(), 'argosy-beside-'));
  try {
    for (const [path, content] of Object.entries(files)) writeTo(join(root, path), content);
    const found = new Map((await renderer.tools()).map(({ name, tool }) => [name, tool?.path ?? name]));
    const env = { HOME: join(root, 'home'), PATH: process.env['PATH'] ?? '' };
    let printed = '';
    for (const [name, ...args] of commands)
      printed = execFileSync(found.get(name) ?? name, args, {
        cwd: join(root, directory),
        env,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      });
    return readDocuments(printed).documents.map(({ value }) => value);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function writeTo(path: string, content: Files[string]): void {
  mkdirSync(dirname(path), { recursive: true });
  if (typeof content === 'string' || Buffer.isBuffer(content)) writeFileSync(path, content);
  else if ('script' in content) writeFileSync(path, content.script, { mode: 0o755 });
  else symlinkSync(content.link, path);
}

/** A ConfigMap as a file. */
export function configMap(name: string, data = 'a: "1"'): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  ${data}\n`;
}

/** A Deployment as a file. */
export function deployment(name: string, image = 'nginx:1.0'): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
spec:
  replicas: 1
  selector:
    matchLabels: {app: ${name}}
  template:
    metadata:
      labels: {app: ${name}}
    spec:
      containers:
        - name: main
          image: ${image}
`;
}
