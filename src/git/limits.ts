/** How much of our time and room one repository may take. */
export interface GitLimits {
  /** For the question what is new. */
  readonly requestMs: number;
  /** For bringing it. */
  readonly fetchMs: number;
  /** For one batch of reads from the mirror. */
  readonly readMs: number;
  /** How long an unused reader stays open. */
  readonly idleMs: number;
  /** Memory of a git process that talks to a server, where the machine can cap it. */
  readonly maxMemoryBytes: number;
  /** The list of refs. */
  readonly maxRefsBytes: number;
  /** The whole mirror. */
  readonly maxMirrorBytes: number;
  /** Files in one listing. */
  readonly maxFiles: number;
  readonly maxDepth: number;
  readonly maxTreeBytes: number;
  /** One file. */
  readonly maxBlobBytes: number;
  /** All files of one read. */
  readonly maxReadBytes: number;
  /** Commits whose signatures are looked at where a project asks for the whole history. */
  readonly maxSignedCommits: number;
  /** After so many fetches that brought something, the mirror is packed. */
  readonly fetchesPerPack: number;
}

const mebibyte = 1024 * 1024;

/** What holds where nothing else is said; times are Argo CD's. */
export const defaultLimits: GitLimits = {
  requestMs: 15_000,
  fetchMs: 90_000,
  readMs: 60_000,
  idleMs: 60_000,
  maxMemoryBytes: 1024 * mebibyte,
  maxRefsBytes: 64 * mebibyte,
  maxMirrorBytes: 4096 * mebibyte,
  maxFiles: 200_000,
  maxDepth: 128,
  maxTreeBytes: 32 * mebibyte,
  maxBlobBytes: 32 * mebibyte,
  maxReadBytes: 256 * mebibyte,
  maxSignedCommits: 5_000,
  fetchesPerPack: 100,
};
