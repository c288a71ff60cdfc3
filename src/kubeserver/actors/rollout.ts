import { type Json, type JsonObject, objectAt, stringAt } from '../../core/json/index.ts';

/** One ReplicaSet as a rollout sees it. */
export interface Part {
  readonly replicas: number;
  readonly available: number;
  /** Pods that still exist, also those on their way out. */
  readonly pods: number;
}

export interface RolloutState {
  readonly desired: number;
  readonly strategy: JsonObject;
  readonly fresh: Part;
  /** Oldest first. */
  readonly old: readonly Part[];
}

/** How many replicas each ReplicaSet is to have next. */
export interface RolloutStep {
  readonly fresh: number;
  readonly old: readonly number[];
}

/** A count given as a number or as a share of the desired one. */
function share(value: Json | undefined, desired: number, round: (value: number) => number, otherwise: Json): number {
  const given = value ?? otherwise;
  if (typeof given === 'number') return given;
  return typeof given === 'string' ? round((Number.parseFloat(given) / 100) * desired) : 0;
}

/** How many pods more than desired, and how many fewer available ones, a rollout may have. */
export function margins(strategy: JsonObject, desired: number): { surge: number; unavailable: number } {
  const rolling = objectAt(strategy, 'rollingUpdate');
  const surge = share(rolling?.['maxSurge'], desired, Math.ceil, '25%');
  const unavailable = share(rolling?.['maxUnavailable'], desired, Math.floor, '25%');
  // Both rounded to nothing would stand still for ever.
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

/** The next step of a rollout towards the fresh ReplicaSet. */
export function nextStep(state: RolloutState): RolloutStep {
  const { desired, old, fresh, strategy } = state;
  if (stringAt(strategy, 'type') === 'Recreate') {
    const gone = old.every(({ replicas, pods }) => replicas === 0 && pods === 0);
    return { fresh: gone ? desired : fresh.replicas, old: old.map(() => 0) };
  }
  if (old.every(({ replicas }) => replicas === 0)) return { fresh: desired, old: old.map(() => 0) };
  return rollingStep(state);
}

function rollingStep({ desired, old, fresh, strategy }: RolloutState): RolloutStep {
  const { surge, unavailable } = margins(strategy, desired);
  const total = fresh.replicas + sum(old.map(({ replicas }) => replicas));
  const room = Math.max(0, desired + surge - total);
  const next = Math.min(desired, fresh.replicas + room);
  const waiting = fresh.replicas - fresh.available;
  let spare = total - (desired - unavailable) - waiting;
  const counts = old.map(({ replicas }) => replicas);
  // Pods that do not work are no loss: they go first.
  for (const [index, part] of old.entries()) {
    const drop = Math.max(0, Math.min(spare, part.replicas - part.available));
    counts[index] = part.replicas - drop;
    spare -= drop;
  }
  let free = Math.max(0, fresh.available + sum(old.map(({ available }) => available)) - (desired - unavailable));
  for (const [index, count] of counts.entries()) {
    const drop = Math.max(0, Math.min(free, count, spare));
    counts[index] = count - drop;
    free -= drop;
    spare -= drop;
  }
  return { fresh: next, old: counts };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
