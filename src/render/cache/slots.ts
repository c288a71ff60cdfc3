/** Bounds how much runs at once, for all and for each tenant, so that one cannot take every place. */
export interface Slots {
  use<T>(scope: string, work: () => Promise<T>): Promise<T>;
}

interface Waiting {
  readonly scope: string;
  readonly go: () => void;
}

/** Makes slots; whoever waits longest and is below the bound of its scope goes next. */
export function createSlots(total: number, perScope: number): Slots {
  const waiting: Waiting[] = [];
  const running = new Map<string, number>();
  let used = 0;
  const next = (): void => {
    while (used < total) {
      const index = waiting.findIndex(({ scope }) => (running.get(scope) ?? 0) < perScope);
      const [chosen] = index < 0 ? [] : waiting.splice(index, 1);
      if (chosen === undefined) return;
      used += 1;
      running.set(chosen.scope, (running.get(chosen.scope) ?? 0) + 1);
      chosen.go();
    }
  };
  return {
    async use(scope, work) {
      await new Promise<void>((go) => {
        waiting.push({ scope, go });
        next();
      });
      try {
        return await work();
      } finally {
        used -= 1;
        const left = (running.get(scope) ?? 1) - 1;
        if (left === 0) running.delete(scope);
        else running.set(scope, left);
        next();
      }
    },
  };
}
