/** What tells the older of two objects from the younger one. */
export interface Aged {
  readonly namespace: string;
  readonly name: string;
  /** RFC 3339 in UTC, as the API server writes it; objects without one count as the youngest. */
  readonly creationTimestamp: string;
}

/** The items a limit has room for: oldest first, ties by namespace and name. Without a limit all of them. */
export function withinQuota<T extends Aged>(limit: number | undefined, items: readonly T[]): ReadonlySet<T> {
  if (limit === undefined || items.length <= limit) return new Set(items);
  return new Set([...items].sort(byAge).slice(0, Math.max(0, limit)));
}

function byAge(a: Aged, b: Aged): number {
  return (
    compare(
      a.creationTimestamp === '' ? '~' : a.creationTimestamp,
      b.creationTimestamp === '' ? '~' : b.creationTimestamp,
    ) ||
    compare(a.namespace, b.namespace) ||
    compare(a.name, b.name)
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
