declare module 'luaparse' {
  /** Parses Lua; what it answers is named in `ast.ts`. */
  export function parse(source: string, options: Readonly<Record<string, unknown>>): unknown;
}
