import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Repository as RepositorySecret } from '../core/api/index.ts';
import { removeTree, type Spawner } from '../spawn/index.ts';
import { openBatchReader } from './batch-reader.ts';
import { createFollower } from './follower.ts';
import { createGithubApps } from './github-app.ts';
import { fetchLarge } from './lfs.ts';
import { defaultLimits, type GitLimits } from './limits.ts';
import { readLogin } from './login.ts';
import { createMirror } from './mirror.ts';
import { createOutbound, type Resolve } from './outbound.ts';
import { createGitProgram } from './program.ts';
import { createRepository, type Repository } from './repository.ts';
import { createSignatures } from './signatures.ts';
import { authorizationOf, type Connect, type ConnectParts, openConnection, type Trust } from './transport.ts';
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
  /** Whether files stay at the server until they are read, where the server can. */
  readonly partial?: boolean | undefined;
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
  /** Removes the mirrors of all repositories but these; returns how many went. */
  prune(keep: readonly RepositoryRequest[]): Promise<number>;
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
  // By address as written: it is asked for at every look at an Application, and its mirror's name is dear to make.
  const asWritten = new Map<string, Entry>();
  const entryFor = (request: RepositoryRequest): Entry => {
    const url = parseRepositoryUrl(request.url);
    const key = mirrorName(url, request.scope);
    const entry = open.get(key) ?? openEntry(options, parts, url, request);
    open.set(key, entry);
    asWritten.set(`${request.url}\n${request.scope}`, entry);
    return entry;
  };
  return {
    repository(request) {
      const entry = asWritten.get(`${request.url}\n${request.scope}`) ?? entryFor(request);
      entry.request = request;
      return entry.repository;
    },
    async prune(keep) {
      const kept = new Map(
        keep.map((request) => [mirrorName(parseRepositoryUrl(request.url), request.scope), request]),
      );
      asWritten.clear();
      for (const [name, entry] of open) {
        if (kept.has(name)) continue;
        entry.close();
        open.delete(name);
      }
      return removeOthers(options.cacheDir, new Set(kept.keys()));
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
  const program = createGitProgram(spawner, command);
  const mirror = createMirror({
    program,
    directory: join(options.cacheDir, mirrorName(url, request.scope)),
    subject: url.text,
    limits,
    depth: () => entry.request.repository?.depth ?? 0,
    partial: options.partial ?? false,
  });
  const reader = openBatchReader({ spawner, command, gitDir: mirror.gitDir, subject: url.text, ...limits });
  const connect: Connect = () =>
    openConnection(parts, url, { login: entry.request.login, repository: entry.request.repository });
  const follower = createFollower({
    url: url.text,
    mirror,
    connect,
    reader,
    limits,
    partial: options.partial ?? false,
  });
  const repository = createRepository({
    url: url.text,
    follower,
    reader,
    walk: createTreeWalk(reader, limits),
    large: async (contents) => {
      const login = readLogin(entry.request.login, entry.request.repository);
      const authorization = await authorizationOf(login, url, parts.githubApps);
      const caBundle = (host: string): string | undefined => parts.trust.caBundle(host);
      return fetchLarge(
        {
          outbound: parts.outbound,
          caBundle,
          url,
          authorization,
          maxBytes: limits.maxReadBytes,
          deadlineMs: limits.fetchMs,
        },
        contents,
      );
    },
    signatures: createSignatures({
      ...{ spawner, program, reader, gitDir: mirror.gitDir, subject: url.text, limits },
      now: options.now ?? Date.now,
    }),
    limits,
  });
  const entry: Entry = { repository, request, close: () => reader.close() };
  return entry;
}

/** The directory of a mirror: one per address and scope, with nothing of either in its name. */
function mirrorName(url: RepositoryUrl, scope: string): string {
  return createHash('sha256').update(`${url.key}\n${scope}`).digest('hex').slice(0, 40);
}

async function removeOthers(cacheDir: string, kept: ReadonlySet<string>): Promise<number> {
  const names = await readdir(cacheDir).catch(() => []);
  // Only what we ourselves would have named so.
  const others = names.filter((name) => /^[0-9a-f]{40}$/.test(name) && !kept.has(name));
  for (const name of others) await removeTree(join(cacheDir, name));
  return others.length;
}
