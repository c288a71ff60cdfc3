import { list, text } from './decode.ts';
import { SettingReader } from './setting-reader.ts';
import type { ReadSettings } from './settings.ts';

/** What `argocd-rbac-cm` says; the lines of the policy are for the access engine to read. */
export interface RbacSettings {
  /** `policy.csv` followed by every `policy.<any>.csv` in byte order of the key. */
  readonly policy: string;
  /** The role everybody has, too; empty: none. */
  readonly defaultRole: string;
  /** Names of the claims that hold groups. */
  readonly scopes: readonly string[];
  readonly matchMode: 'glob' | 'regex';
  /** Every key as written. */
  readonly data: ReadonlyMap<string, string>;
}

/** Reads `argocd-rbac-cm`. */
export function readRbac(data: ReadonlyMap<string, string>, last?: RbacSettings): ReadSettings<RbacSettings> {
  const keys = new SettingReader(data);
  const overlays = [...data.keys()].filter((key) => /^policy\..*\.csv$/.test(key)).sort(byBytes);
  const value: RbacSettings = {
    policy: ['policy.csv', ...overlays].map((key) => keys.text(key)).join('\n'),
    defaultRole: keys.text('policy.default'),
    scopes: keys.yaml('scopes', list(text), { absent: ['groups'], last: last?.scopes }),
    matchMode: keys.text('policy.matchMode') === 'regex' ? 'regex' : 'glob',
    data,
  };
  return { value, problems: keys.problems };
}

function byBytes(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
