/** Gathers the Applications that something happened to, and tells of each once for a bunch of changes. */
export interface Touches {
  /** This Application has looked at its objects: from now on it wants to hear of them. */
  asked(instance: string): void;
  touch(instance: string): void;
  /** Tells these, whatever they know. */
  wake(instances: Iterable<string>): void;
  stop(): void;
}

/** An Application that never asked will look at everything when it does, and need not be told before. */
export function createTouches(tell: (instances: readonly string[]) => void): Touches {
  const askers = new Set<string>();
  let pending = new Set<string>();
  let timer: NodeJS.Immediate | undefined;
  const flush = (): void => {
    timer = undefined;
    const bunch = pending;
    pending = new Set();
    if (bunch.size > 0) tell([...bunch]);
  };
  const touch = (instance: string): void => {
    if (!askers.has(instance)) return;
    pending.add(instance);
    timer ??= setImmediate(flush);
  };
  return {
    asked: (instance) => {
      askers.add(instance);
    },
    touch,
    wake(instances) {
      for (const instance of instances) touch(instance);
    },
    stop() {
      clearImmediate(timer);
      pending.clear();
    },
  };
}
