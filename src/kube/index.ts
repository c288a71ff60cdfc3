/**
 * The only door to a Kubernetes API: configuration, discovery, lists, watches, writes, impersonation.
 *
 * It decides nothing about tenants; it carries out and reports. Foreign errors become ours here, and no secret leaves in
 * a message. Requests for a tenant go through `tenantDoor`. Begin with `types.ts`, then `connection.ts`, then `call/client.ts`.
 */

export { type ClusterSecretRules, parseClusterSecret } from './config/cluster-secret.ts';
export { inClusterConfig, type PodSurroundings } from './config/in-cluster.ts';
export { type KubeconfigSource, parseKubeconfig, readKubeconfig } from './config/kubeconfig.ts';
export type { Parsed } from './config/parsed.ts';
export { sealed, sealedConfig } from './config/secrecy.ts';
export { type ConnectOptions, connect } from './connection.ts';
export { type DiscoveryRhythm, type DiscoverySink, watchDiscovery } from './discovery/watch-discovery.ts';
export {
  type CacheDoor,
  type ControlDoor,
  cacheDoor,
  controlDoor,
  type TenantDoor,
  type TenantIdentity,
  tenantDoor,
} from './doors.ts';
export { type EventWriter, type EventWriterOptions, eventWriter } from './events.ts';
export type { AddressGuard } from './transport/dial.ts';
export type * from './types.ts';
export { type AccessRule, type AccessRules, mayAll, rulesIn } from './verbs/reviews.ts';
export { applications, appProjects, configMaps, events, pods, secrets, serviceAccounts } from './well-known.ts';
