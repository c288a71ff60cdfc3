/**
 * The small parts that play Kubernetes' controllers, so that Deployments become ready, Jobs complete and deleted
 * namespaces empty.
 *
 * Each works on the store through `Inside` and can be turned off by its name. Begin with `standard.ts`.
 */

export { bootstrapCluster } from './bootstrap.ts';
export { type PodLogOptions, podLogs } from './pod-logs.ts';
export { type ActorOptions, standardActors } from './standard.ts';
