import type { KubeObject } from '../objects/index.ts';
import { words } from '../objects/index.ts';

/** What a sync was asked to do differently, from the Application or the operation. */
export interface SyncOptions {
  readonly validate: boolean;
  readonly serverSideApply: boolean | undefined;
  readonly clientSideApplyMigration: boolean;
  readonly replace: boolean;
  readonly applyOutOfSyncOnly: boolean;
  readonly createNamespace: boolean;
  readonly failOnSharedResource: boolean;
  readonly respectIgnoreDifferences: boolean;
  readonly skipDryRunOnMissingResource: boolean;
  readonly pruneLast: boolean;
  readonly prune: 'true' | 'false' | 'confirm' | undefined;
  readonly delete: 'true' | 'false' | 'confirm' | undefined;
  readonly propagation: 'Foreground' | 'Background' | 'Orphan';
}

/** Reads the options of an Application or an operation: exact words, as Argo CD, where an unknown one means nothing. */
export function syncOptionsOf(written: readonly string[]): SyncOptions {
  const has = (word: string): boolean => written.includes(word);
  return {
    validate: !has('Validate=false'),
    serverSideApply: either(has, 'ServerSideApply'),
    clientSideApplyMigration: !has('ClientSideApplyMigration=false'),
    replace: has('Replace=true'),
    applyOutOfSyncOnly: has('ApplyOutOfSyncOnly=true'),
    createNamespace: has('CreateNamespace=true'),
    failOnSharedResource: has('FailOnSharedResource=true'),
    respectIgnoreDifferences: has('RespectIgnoreDifferences=true'),
    skipDryRunOnMissingResource: has('SkipDryRunOnMissingResource=true'),
    pruneLast: has('PruneLast=true'),
    prune: choice(has, 'Prune'),
    delete: choice(has, 'Delete'),
    propagation: propagationOf(has),
  };
}

/** The options written on one object, each of which wins over the Application's. */
export interface ObjectOptions {
  readonly validate: boolean | undefined;
  readonly serverSideApply: boolean | undefined;
  readonly replace: boolean;
  readonly force: boolean;
  readonly skipDryRunOnMissingResource: boolean;
  readonly pruneLast: boolean;
  readonly prune: 'true' | 'false' | 'confirm' | undefined;
  readonly delete: 'true' | 'false' | 'confirm' | undefined;
}

/** Reads the sync options annotation of an object. */
export function objectOptionsOf(object: KubeObject | undefined): ObjectOptions {
  const written = object === undefined ? [] : (words(object, 'argocd.argoproj.io/sync-options') ?? []);
  const has = (word: string): boolean => written.includes(word);
  return {
    validate: has('Validate=false') ? false : undefined,
    serverSideApply: either(has, 'ServerSideApply'),
    replace: has('Replace=true'),
    force: has('Force=true'),
    skipDryRunOnMissingResource: has('SkipDryRunOnMissingResource=true'),
    pruneLast: has('PruneLast=true'),
    prune: choice(has, 'Prune'),
    delete: choice(has, 'Delete'),
  };
}

type Has = (word: string) => boolean;

function either(has: Has, name: string): boolean | undefined {
  // Written both ways, the careful reading wins: `=false` is the exception somebody added.
  return has(`${name}=false`) ? false : has(`${name}=true`) ? true : undefined;
}

function choice(has: Has, name: string): 'true' | 'false' | 'confirm' | undefined {
  if (has(`${name}=false`)) return 'false';
  if (has(`${name}=confirm`)) return 'confirm';
  return has(`${name}=true`) ? 'true' : undefined;
}

function propagationOf(has: Has): SyncOptions['propagation'] {
  if (has('PrunePropagationPolicy=background')) return 'Background';
  return has('PrunePropagationPolicy=orphan') ? 'Orphan' : 'Foreground';
}
