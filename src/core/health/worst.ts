import { type Health, type HealthCode, healthOrder } from './types.ts';

/** Tells whether one health is worse than another; the empty one is worse than none. */
export function isWorse(a: HealthCode | '', b: HealthCode | ''): boolean {
  return place(a) > place(b);
}

function place(status: HealthCode | ''): number {
  return status === '' ? -1 : healthOrder.indexOf(status);
}

/** One managed object's part in its Application's health. */
export interface HealthPart {
  readonly live: boolean;
  readonly health: Health | undefined;
  /** Hooks, ignored objects, the Application itself. */
  readonly counts: boolean;
}

/**
 * The health of an Application: the worst of its managed roots. Missing objects alone do not harm it, except where it
 * has objects and none of them is there.
 */
export function aggregateHealth(parts: readonly HealthPart[]): Health {
  let worst: Health = { status: 'Healthy' };
  for (const { health, counts, live } of parts) {
    if (counts && live && health !== undefined && isWorse(health.status, worst.status)) worst = health;
  }
  const counted = parts.filter(({ counts }) => counts);
  if (counted.length > 0 && counted.every(({ live }) => !live)) return { status: 'Missing' };
  return worst;
}
