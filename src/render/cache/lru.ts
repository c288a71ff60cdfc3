/** Keeps what was used last, up to a number of bytes. */
export interface Lru<T> {
  get(key: string): T | undefined;
  set(key: string, value: T, bytes: number): void;
  delete(key: string): void;
  readonly bytes: number;
}

/** Makes one; a value larger than all its room is not kept at all. */
export function createLru<T>(maxBytes: number): Lru<T> {
  const entries = new Map<string, { readonly value: T; readonly bytes: number }>();
  let total = 0;
  const drop = (key: string): void => {
    total -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  };
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      // Last used, last dropped: a Map keeps the order in which keys came.
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    set(key, value, bytes) {
      drop(key);
      if (bytes > maxBytes) return;
      entries.set(key, { value, bytes });
      total += bytes;
      for (const oldest of entries.keys()) {
        if (total <= maxBytes) break;
        drop(oldest);
      }
    },
    delete: drop,
    get bytes() {
      return total;
    },
  };
}
