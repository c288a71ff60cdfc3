/** Argo CD's words, best first. */
export const healthOrder = ['Healthy', 'Suspended', 'Progressing', 'Missing', 'Degraded', 'Unknown'] as const;
export type HealthCode = (typeof healthOrder)[number];

/** How one object is doing; undefined where its kind says nothing about that. */
export interface Health {
  readonly status: HealthCode;
  readonly message?: string | undefined;
}
