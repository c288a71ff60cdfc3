import { mkdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ArgosyError, isArgosyError } from '../core/errors/index.ts';
import { measureDirectory, removeTree } from '../spawn/index.ts';
import type { GitConfig } from './environment.ts';
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
  /** Brings one commit that no branch or tag leads to, and keeps it. */
  bringCommit(connection: Connection, id: string): Promise<void>;
  /** Brings files that a partial mirror has left at the server. */
  bringObjects(connection: Connection, ids: readonly string[]): Promise<void>;
  /** Packs what many small fetches left behind; readers may go on. */
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
  /** Whether files stay at the server until they are read. */
  readonly partial: boolean;
}

const maxMirrorFiles = 1_000_000;
const updatesPerMeasure = 16;
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
  const inTurn = createTurns();
  let clean = false;
  let updates = 0;
  const fetch = async (connection: Connection, args: readonly string[], stdin?: string): Promise<void> => {
    // A fetch that was killed in an earlier life may have left locks that nobody holds.
    if (!clean) await removeLeftovers(gitDir);
    clean = false;
    try {
      const result = await program.try({
        args: ['fetch', ...fetchFlags, ...(options.partial ? [`--filter=${filter}`] : []), ...args],
        gitDir,
        ...connection.call,
        config: [...connection.call.config, ...(options.partial ? promisor(connection.address) : [])],
        stdin,
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
  /** A quick fetch is over before its directory is looked at; many of them add up. */
  const refuseSize = async (): Promise<void> => {
    updates += 1;
    if (updates % updatesPerMeasure !== 1) return;
    const size = await measureDirectory(directory, { maxBytes: limits.maxMirrorBytes, maxFiles: maxMirrorFiles });
    if (!size.exceeded) return;
    await removeTree(directory);
    throw new ArgosyError('git-limit', 'the repository is larger than permitted', { subject });
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
      const depth = options.depth() > 0 ? [`--depth=${options.depth()}`] : [];
      await inTurn(async () => {
        await prepare(options, gitDir, refs);
        await fetch(connection, ['--prune', ...depth, '--', connection.address, ...wanted]);
        await refuseSize();
      });
      return refs;
    },
    bringCommit: (connection, id) =>
      inTurn(() => fetch(connection, ['--', connection.address, `+${id}:refs/argosy/commits/${id}`])),
    bringObjects: (connection, ids) =>
      inTurn(() => fetch(connection, ['--stdin', '--', connection.address], `${ids.join('\n')}\n`)),
    pack: () =>
      inTurn(async () => {
        // Packing a mirror that misses objects on purpose would stop at the first of them.
        if (options.partial) return;
        const args = ['gc', '--quiet', '--prune=1.hour.ago'];
        await program.run(subject, { args, gitDir, deadlineMs: limits.fetchMs });
      }),
    discard: () => inTurn(() => removeTree(directory)),
  };
}

/** Files are left at the server until they are read. */
const filter = 'blob:none';

/** Says for one call that this server holds what the mirror misses; in the mirror itself nothing of it is written down. */
function promisor(address: string): GitConfig {
  return [
    [`remote.${address}.promisor`, 'true'],
    [`remote.${address}.partialclonefilter`, filter],
  ];
}

/** One writer at a time. Each has a deadline of its own, so a turn always comes. */
function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work, work);
    last = mine.catch(() => undefined);
    return mine;
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
