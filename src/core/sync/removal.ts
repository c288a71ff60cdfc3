import type { LiveObject } from '../diff/index.ts';
import { groupOf, gvkOf, type KubeObject, waveOf } from '../objects/index.ts';
import { objectOptionsOf, type SyncOptions } from './options.ts';
import type { DeleteTask } from './types.ts';

/** The finalizers that remove an Application's objects before the Application goes. */
export const cascadeFinalizers = [
  'resources-finalizer.argocd.argoproj.io',
  'resources-finalizer.argocd.argoproj.io/foreground',
  'resources-finalizer.argocd.argoproj.io/background',
] as const;

export interface RemovalInput {
  readonly finalizers: readonly string[];
  /** Everything that bears the Application's mark and that its project lets it manage. */
  readonly objects: readonly LiveObject[];
  readonly options: SyncOptions;
  /** A person approved the deletion after it was asked for. */
  readonly approved: boolean;
}

/** What to do next while an Application is being deleted. */
export type Removal =
  | { readonly next: 'delete'; readonly tasks: readonly DeleteTask[] }
  | { readonly next: 'wait'; readonly message: string }
  /** Nothing of it is left, or nothing is to be removed: this finalizer may go. */
  | { readonly next: 'release'; readonly finalizer: string }
  /** No finalizer of ours is on it. */
  | { readonly next: 'none' };

/** One step of a deletion: the highest wave goes first, and the next only after it has gone. */
export function planRemoval({ finalizers, objects, options, approved }: RemovalInput): Removal {
  const finalizer = cascadeFinalizers.find((name) => finalizers.includes(name));
  if (finalizer === undefined) return { next: 'none' };
  const removable = objects.filter(({ object }) => !isKept(object, options));
  const going = removable.find(({ object }) => object.metadata.deletionTimestamp !== undefined);
  if (going !== undefined) return { next: 'wait', message: `waiting for deletion of ${text(going)}` };
  if (removable.length === 0) return { next: 'release', finalizer };
  const unapproved = approved ? undefined : removable.find(({ object }) => wants(object, options) === 'confirm');
  if (unapproved !== undefined)
    return { next: 'wait', message: `waiting for deletion confirmation of ${text(unapproved)}` };
  const last = removable.map(({ object }) => waveOf(object)).reduce((a, b) => Math.max(a, b));
  const propagation = finalizer.endsWith('/background') ? 'Background' : 'Foreground';
  const wave = removable.filter(({ object }) => waveOf(object) === last);
  return { next: 'delete', tasks: wave.flatMap((object) => deletion(object, last, propagation)) };
}

function deletion({ key, object }: LiveObject, wave: number, propagation: DeleteTask['propagation']): DeleteTask[] {
  const { uid, resourceVersion } = object.metadata;
  if (uid === undefined || resourceVersion === undefined) return [];
  const { version } = gvkOf(object);
  return [
    {
      act: 'delete',
      key,
      version,
      phase: 'Sync',
      wave,
      hook: false,
      uid,
      resourceVersion,
      propagation,
      why: 'cascade',
      dryRun: false,
    },
  ];
}

/** CRDs, what says `Delete=false` (the object's own word wins), and what Helm is told to keep. */
function isKept(object: KubeObject, options: SyncOptions): boolean {
  if (object.kind === 'CustomResourceDefinition' && groupOf(object.apiVersion) === 'apiextensions.k8s.io') return true;
  return wants(object, options) === 'false' || object.metadata.annotations?.['helm.sh/resource-policy'] === 'keep';
}

function wants(object: KubeObject, options: SyncOptions): SyncOptions['delete'] {
  return objectOptionsOf(object).delete ?? options.delete;
}

function text({ key }: LiveObject): string {
  return `${key.group}/${key.kind}/${key.name}`;
}
