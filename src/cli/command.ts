import type { Command } from 'commander';

/** What a command may touch of the world; tests pass their own. */
export interface CommandContext {
  /** Writes to standard output, as it is. */
  print(text: string): void;
  /** Writes a line to standard error. */
  warn(text: string): void;
  /** Ends when the person presses Ctrl-C or the machine says stop. */
  readonly signal: AbortSignal;
  readonly env: { readonly [name: string]: string | undefined };
  readonly cwd: string;
  readonly version: string;
  /** What the program exits with; 0 unless set. */
  exitCode: number;
}

/** One word behind `argosy`, known by its summary until it is typed. */
export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** Loads the module and hangs its flags, help, examples and handler onto the command. */
  load(): Promise<(command: Command, context: CommandContext) => void>;
}
