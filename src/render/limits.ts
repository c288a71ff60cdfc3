/** How much one render may take; every number is a ceiling that honest sources stay far below. */
export interface RenderLimits {
  /** Manifest files of a plain directory together (`reposerver.max.combined.directory.manifests.size`). */
  readonly directoryBytes: number;
  /** What a tool may print. */
  readonly outputBytes: number;
  readonly objects: number;
  /** Files written to disk for a tool. */
  readonly files: number;
  readonly workspaceBytes: number;
  readonly toolMs: number;
  readonly toolMemoryBytes: number;
  /** Kustomizations, bases and components that one render may visit. */
  readonly kustomizations: number;
}

const mebibyte = 1024 * 1024;

export const defaultRenderLimits: RenderLimits = {
  directoryBytes: 10 * mebibyte,
  outputBytes: 50 * mebibyte,
  objects: 10_000,
  files: 20_000,
  workspaceBytes: 512 * mebibyte,
  toolMs: 90_000,
  toolMemoryBytes: 1024 * mebibyte,
  kustomizations: 1_000,
};
