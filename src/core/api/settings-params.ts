import { SettingReader } from './setting-reader.ts';
import type { ReadSettings } from './settings.ts';

/** What `argocd-cmd-params-cm` says, each key with its default filled in. Seconds are given as milliseconds. */
export interface Params {
  /** `application.namespaces`: patterns, split on commas. */
  readonly applicationNamespaces: readonly string[];
  readonly statusProcessors: number;
  readonly operationProcessors: number;
  readonly repoServerTimeout: number;
  readonly repoErrorGracePeriod: number;
  readonly selfHealTimeout: number;
  readonly selfHealBackoff: { readonly timeout: number; readonly factor: number; readonly cap: number };
  readonly syncTimeout: number;
  readonly syncWaveDelay: number;
  readonly serverSideDiff: boolean;
  readonly jqTimeout: number;
  readonly resourceHealthPersist: boolean;
  readonly syncReplaceAllowed: boolean;
  readonly allowOutOfBoundsSymlinks: boolean;
  readonly includeHiddenDirectories: boolean;
  readonly gitSubmodules: boolean;
  readonly gitRequestTimeout: number;
  /** Every key as written. */
  readonly data: ReadonlyMap<string, string>;
}

/** Reads `argocd-cmd-params-cm`. */
export function readParams(data: ReadonlyMap<string, string>, last?: Params): ReadSettings<Params> {
  const keys = new SettingReader(data);
  const seconds = (key: string, absent: number, before: number | undefined): number =>
    keys.count(key, { absent, last: before === undefined ? undefined : before / 1000 }) * 1000;
  const value: Params = {
    applicationNamespaces: keys.commaList('application.namespaces'),
    statusProcessors: keys.count('controller.status.processors', { absent: 20, last: last?.statusProcessors }),
    operationProcessors: keys.count('controller.operation.processors', {
      absent: 10,
      last: last?.operationProcessors,
    }),
    repoServerTimeout: seconds('controller.repo.server.timeout.seconds', 60, last?.repoServerTimeout),
    repoErrorGracePeriod: seconds('controller.repo.error.grace.period.seconds', 180, last?.repoErrorGracePeriod),
    selfHealTimeout: seconds('controller.self.heal.timeout.seconds', 0, last?.selfHealTimeout),
    selfHealBackoff: {
      timeout: seconds('controller.self.heal.backoff.timeout.seconds', 2, last?.selfHealBackoff.timeout),
      factor: keys.count('controller.self.heal.backoff.factor', { absent: 3, last: last?.selfHealBackoff.factor }),
      cap: seconds('controller.self.heal.backoff.cap.seconds', 300, last?.selfHealBackoff.cap),
    },
    syncTimeout: seconds('controller.sync.timeout.seconds', 0, last?.syncTimeout),
    syncWaveDelay: seconds('controller.sync.wave.delay.seconds', 2, last?.syncWaveDelay),
    serverSideDiff: keys.isTrue('controller.diff.server.side'),
    jqTimeout: keys.duration('controller.ignore.normalizer.jq.timeout', { absent: 1000, last: last?.jqTimeout }),
    resourceHealthPersist: keys.isTrue('controller.resource.health.persist'),
    syncReplaceAllowed: keys.isNotFalse('server.sync.replace.allowed'),
    allowOutOfBoundsSymlinks: keys.isTrue('reposerver.allow.oob.symlinks'),
    includeHiddenDirectories: keys.isTrue('reposerver.include.hidden.directories'),
    gitSubmodules: keys.isTrue('reposerver.enable.git.submodule'),
    gitRequestTimeout: keys.duration('reposerver.git.request.timeout', {
      absent: 15_000,
      last: last?.gitRequestTimeout,
    }),
    data,
  };
  return { value, problems: keys.problems };
}
