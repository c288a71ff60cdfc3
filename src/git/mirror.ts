import { mkdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ArgosyError, isArgosyError } from '../core/errors/index.ts';
import { removeTree } from '../spawn/index.ts';
import { explainFailure, looksCorrupt } from './failures.ts';
import { removeLeftovers } from './leftovers.ts';
import type { GitLimits } from './limits.ts';
import type { GitProgram } from './program.ts';
import { parseRefs, type Refs } from './refs.ts';
import type { Connection } from './transport.ts';

/** A bare repository of ours that follows a repository somewhere else. */
export interface Mirror {
  /** Where its objects lie. */
  readonly gitDir: string;
  /** Asks the server for its refs and, if they differ from the known ones, brings what is new. */
  update(connection: Connection, known: Refs | undefined): Promise<Refs>;
  /** Brings one object that no branch or tag leads to. */
  bring(connection: Connection, id: string): Promise<void>;
  /** Packs what many small fetches left behind; the caller keeps readers away. */
  pack(): Promise<void>;
  /** Throws away what is there; the next update begins anew. */
  discard(): Promise<void>;
}

/** What a mirror is made of. */
export interface MirrorOptions {
  readonly program: GitProgram;
  /** The directory of this mirror alone. */
  readonly directory: string;
  /** The repository as the user knows it. */
  readonly subject: string;
  readonly limits: Pick<GitLimits, 'requestMs' | 'fetchMs' | 'maxMemoryBytes' | 'maxRefsBytes' | 'maxMirrorBytes'>;
  /** Only so many commits of each branch; 0 for all. */
  readonly depth: () => number;
}

const maxMirrorFiles = 1_000_000;
const wanted = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'];
const fetchFlags = [
  '--quiet',
  '--force',
  '--no-tags',
  '--no-write-fetch-head',
  '--no-auto-maintenance',
  '--no-recurse-submodules',
];

/** A mirror in a directory; nothing is touched until the first update. */
export function createMirror(options: MirrorOptions): Mirror {
  const { program, directory, limits, subject } = options;
  const gitDir = join(directory, 'repository.git');
  let clean = false;
  const fetch = async (connection: Connection, args: readonly string[]): Promise<void> => {
    // A fetch that was killed in an earlier life may have left locks that nobody holds.
    if (!clean) await removeLeftovers(gitDir);
    clean = false;
    try {
      const result = await program.try({
        args: ['fetch', ...fetchFlags, ...args],
        gitDir,
        ...connection.call,
        deadlineMs: limits.fetchMs,
        memoryBytes: limits.maxMemoryBytes,
        watch: { path: directory, maxBytes: limits.maxMirrorBytes, maxFiles: maxMirrorFiles },
      });
      if (result.code !== 0) throw failure(subject, result.stderr);
    } catch (error) {
      // At once, not at the next try: half a pack may be what fills the disk for others.
      await removeLeftovers(gitDir);
      throw named(error, subject);
    } finally {
      clean = true;
    }
  };
  return {
    gitDir,
    async update(connection, known) {
      const answer = await program.run(subject, {
        args: ['ls-remote', '--symref', '--', connection.address],
        ...connection.call,
        deadlineMs: limits.requestMs,
        memoryBytes: limits.maxMemoryBytes,
        maxOutputBytes: limits.maxRefsBytes,
      });
      const refs = parseRefs(answer.toString());
      if (known?.fingerprint === refs.fingerprint) return known;
      await prepare(options, gitDir, refs);
      const depth = options.depth() > 0 ? [`--depth=${options.depth()}`] : [];
      await fetch(connection, ['--prune', ...depth, '--', connection.address, ...wanted]);
      return refs;
    },
    bring: (connection, id) => fetch(connection, ['--', connection.address, `+${id}:refs/argosy/commits/${id}`]),
    async pack() {
      await program.run(subject, { args: ['gc', '--quiet', '--prune=1.hour.ago'], gitDir, deadlineMs: limits.fetchMs });
    },
    discard: () => removeTree(directory),
  };
}

/** Makes the empty bare repository, aside first, so that half a one is never taken for a whole one. */
async function prepare({ program, directory, subject }: MirrorOptions, gitDir: string, refs: Refs): Promise<void> {
  const there = await stat(join(gitDir, 'HEAD')).catch(() => undefined);
  if (there !== undefined) return;
  await removeTree(directory);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const [first] = refs.byName.values();
  const format = first?.id.length === 64 ? 'sha256' : 'sha1';
  const aside = join(directory, 'new.git');
  const args = [
    'init',
    '--quiet',
    '--bare',
    '--template=',
    `--object-format=${format}`,
    '--initial-branch=none',
    '--',
    aside,
  ];
  await program.run(subject, { args, deadlineMs: 10_000 });
  await rename(aside, gitDir);
}

function failure(subject: string, stderr: string): ArgosyError {
  const told = explainFailure(subject, stderr);
  if (told.code !== 'git-failed' || !looksCorrupt(stderr)) return told;
  return new ArgosyError('git-failed', 'the mirror of the repository is damaged', { subject, reason: 'Corrupt' });
}

/** The same error, with the repository it is about. */
function named(error: unknown, subject: string): unknown {
  if (!isArgosyError(error) || error.subject === subject) return error;
  const { code, message, hint, fault, reason } = error;
  return new ArgosyError(code, message, { subject, hint, fault, reason });
}
