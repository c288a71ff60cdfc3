import { ArgosyError, isArgosyError } from '../core/errors/index.ts';
import type { BatchReader } from './batch-reader.ts';
import { coalesce } from './flight.ts';
import type { GitLimits } from './limits.ts';
import type { Mirror } from './mirror.ts';
import type { Refs } from './refs.ts';
import type { Connect, Connection } from './transport.ts';

/** Keeps a mirror up to date and whole. */
export interface Follower {
  /** Brings what is new; callers at the same time share one fetch. Says whether any ref moved. */
  fetch(): Promise<boolean>;
  /** The refs of the last fetch; the first caller waits for one. */
  ready(): Promise<Refs>;
  /** Does some reading; if the mirror turns out to be damaged, makes it anew and reads again, once. */
  reading<T>(work: () => Promise<T>): Promise<T>;
  bringCommit(id: string): Promise<void>;
  /** Brings objects that were left at the server; `false` where this mirror leaves none. */
  bringObjects(ids: readonly string[]): Promise<boolean>;
}

/** What a follower works with. */
export interface FollowerParts {
  readonly url: string;
  readonly mirror: Mirror;
  readonly connect: Connect;
  readonly reader: BatchReader;
  readonly limits: Pick<GitLimits, 'fetchesPerPack'>;
  readonly partial: boolean;
}

/** Starts to follow; nothing is fetched until someone asks. */
export function createFollower(parts: FollowerParts): Follower {
  const { mirror, reader } = parts;
  let known: Refs | undefined;
  let fetches = 0;
  /** Counts the mirrors there have been, so that of many who find a damage only the first remakes. */
  let generation = 0;
  const update = (): Promise<boolean> =>
    connected(parts.connect, async (connection) => {
      const before = known;
      known = await mirror.update(connection, known);
      if (before === known) return false;
      fetches += 1;
      // Nobody waits for it but the next who writes. Untidy is not wrong: if it fails, the next hundred fetches try again.
      if (fetches % parts.limits.fetchesPerPack === 0) void mirror.pack().catch(() => undefined);
      return true;
    });
  const remake = async (): Promise<void> => {
    generation += 1;
    known = undefined;
    reader.close();
    await mirror.discard();
  };
  const fetch = coalesce(async () => {
    try {
      return await update();
    } catch (error) {
      if (!hasReason(error, 'Corrupt')) throw error;
      await remake();
      return update();
    }
  });
  const ready = async (): Promise<Refs> => {
    if (known === undefined) await fetch();
    if (known === undefined)
      throw new ArgosyError('internal', 'a fetch succeeded without refs', { subject: parts.url });
    return known;
  };
  return {
    fetch,
    ready,
    async reading(work) {
      await ready();
      const before = generation;
      try {
        return await work();
      } catch (error) {
        if (!hasReason(error, 'Corrupt') && !hasReason(error, 'Closed')) throw error;
        if (hasReason(error, 'Corrupt') && generation === before) await remake();
        await ready();
        return work();
      }
    },
    bringCommit: (id) => connected(parts.connect, (connection) => mirror.bringCommit(connection, id)),
    async bringObjects(ids) {
      if (!parts.partial) return false;
      await connected(parts.connect, (connection) => mirror.bringObjects(connection, ids));
      return true;
    },
  };
}

async function connected<T>(connect: Connect, work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await connect();
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}

function hasReason(error: unknown, reason: string): boolean {
  return isArgosyError(error) && error.reason === reason;
}
