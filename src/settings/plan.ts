import { compileNamespacePattern } from '../core/match/index.ts';

/** Where tenants' Secrets are watched: named namespaces one by one, or everywhere with a filter. */
export interface WatchPlan {
  /** True where a pattern cannot be followed namespace by namespace. */
  readonly everywhere: boolean;
  /** The namespaces to watch one by one; empty where everything is watched. */
  readonly namespaces: readonly string[];
  /** Tells whether a namespace counts. */
  readonly includes: (namespace: string) => boolean;
}

/** The smallest set of watches for a list of patterns. The control plane's own namespace is never among them. */
export function planWatches(patterns: readonly string[], controlPlane: string): WatchPlan {
  const compiled = patterns.map(compileNamespacePattern).filter((each) => each.ok);
  const literals = compiled.map(({ literal }) => literal).filter((each) => each !== undefined && each !== '');
  const everywhere = compiled.some(({ literal }) => literal === undefined);
  const names = [...new Set(literals)].filter((each): each is string => each !== undefined && each !== controlPlane);
  const named = new Set(names);
  const others = compiled.filter(({ literal }) => literal === undefined);
  return {
    everywhere,
    namespaces: everywhere ? [] : names,
    includes: (namespace) =>
      namespace !== controlPlane && (named.has(namespace) || others.some((each) => each.matches(namespace))),
  };
}
