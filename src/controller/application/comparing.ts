import type { CompareOptions } from '../../core/diff/index.ts';
import { watchesKind } from '../../core/policy/index.ts';
import type { Ready } from './gather.ts';

/** How an Application's objects are compared: by its own rules, those of the operation if there is one, and the settings. */
export function comparingOf(
  { app, instance, access, settings }: Ready,
  syncOptions: readonly string[] | undefined = app.spec.syncPolicy?.syncOptions,
): CompareOptions {
  const server = app.spec.destination.server ?? '';
  return {
    instance,
    settings,
    ignoreDifferences: app.spec.ignoreDifferences,
    syncOptions,
    namespaced: ({ group, kind }) => access.resource(group, kind)?.namespaced,
    excluded: (kind) => !watchesKind(settings, server, kind),
  };
}
