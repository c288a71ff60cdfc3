import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Repository as RepositorySecret } from '../core/api/index.ts';
import type { Spawner } from '../spawn/index.ts';
import { openBatchReader } from './batch-reader.ts';
import { createGithubApps } from './github-app.ts';
import { defaultLimits, type GitLimits } from './limits.ts';
import { createMirror } from './mirror.ts';
import { createOutbound, type Resolve } from './outbound.ts';
import { createGitProgram } from './program.ts';
import { createRepository, type Repository } from './repository.ts';
import { type ConnectParts, openConnection, type Trust } from './transport.ts';
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
  readonly allowedHosts?: readonly string[] | (() => readonly string[]) | undefined;
  /** Which servers are believed to be who they say; by default the machine's certificates and no ssh host. */
  readonly trust?: Trust | undefined;
  readonly limits?: Partial<GitLimits> | undefined;
  /** How host names are resolved. */
  readonly resolve?: Resolve | undefined;
  readonly now?: (() => number) | undefined;
}

/** Which repository, and as whom; `selectCredential` answers all but the address. */
export interface RepositoryRequest {
  readonly url: string;
  /** Separates mirrors of one address that are read with different credentials. */
  readonly scope: string;
  /** The Secret to log in with. */
  readonly login?: RepositorySecret | undefined;
  /** The Secret that describes the repository. */
  readonly repository?: RepositorySecret | undefined;
}

/** All repositories of this process. */
export interface Git {
  /** The one shared repository for this address and scope; a changed Secret holds from the next fetch on. */
  repository(request: RepositoryRequest): Repository;
  /** Ends the open readers. */
  close(): void;
}

interface Entry {
  readonly repository: Repository;
  request: RepositoryRequest;
  close(): void;
}

const noTrust: Trust = { caBundle: () => undefined, knownHosts: () => '' };

/** Opens the house's git. */
export function createGit(options: GitOptions): Git {
  const trust = options.trust ?? noTrust;
  const allowed = options.allowedHosts ?? [];
  const outbound = createOutbound(typeof allowed === 'function' ? allowed : () => allowed, options.resolve);
  const githubApps = createGithubApps({
    outbound,
    now: options.now ?? Date.now,
    caBundle: (host) => trust.caBundle(host),
  });
  const parts: ConnectParts = { spawner: options.spawner, outbound, trust, githubApps };
  const open = new Map<string, Entry>();
  return {
    repository(request) {
      const url = parseRepositoryUrl(request.url);
      const key = `${url.key}\n${request.scope}`;
      const kept = open.get(key);
      if (kept !== undefined) {
        kept.request = request;
        return kept.repository;
      }
      const entry = openEntry(options, parts, url, request);
      open.set(key, entry);
      return entry.repository;
    },
    close() {
      for (const entry of open.values()) entry.close();
    },
  };
}

function openEntry(options: GitOptions, parts: ConnectParts, url: RepositoryUrl, request: RepositoryRequest): Entry {
  const { spawner } = options;
  const command = options.command ?? 'git';
  const limits = { ...defaultLimits, ...options.limits };
  const name = createHash('sha256').update(`${url.key}\n${request.scope}`).digest('hex').slice(0, 40);
  const mirror = createMirror({
    program: createGitProgram(spawner, command),
    directory: join(options.cacheDir, name),
    subject: url.text,
    limits,
    depth: () => entry.request.repository?.depth ?? 0,
  });
  const reader = openBatchReader({ spawner, command, gitDir: mirror.gitDir, subject: url.text, ...limits });
  const repository = createRepository({
    url: url.text,
    mirror,
    connect: () => openConnection(parts, url, { login: entry.request.login, repository: entry.request.repository }),
    reader,
    walk: createTreeWalk(reader, limits),
    limits,
  });
  const entry: Entry = { repository, request, close: () => reader.close() };
  return entry;
}
