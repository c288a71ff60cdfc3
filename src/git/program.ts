import { ArgosyError, isArgosyError } from '../core/errors/index.ts';
import type { DirectoryLimit, RunResult, Spawner } from '../spawn/index.ts';
import { type GitConfig, gitEnvironment } from './environment.ts';
import { explainFailure } from './failures.ts';
import type { Transport } from './url.ts';

/** One call of git. */
export interface GitCall {
  readonly args: readonly string[];
  /** The repository it works on; none for calls that need none. */
  readonly gitDir?: string | undefined;
  /** Which transport it may use; none for local work. */
  readonly transport?: Transport | undefined;
  readonly config?: GitConfig | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly stdin?: Buffer | string | undefined;
  readonly deadlineMs: number;
  readonly maxOutputBytes?: number | undefined;
  readonly memoryBytes?: number | undefined;
  readonly watch?: DirectoryLimit | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The git program as the house uses it. */
export interface GitProgram {
  /** Runs git and returns its answer, whatever its exit code. */
  try(call: GitCall): Promise<RunResult>;
  /** Runs git and throws what a failure means; `subject` is the repository as the user knows it. */
  run(subject: string, call: GitCall): Promise<Buffer>;
}

/** The git program found under `command`. */
export function createGitProgram(spawner: Spawner, command = 'git'): GitProgram {
  const attempt = async (call: GitCall): Promise<RunResult> => {
    try {
      return await spawner.run({
        command,
        args: [...(call.gitDir === undefined ? [] : [`--git-dir=${call.gitDir}`]), ...call.args],
        env: { ...gitEnvironment(call.transport, call.config), ...call.env },
        cwd: call.gitDir ?? '/',
        stdin: call.stdin,
        deadlineMs: call.deadlineMs,
        maxOutputBytes: call.maxOutputBytes,
        memoryBytes: call.memoryBytes,
        watch: call.watch,
        signal: call.signal,
      });
    } catch (error) {
      throw translate(error, call);
    }
  };
  return {
    try: attempt,
    async run(subject, call) {
      const result = await attempt(call).catch((error: unknown) => {
        throw isArgosyError(error)
          ? new ArgosyError(error.code, error.message, {
              subject,
              hint: error.hint,
              fault: error.fault,
              reason: error.reason,
            })
          : error;
      });
      if (result.code !== 0) throw explainFailure(subject, result.stderr);
      return result.stdout;
    },
  };
}

function translate(error: unknown, call: GitCall): unknown {
  if (!isArgosyError(error)) return error;
  if (error.code === 'spawn-deadline')
    return call.transport === undefined
      ? new ArgosyError('git-failed', 'git did not finish in time')
      : new ArgosyError('git-unreachable', 'the server did not answer in time');
  if (error.code === 'spawn-limit')
    return new ArgosyError(
      'git-limit',
      error.reason === 'disk'
        ? 'the repository is larger than permitted'
        : 'the repository has more refs than permitted',
    );
  if (error.code === 'spawn-failed' && error.reason === 'ENOENT')
    return new ArgosyError('tool-missing', 'the git program is not installed', { hint: 'install git 2.36 or newer' });
  return error;
}
