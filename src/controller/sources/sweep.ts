import { type Git, parseRepositoryUrl } from '../../git/index.ts';
import { mirrorKey, type SourceInput } from './inputs.ts';

export interface SweepOptions {
  readonly git: Pick<Git, 'prune'>;
  /** What somebody reads at the moment. */
  readonly inUse: () => readonly SourceInput[];
  readonly now: () => number;
  /** How often mirrors are looked through. */
  readonly everyMs?: number | undefined;
  /** How long a mirror that nobody reads stays: whoever deletes an Application may well make it anew. */
  readonly keepMs?: number | undefined;
  /** It did not work; it is tried again at the next time. */
  readonly onError: (error: unknown) => void;
}

/** Removes mirrors of repositories that nobody reads, rarely and beside everything else. */
export interface Sweep {
  /** Looks through them now. */
  run(): Promise<void>;
  stop(): void;
}

const hour = 60 * 60_000;

/** Begins to look through the mirrors now and then. */
export function startSweep(options: SweepOptions): Sweep {
  const used = new Map<string, { readonly input: SourceInput; readonly at: number }>();
  const run = async (): Promise<void> => {
    const inputs = options.inUse().filter(isMirrored);
    // Where nobody reads anything, more likely nothing is known yet.
    if (inputs.length === 0) return;
    const now = options.now();
    for (const input of inputs) used.set(mirrorKey(input), { input, at: now });
    for (const [key, { at }] of used) if (now - at > (options.keepMs ?? 6 * hour)) used.delete(key);
    await options.git.prune([...used.values()].map(({ input: { url, scope } }) => ({ url, scope })));
  };
  const timer = setInterval(() => void run().catch(options.onError), options.everyMs ?? hour);
  timer.unref();
  return { run, stop: () => clearInterval(timer) };
}

/** Charts are none of git's, and an address that is none has no mirror. */
function isMirrored({ url, source }: SourceInput): boolean {
  if (source.chart !== undefined) return false;
  try {
    parseRepositoryUrl(url);
    return true;
  } catch {
    return false;
  }
}
