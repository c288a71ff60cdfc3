import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { ArgosyError } from '../core/errors/index.ts';
import type { Spawner } from '../spawn/index.ts';
import { openBatchReader } from './batch-reader.ts';
import { createMirror } from './mirror.ts';
import { createGitProgram } from './program.ts';
import { createRepository, type Repository } from './repository.ts';
import { plainConnection } from './transport.ts';
import { createTreeWalk } from './tree-walk.ts';
import { parseRepositoryUrl, type RepositoryUrl } from './url.ts';

/** What git may do, and where. */
export interface GitOptions {
  readonly spawner: Spawner;
  /** Where the mirrors lie. */
  readonly cacheDir: string;
  /** The git program. */
  readonly command?: string | undefined;
  /** Hosts (globs of host[:port], or `file:`) that are reached although the outbound rules forbid them. */
  readonly allowedHosts?: readonly string[] | undefined;
}

/** Which repository, and as whom. */
export interface RepositoryRequest {
  readonly url: string;
  /** Separates mirrors of one address that are read with different credentials. */
  readonly scope: string;
}

/** All repositories of this process. */
export interface Git {
  /** The one shared repository for this address and scope. */
  repository(request: RepositoryRequest): Repository;
  close(): void;
}

/** Opens the house's git. */
export function createGit(options: GitOptions): Git {
  const command = options.command ?? 'git';
  const program = createGitProgram(options.spawner, command);
  const open = new Map<string, { repository: Repository; close(): void }>();
  const make = (url: RepositoryUrl, key: string): { repository: Repository; close(): void } => {
    const directory = join(options.cacheDir, createHash('sha256').update(key).digest('hex').slice(0, 40));
    const subject = url.text;
    const limits = { requestMs: 15_000, fetchMs: 90_000, maxRefsBytes: 64 << 20, maxBytes: 2 ** 32, depth: 0 };
    const mirror = createMirror({ program, directory, subject, limits });
    const reader = openBatchReader({
      spawner: options.spawner,
      command,
      gitDir: mirror.gitDir,
      subject,
      deadlineMs: 60_000,
      idleMs: 60_000,
    });
    const walk = createTreeWalk(reader, { maxFiles: 200_000, maxDepth: 128, maxTreeBytes: 32 << 20 });
    const repository = createRepository({
      url: subject,
      mirror,
      connect: async () => plainConnection(url),
      reader,
      walk,
      limits: { maxBlobBytes: 32 << 20, maxReadBytes: 256 << 20, fetchesPerPack: 100 },
    });
    return { repository, close: () => reader.close() };
  };
  return {
    repository({ url: text, scope }) {
      const url = parseRepositoryUrl(text);
      if (url.transport === 'file' && options.allowedHosts?.includes('file:') !== true)
        throw new ArgosyError('git-refused', 'file addresses are not permitted here', { subject: url.text });
      const key = `${url.key}\n${scope}`;
      let entry = open.get(key);
      if (entry === undefined) {
        entry = make(url, key);
        open.set(key, entry);
      }
      return entry.repository;
    },
    close() {
      for (const entry of open.values()) entry.close();
    },
  };
}
