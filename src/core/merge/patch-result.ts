import type { Json } from '../json/index.ts';

/** What became of a patch: the new document, or why not and with which HTTP status a server says so. */
export type PatchResult =
  | { readonly outcome: 'patched'; readonly value: Json }
  | { readonly outcome: 'refused'; readonly code: 400 | 413 | 422; readonly message: string };

/** Unwinds a patch that cannot be applied; never leaves this room. */
export class Refusal extends Error {
  readonly code: 400 | 413 | 422;
  constructor(code: 400 | 413 | 422, message: string) {
    super(message);
    this.code = code;
  }
}

/** Runs a patch, turning a refusal into a value. */
export function attemptPatch(run: () => Json): PatchResult {
  try {
    return { outcome: 'patched', value: run() };
  } catch (error) {
    if (error instanceof Refusal) return { outcome: 'refused', code: error.code, message: error.message };
    throw error;
  }
}
