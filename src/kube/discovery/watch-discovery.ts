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
  const both = [definitions, services].map((kind) => connection.follow(kind, options, touchSink(touched)));
  const stop = (): void => {
    stopper.abort();
    clearInterval(periodic);
    clearTimeout(settle);
    clearTimeout(again);
  };
  return { stop, done: Promise.all(both.map((one) => one.done)).then(() => undefined) };
}

/** Only that something changed matters; a list counts as one change. */
function touchSink(touched: () => void): FollowSink {
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
    broken: (error) => (isArgosyError(error) && error.code === 'kube-not-found' ? 'stop' : 'retry'),
  };
}

function fingerprint(discovery: Discovery): string {
  const kinds = discovery.resources.map((one) => JSON.stringify(one)).toSorted();
  return JSON.stringify([kinds, [...discovery.unknown.keys()].toSorted()]);
}
