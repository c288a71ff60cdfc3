export type { Served } from './capabilities.ts';
export { type Clusters, type ClustersOptions, createClusters } from './clusters.ts';
export { kubeConfigOf } from './kube-config.ts';
