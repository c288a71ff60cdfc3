/** Argo CD's words, best first. */
export const healthOrder = ['Healthy', 'Suspended', 'Progressing', 'Missing', 'Degraded', 'Unknown'] as const;
export type HealthCode = (typeof healthOrder)[number];

/** How one object is doing; undefined where its kind says nothing about that. */
export interface Health {
  /**
   * Empty where a script has an answer for the kind but not yet for the object: an Application's health passes over it, a
   * hook is done with it, and a wave waits for more.
   */
  readonly status: HealthCode | '';
  readonly message?: string | undefined;
  /** The check itself failed: people must be told, and nothing is known about the object. */
  readonly failed?: true;
}
