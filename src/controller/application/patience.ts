/** How long syncs wait for API servers that are away, each Application by itself. */
export interface Patience {
  /** How long to wait before the next try; undefined once it has been away for too long. */
  next(instance: string): number | undefined;
  /** It has answered, and with these scopes all is well. */
  over(instance: string, scopes?: readonly string[]): void;
  /** An API server was away just now, as an Application or all that use a cluster noticed. */
  faulted(scope: string): void;
  /**
   * A server that has just come back refuses everybody until it has read its rules again: a 403 says nothing for a while
   * if it is the first answer after a fault. Asked with every such 403, for the scopes that count, so that no tenant's
   * dead cluster holds up another's refusal.
   */
  mayBeCold(scopes: readonly string[]): boolean;
}

const firstMs = 1000;
const longestMs = 15_000;
const mostMs = 5 * 60_000;
const coldMs = 20_000;

/** Longer waits each time, and an end: after five minutes an operation fails and its retry policy decides. */
export function createPatience(now: () => number): Patience {
  const away = new Map<string, { readonly since: number; readonly tries: number }>();
  const faults = new Map<string, { readonly at: number; refusedAt?: number }>();
  const isCold = (scope: string): boolean => {
    const fault = faults.get(scope);
    if (fault === undefined || now() - fault.at >= 2 * mostMs) return false;
    // Not from the fault on: who looks rarely may find the server away, and the next time back for a second.
    fault.refusedAt ??= now();
    return now() - fault.refusedAt < coldMs;
  };
  return {
    next(instance) {
      const { since, tries } = away.get(instance) ?? { since: now(), tries: 0 };
      if (now() - since >= mostMs) {
        away.delete(instance);
        return undefined;
      }
      // Nobody tells when an Application has gone in the middle of it; the oldest stand first.
      for (const [name, entry] of away) {
        if (now() - entry.since < 2 * mostMs) break;
        away.delete(name);
      }
      away.set(instance, { since, tries: tries + 1 });
      return Math.min(longestMs, firstMs * 2 ** Math.min(tries, 10));
    },
    over(instance, scopes = []) {
      away.delete(instance);
      for (const scope of scopes) faults.delete(scope);
    },
    faulted(scope) {
      for (const [each, { at }] of faults) if (now() - at >= 2 * mostMs) faults.delete(each);
      faults.set(scope, { at: now() });
    },
    mayBeCold: (scopes) => scopes.filter(isCold).length > 0,
  };
}
