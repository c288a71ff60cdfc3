import { setTimeout as sleep } from 'node:timers/promises';
import { ArgosyError, isArgosyError } from '../core/errors/index.ts';
import type { Connection, Reader } from '../kube/index.ts';
import type { SettingsWatch } from '../settings/index.ts';
import type { Logger } from '../telemetry/index.ts';

/** What an installation waits for before it can work. */
export interface StartUp {
  /** Resolves when the cluster serves our kinds; whoever stops ends it, too. */
  readonly served: Promise<void>;
  /** The first thing that is missing, with what to do about it; undefined once there is none. */
  waitingFor(): string | undefined;
  stop(): void;
}

const kinds = ['Application', 'AppProject'];
const askEveryMs = 1000;

/** Begins to ask whether the cluster serves our kinds. */
export function watchStartUp(reader: Pick<Reader, 'discover'>, settings: Pick<SettingsWatch, 'waitingFor'>): StartUp {
  const stopper = new AbortController();
  let missing: string | undefined;
  const ask = async (): Promise<void> => {
    for (let fresh = false; !stopper.signal.aborted; fresh = true) {
      missing = await missingKinds(reader, fresh);
      if (missing === undefined) return;
      await sleep(askEveryMs, undefined, { signal: stopper.signal }).catch(() => undefined);
    }
  };
  return {
    served: ask(),
    waitingFor: () => missing ?? settings.waitingFor()[0],
    stop: () => stopper.abort(),
  };
}

async function missingKinds(reader: Pick<Reader, 'discover'>, fresh: boolean): Promise<string | undefined> {
  try {
    const { resources } = await reader.discover({ fresh });
    const missing = kinds.filter(
      (kind) => !resources.some((each) => each.group === 'argoproj.io' && each.kind === kind),
    );
    if (missing.length === 0) return undefined;
    return `the cluster does not know ${missing.join(' and ')} of argoproj.io: run kubectl apply -f deploy/crds`;
  } catch (error) {
    if (isArgosyError(error)) return `the cluster does not say what it serves: ${error.message}`;
    throw error;
  }
}

export interface Patience {
  readonly deadlineMs: number;
  readonly log: Logger;
  /** Somebody wants it to end: then nobody waits. */
  readonly signal: AbortSignal;
  readonly sayEveryMs?: number | undefined;
}

/** Waits until it is ready and says meanwhile what for; throws with that at the deadline. */
export async function untilReady(
  { ready, waitingFor }: { readonly ready: Promise<void>; waitingFor(): string | undefined },
  { deadlineMs, log, signal, sayEveryMs = 5000 }: Patience,
): Promise<void> {
  const over = new AbortController();
  const reason = (): string => waitingFor() ?? 'the settings have not been read yet';
  const say = setInterval(() => log.warn('not ready yet', { waitingFor: reason() }), sayEveryMs);
  const late = sleep(deadlineMs, 'late', { signal: AbortSignal.any([over.signal, signal]) }).catch(() => 'ended');
  try {
    const first = await Promise.race([ready.then(() => 'ready'), late]);
    if (first !== 'late') return;
    throw new ArgosyError('unknown', `not ready after ${Math.round(deadlineMs / 1000)} s: ${reason()}`);
  } finally {
    clearInterval(say);
    over.abort();
  }
}

const passing: readonly string[] = ['kube-unreachable', 'kube-timeout', 'kube-unavailable', 'kube-busy'];

/**
 * The version of the API server, once it can be asked: the network of a pod may come up after the pod. Undefined where
 * somebody ended it meanwhile.
 */
export async function untilReached(
  connection: Pick<Connection, 'version'>,
  { deadlineMs, log, signal, sayEveryMs = 2000 }: Patience,
): Promise<string | undefined> {
  const until = performance.now() + deadlineMs;
  while (!signal.aborted) {
    try {
      return (await connection.version()).gitVersion;
    } catch (error) {
      const mayPass = isArgosyError(error) && passing.includes(error.code) && performance.now() + sayEveryMs < until;
      if (!mayPass) throw error;
      log.warn('the API server cannot be reached; trying on', { error: error.message });
      await sleep(sayEveryMs, undefined, { signal }).catch(() => undefined);
    }
  }
  return undefined;
}
