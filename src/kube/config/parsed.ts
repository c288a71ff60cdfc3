/** A configuration that could be read, or what is wrong with it. No problem ever quotes a secret. */
export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly string[] };
