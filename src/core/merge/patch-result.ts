import type { Json } from '../json/index.ts';

/** The HTTP status a server refuses a patch with; 500 stands, as in Kubernetes, for a strategic patch that makes no sense. */
export type RefusalCode = 400 | 413 | 422 | 500;

/** What became of a patch: the new document, or why not. */
export type PatchResult =
  | { readonly outcome: 'patched'; readonly value: Json }
  | {
      readonly outcome: 'refused';
      readonly code: RefusalCode;
      /** What a real API server answers. */
      readonly message: string;
      /** What is wrong; of a JSON patch that does not apply the server says only that it does not. */
      readonly detail: string;
    };

/** Unwinds a patch that cannot be applied; never leaves this room. */
export class Refusal extends Error {
  readonly code: RefusalCode;
  constructor(code: RefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Runs a patch, turning a refusal into a value; `answer` words what the server says about one. */
export function attemptPatch(run: () => Json, answer = (refusal: Refusal): string => refusal.message): PatchResult {
  try {
    return { outcome: 'patched', value: run() };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { outcome: 'refused', code: error.code, message: answer(error), detail: error.message };
  }
}
