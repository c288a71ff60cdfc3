import type { CommandContext, CommandEntry } from '../command.ts';
import { runProgram } from '../program.ts';

/** What somebody sees who typed a command. */
export interface Seen {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Types a command in and answers what it printed, and with what it ended. */
export async function typeIn(
  argv: readonly string[],
  entries: readonly CommandEntry[],
  surroundings: Partial<Pick<CommandContext, 'cwd' | 'env' | 'version'>> = {},
): Promise<Seen> {
  const out: string[] = [];
  const err: string[] = [];
  const context: CommandContext = {
    print: (text) => void out.push(text),
    warn: (text) => void err.push(`${text}\n`),
    signal: new AbortController().signal,
    env: {},
    cwd: '/',
    version: 'test',
    exitCode: 0,
    ...surroundings,
  };
  const code = await runProgram([...argv], [...entries], context);
  return { code, out: out.join(''), err: err.join('') };
}
