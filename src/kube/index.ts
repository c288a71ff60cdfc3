/**
 * The only door to a Kubernetes API: configuration, discovery, lists, watches, writes, impersonation.
 *
 * It decides nothing about tenants; it carries out and reports. Foreign errors become ours here. Begin with `types.ts`.
 */
export type * from './types.ts';
