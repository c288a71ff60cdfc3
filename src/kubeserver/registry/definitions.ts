import type { Cluster } from './cluster.ts';

/** Serves custom kinds as their CRDs come, change and go. */
export function watchDefinitions(_cluster: Cluster): { stop(): void } {
  return { stop: () => undefined };
}
