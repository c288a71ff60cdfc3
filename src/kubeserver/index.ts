/**
 * The embedded cluster: a small Kubernetes API server for the first minute, for tests and for trying out policies.
 *
 * It is never what production runs on. It leaves everything about GitOps to others and could leave the house whole.
 * Begin with `ports.ts`, then `server.ts`; what is knowingly left out is in `docs/embedded-cluster.md`.
 */
export type { Actor, AuditRecord, Inside, User } from './ports.ts';
export { type ClusterOptions, type EmbeddedCluster, startCluster } from './server.ts';
