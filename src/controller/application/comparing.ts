import {
  type ComparedBefore,
  type CompareOptions,
  type Comparison,
  comparing,
  type Live,
  serverSideDiffOf,
  type Target,
} from '../../core/diff/index.ts';
import type { KubeObject } from '../../core/objects/index.ts';
import { watchesKind } from '../../core/policy/index.ts';
import type { Ready } from './gather.ts';
import { Turns } from './turns.ts';

type Comparable = Pick<Ready, 'app' | 'instance' | 'admitted' | 'access' | 'settings' | 'predicted'>;

/** How an Application's objects are compared: by its own rules, those of the operation if there is one, and the settings. */
export function comparingOf(
  { app, instance, admitted, access, settings, predicted }: Comparable,
  syncOptions: readonly string[] | undefined = app.spec.syncPolicy?.syncOptions,
): CompareOptions {
  const server = app.spec.destination.server ?? '';
  return {
    instance,
    settings,
    ignoreDifferences: app.spec.ignoreDifferences,
    syncOptions,
    predicted,
    includeMutations: serverSideDiffOf(app.raw as unknown as KubeObject).includeMutations, // an Application is an object
    namespaced: ({ group, kind }) => access.resource(group, kind)?.namespaced,
    // Marks can be written by anybody: what the project does not permit is neither shown nor judged nor pruned.
    permits: (key) => admitted.permits(key, access.resource(key.group, key.kind)?.namespaced).answer !== 'denied',
    excluded: (kind) => !watchesKind(settings, server, kind),
  };
}

/** Compares an Application's objects, and keeps nobody waiting meanwhile. */
export async function compareInTurns(
  targets: readonly Target[],
  live: Live,
  options: CompareOptions,
  before?: ComparedBefore,
): Promise<Comparison> {
  const work = comparing(targets, live, options, before);
  const turns = new Turns();
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    const next = turns.over();
    if (next !== undefined) await next;
  }
}
