import type { KubeObject } from './object.ts';

/** When a hook runs. */
export type HookType = 'PreSync' | 'Sync' | 'PostSync' | 'SyncFail' | 'PreDelete' | 'PostDelete';
export type DeletePolicy = 'BeforeHookCreation' | 'HookSucceeded' | 'HookFailed';

/** What an object is to a sync: applied and pruned; a hook of some phases; left alone on purpose; or nothing we know. */
export type Role =
  | { readonly role: 'managed' }
  | { readonly role: 'hook'; readonly types: readonly HookType[]; readonly policies: readonly DeletePolicy[] }
  /** `Skip`: neither applied nor pruned, without a status. */
  | { readonly role: 'skipped' }
  /** Hook words we do not know: such an object is ignored completely. */
  | { readonly role: 'ignored' };

const hookTypes: readonly string[] = ['PreSync', 'Sync', 'PostSync', 'SyncFail', 'PreDelete', 'PostDelete'];
const policies: ReadonlyMap<string, DeletePolicy> = new Map<string, DeletePolicy>([
  ['BeforeHookCreation', 'BeforeHookCreation'],
  ['HookSucceeded', 'HookSucceeded'],
  ['HookFailed', 'HookFailed'],
  ['before-hook-creation', 'BeforeHookCreation'],
  ['hook-succeeded', 'HookSucceeded'],
  ['hook-failed', 'HookFailed'],
]);
const helmHooks: ReadonlyMap<string, HookType> = new Map<string, HookType>([
  ['pre-install', 'PreSync'],
  ['pre-upgrade', 'PreSync'],
  ['post-install', 'PostSync'],
  ['post-upgrade', 'PostSync'],
  ['pre-delete', 'PreDelete'],
  ['post-delete', 'PostDelete'],
]);
const managed: Role = { role: 'managed' };

/** Reads what an object is to a sync from its annotations; Argo CD's win over Helm's, object by object. */
export function roleOf(object: KubeObject): Role {
  const own = words(object, 'argocd.argoproj.io/hook');
  if (own !== undefined) {
    const types = own.filter((word): word is HookType => hookTypes.includes(word));
    if (types.length > 0) return { role: 'hook', types: distinct(types), policies: policiesOf(object) };
    return own.includes('Skip') ? { role: 'skipped' } : { role: 'ignored' };
  }
  const helm = words(object, 'helm.sh/hook');
  // `crd-install` is Helm 2's word for an ordinary CRD.
  if (helm === undefined || helm.includes('crd-install')) return managed;
  const types = helm.flatMap((word) => helmHooks.get(word) ?? []);
  return types.length === 0
    ? { role: 'ignored' }
    : { role: 'hook', types: distinct(types), policies: policiesOf(object) };
}

function policiesOf(object: KubeObject): DeletePolicy[] {
  const written = [
    ...(words(object, 'argocd.argoproj.io/hook-delete-policy') ?? []),
    ...(words(object, 'helm.sh/hook-delete-policy') ?? []),
  ];
  const known = distinct(written.flatMap((word) => policies.get(word) ?? []));
  return known.length === 0 ? ['BeforeHookCreation'] : known;
}

/** The wave of an object: its annotation, else its Helm weight, else 0. */
export function waveOf(object: KubeObject): number {
  const annotations = object.metadata.annotations ?? {};
  return integer(annotations['argocd.argoproj.io/sync-wave']) ?? integer(annotations['helm.sh/hook-weight']) ?? 0;
}

function integer(text: string | undefined): number | undefined {
  return text !== undefined && /^[+-]?\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** The words of a comma list in an annotation; undefined where it is absent or empty. */
export function words(object: KubeObject, annotation: string): string[] | undefined {
  const text = object.metadata.annotations?.[annotation];
  const list = text?.split(',').flatMap((word) => (word.trim() === '' ? [] : [word.trim()])) ?? [];
  return list.length === 0 ? undefined : list;
}

function distinct<T>(list: readonly T[]): T[] {
  return [...new Set(list)];
}
