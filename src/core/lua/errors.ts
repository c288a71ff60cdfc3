/** What a script did wrong, with its line; a script can catch it with `pcall`. */
export class LuaError extends Error {
  override readonly name: string = 'LuaError';
  /** What `error` was given: a script may throw any value, and `pcall` hands it on as it is. */
  readonly value: unknown;

  constructor(message: string, value: unknown = message) {
    super(message);
    this.value = value;
  }
}

/** A bound was reached. No `pcall` catches it: otherwise a hostile script would go on in its handler. */
export class LuaLimit extends LuaError {
  override readonly name = 'LuaLimit';
}

/** Puts the line in front, as people look for it. */
export function atLine(line: number, message: string): string {
  return line > 0 ? `line ${line}: ${message}` : message;
}
