/** Finds what belongs to a name: once for all who ask, also for those who ask before it is found. */
export type Once<T> = (name: string, find: () => Promise<T>) => Promise<T>;

/** Remembers so many answers that do not change; what failed is tried again by the next who asks. */
export function createOnce<T>(max: number): Once<T> {
  const known = new Map<string, Promise<T>>();
  return (name, find) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const found = find();
    known.set(name, found);
    found.catch(() => {
      if (known.get(name) === found) known.delete(name);
    });
    const [oldest] = known.keys();
    if (known.size > max && oldest !== undefined) known.delete(oldest);
    return found;
  };
}
