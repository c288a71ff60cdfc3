/**
 * The program that makes clusters match Git: it gathers, lets the core decide, acts as the tenant, and reports.
 *
 * Rules are in `core`, systems outside in the edges; here is only the order of calls. Begin with
 * `application/reconcile.ts`, then `queue/`.
 */
export { admit } from './application/admit.ts';
export { reconcile } from './application/reconcile.ts';
export type { Admission, Admitted, ClusterAccess, Manifests, World } from './application/world.ts';
export { createQueue, type Queue, type QueueClock, type QueueOptions } from './queue/index.ts';
