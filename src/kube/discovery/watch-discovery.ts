import { isArgosyError } from '../../core/errors/index.ts';
import type { Connection, Discovery, Following, FollowSink, Resource } from '../types.ts';

const definitions: Resource = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
  verbs: ['list', 'watch'],
};
const services: Resource = {
  group: 'apiregistration.k8s.io',
  version: 'v1',
  kind: 'APIService',
  plural: 'apiservices',
  namespaced: false,
  verbs: ['list', 'watch'],
};

/** When to look again; all in milliseconds. */
export interface DiscoveryRhythm {
  /** Changes come in bunches: this long after the last one. */
  readonly settleMs: number;
  /** Once more after a change: a server serves a new kind a little after it says so. */
  readonly againMs: number;
  /** Without any change, and where definitions may not be watched. */
  readonly everyMs: number;
  /** Whether definitions may be watched by now is asked this rarely. */
  readonly forbiddenMs?: number | undefined;
}

const defaultRhythm: DiscoveryRhythm = { settleMs: 300, againMs: 3_000, everyMs: 5 * 60_000 };

/** Whom a watched discovery tells. */
export interface DiscoverySink {
  /** What is served has changed. */
  changed(discovery: Discovery): void;
  /** It could not be asked; what was known stays. */
  failed(error: Error): void;
}

/** Follows the kinds a cluster defines and tells when what it serves has changed. */
export function watchDiscovery(
  connection: Pick<Connection, 'discover' | 'follow'>,
  sink: DiscoverySink,
  rhythm: DiscoveryRhythm = defaultRhythm,
): Following {
  const stopper = new AbortController();
  let last = '';
  let settle: NodeJS.Timeout | undefined;
  let again: NodeJS.Timeout | undefined;
  const ask = async (): Promise<void> => {
    try {
      const discovery = await connection.discover({ fresh: true, signal: stopper.signal });
      const print = fingerprint(discovery);
      if (stopper.signal.aborted || print === last) return;
      last = print;
      sink.changed(discovery);
    } catch (error) {
      if (!stopper.signal.aborted) sink.failed(error instanceof Error ? error : new Error(String(error)));
    }
  };
  const touched = (): void => {
    clearTimeout(settle);
    clearTimeout(again);
    settle = setTimeout(() => void ask(), rhythm.settleMs);
    again = setTimeout(() => void ask(), rhythm.againMs);
  };
  const periodic = setInterval(() => void ask(), rhythm.everyMs);
  const options = { metadataOnly: true, signal: stopper.signal };
  const done: Promise<void>[] = [];
  const later = new Set<NodeJS.Timeout>();
  const follow = (kind: Resource): void => {
    const forbidden = (): void => {
      if (stopper.signal.aborted) return;
      const timer = setTimeout(
        () => {
          later.delete(timer);
          follow(kind);
        },
        rhythm.forbiddenMs ?? 30 * 60_000,
      );
      timer.unref();
      later.add(timer);
    };
    done.push(connection.follow(kind, options, touchSink(touched, forbidden)).done);
  };
  for (const kind of [definitions, services]) follow(kind);
  const stop = (): void => {
    stopper.abort();
    for (const timer of later) clearTimeout(timer);
    clearInterval(periodic);
    clearTimeout(settle);
    clearTimeout(again);
  };
  // Whoever stops waits for all that was begun; what is stopped begins nothing more.
  const allEnded = async (): Promise<void> => {
    await new Promise<void>((resolve) => stopper.signal.addEventListener('abort', () => resolve(), { once: true }));
    await Promise.all(done);
  };
  return { stop, done: allEnded() };
}

/** Only that something changed matters; a list counts as one change. */
function touchSink(touched: () => void, forbidden: () => void): FollowSink {
  let listing = true;
  const one = (): void => {
    if (!listing) touched();
  };
  return {
    restart: () => {
      listing = true;
    },
    upsert: one,
    remove: one,
    complete: () => {
      if (listing) touched();
      listing = false;
    },
    // A server without APIServices, or rights without definitions: the period must do.
    broken: (error) => {
      if (!isArgosyError(error)) return 'retry';
      if (error.code === 'kube-forbidden') forbidden();
      return error.code === 'kube-not-found' || error.code === 'kube-forbidden' ? 'stop' : 'retry';
    },
  };
}

function fingerprint(discovery: Discovery): string {
  const kinds = discovery.resources.map((one) => JSON.stringify(one)).toSorted();
  return JSON.stringify([kinds, [...discovery.unknown.keys()].toSorted()]);
}
