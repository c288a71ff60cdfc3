/** One version of one object, by its row. */
export interface Sight {
  readonly row: number;
  readonly version: number;
}

interface Held {
  writes: number;
  readonly seen: (Sight | undefined)[];
  /** Rows and versions, as text: writes of one Application overlap, and there may be thousands before the last is over. */
  readonly own: Set<string>;
}

/** Gathers the Applications that something happened to, and tells of each once for a bunch of changes. */
export interface Touches {
  /** This Application has looked at its objects: from now on it wants to hear of them. */
  asked(instance: string): void;
  /** Something happened to its objects; `sight` is what was seen, where that can be told. */
  touch(instance: string, sight?: Sight): void;
  /**
   * A write of this Application's is under way: what is seen of its objects is told when that is over. Unless it was
   * nothing but the write itself, whose echo often comes before its answer.
   */
  hold(instance: string): (own: Sight | undefined) => void;
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
  const held = new Map<string, Held>();
  const touch = (instance: string, sight?: Sight): void => {
    if (!askers.has(instance)) return;
    const holding = held.get(instance);
    if (holding !== undefined) {
      holding.seen.push(sight);
      return;
    }
    pending.add(instance);
    timer ??= setImmediate(flush);
  };
  const hold = (instance: string): ((own: Sight | undefined) => void) => {
    const holding: Held = held.get(instance) ?? { writes: 0, seen: [], own: new Set() };
    held.set(instance, holding);
    holding.writes++;
    return (own) => {
      if (own !== undefined) holding.own.add(textOf(own));
      if (--holding.writes > 0) return;
      held.delete(instance);
      if (holding.seen.some((sight) => sight === undefined || !holding.own.has(textOf(sight)))) touch(instance);
    };
  };
  return {
    asked: (instance) => {
      askers.add(instance);
    },
    touch,
    hold,
    wake(instances) {
      for (const instance of instances) touch(instance);
    },
    stop() {
      clearImmediate(timer);
      pending.clear();
    },
  };
}

function textOf({ row, version }: Sight): string {
  return `${row} ${version}`;
}
