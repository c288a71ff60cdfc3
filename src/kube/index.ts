/**
 * The only door to a Kubernetes API: configuration, discovery, lists, watches, writes, impersonation.
 *
 * It decides nothing about tenants; it carries out and reports. Foreign errors become ours here. Begin with `types.ts`.
 */

export { parseKubeconfig, readKubeconfig } from './config/kubeconfig.ts';
export type { Parsed } from './config/parsed.ts';
export { type ConnectOptions, connect } from './connection.ts';
export type { AddressGuard } from './transport/dial.ts';
export type * from './types.ts';
