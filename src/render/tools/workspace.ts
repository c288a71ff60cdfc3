import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ArgosyError } from '../../core/errors/index.ts';
import type { Spawner } from '../../spawn/index.ts';
import { scrub } from '../../telemetry/index.ts';
import type { RenderLimits } from '../limits.ts';
import type { SourceTree } from '../types.ts';

/** A private directory in which one render runs its tools. */
export interface Workspace {
  /** Where the tree of the source lies. */
  readonly tree: string;
  /** Puts a tree of another source beside it and says where. */
  place(name: string, tree: SourceTree, paths: readonly string[]): Promise<string>;
  /** The first of these files of the tree that is there. */
  find(paths: readonly string[]): Promise<{ readonly path: string; readonly content: Buffer }>;
  /** Writes a file beside the trees and says where. */
  write(name: string, content: string): Promise<string>;
  /** Runs a tool and returns what it prints; a tool that fails is an error in its own words, scrubbed. */
  run(order: ToolOrder): Promise<Buffer>;
}

/** One run of a tool. */
export interface ToolOrder {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly network?: boolean | undefined;
}

export interface WorkspaceOptions {
  readonly spawner: Spawner;
  readonly limits: RenderLimits;
  readonly signal?: AbortSignal | undefined;
}

/** Makes a workspace, lends it, and removes it with all that tools left in it. */
export async function inWorkspace<T>(options: WorkspaceOptions, use: (workspace: Workspace) => Promise<T>): Promise<T> {
  const scratch = await options.spawner.scratch();
  try {
    const tree = join(scratch.path, 'tree');
    for (const name of ['tree', 'refs', 'files', 'home', 'tmp']) await mkdir(join(scratch.path, name), { mode: 0o700 });
    return await use({
      tree,
      async place(name, other, paths) {
        const target = join(scratch.path, 'refs', name);
        await mkdir(target, { mode: 0o700 });
        await other.exportTo(target, paths);
        return target;
      },
      find: (paths) => firstFile(tree, paths),
      async write(name, content) {
        const path = join(scratch.path, 'files', name);
        await writeFile(path, content, { flag: 'wx', mode: 0o600 });
        return path;
      },
      run: (order) => runTool(options, scratch.path, order),
    });
  } catch (error) {
    throw withoutSystemErrors(error);
  } finally {
    await scratch.remove();
  }
}

async function firstFile(tree: string, paths: readonly string[]): Promise<{ path: string; content: Buffer }> {
  for (const each of paths) {
    const path = join(tree, each);
    try {
      return { path, content: await readFile(path) };
    } catch {
      // The next one.
    }
  }
  throw new ArgosyError('render-failed', 'a file of the source is missing', { subject: paths[0] });
}

async function runTool({ spawner, limits, signal }: WorkspaceOptions, root: string, order: ToolOrder): Promise<Buffer> {
  const {
    code,
    signal: ended,
    stdout,
    stderr,
  } = await spawner.run({
    command: order.command,
    args: order.args,
    cwd: order.cwd,
    env: { ...homes(root), ...order.env },
    deadlineMs: limits.toolMs,
    maxOutputBytes: limits.outputBytes,
    memoryBytes: limits.toolMemoryBytes,
    room: root,
    network: order.network ?? false,
    watch: { path: root, maxBytes: limits.workspaceBytes, maxFiles: limits.files * 2 },
    signal,
  });
  if (code === 0) return stdout;
  if (/^(?:fatal error|runtime): .*(?:out of memory|cannot allocate memory)/m.test(stderr))
    throw new ArgosyError('render-limit', `${order.name} needs more memory than permitted`, { subject: order.name });
  const how = code === null ? `was ended by ${ended ?? 'a signal'}` : `failed (${code})`;
  throw new ArgosyError('render-failed', `${order.name} ${how}: ${complaint(stderr, root)}`, { subject: order.name });
}

/** Every place where a tool could look for settings or leave something is inside the workspace. */
function homes(root: string): Record<string, string> {
  const home = join(root, 'home');
  return {
    HOME: home,
    TMPDIR: join(root, 'tmp'),
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_CACHE_HOME: join(home, 'cache'),
    XDG_DATA_HOME: join(home, 'data'),
    HELM_CONFIG_HOME: join(home, 'helm-config'),
    HELM_CACHE_HOME: join(home, 'helm-cache'),
    HELM_DATA_HOME: join(home, 'helm-data'),
    HELM_PLUGINS: join(home, 'helm-plugins'),
    KUSTOMIZE_PLUGIN_HOME: join(home, 'kustomize-plugins'),
    GIT_TERMINAL_PROMPT: '0',
    LC_ALL: 'C',
  };
}

/** What a tool says, without the paths of this machine and anything like a credential. */
function complaint(stderr: string, root: string): string {
  const plain = stderr.replaceAll(`${root}/tree/`, '').replaceAll(`${root}/tree`, '.').replaceAll(root, '');
  // Help texts and traces of Go follow a complaint; nobody asked for them.
  const [first = ''] = plain.split(/\nUsage:\n|\n\n(?:goroutine \d|runtime stack:)/);
  return scrub(first.trim().replace(/^Error: /, ''), 1_500);
}

/** The system's own errors name paths of this machine; a full disk is the outside's fault and passes. */
function withoutSystemErrors(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || error instanceof ArgosyError) return error;
  const code = String(error.code);
  if (!/^E[A-Z]+$/.test(code)) return error;
  return new ArgosyError('render-failed', `the files of the source could not be written (${code})`, {
    fault: 'outside',
  });
}
