import type { Exchange } from '../http/exchange.ts';
import type { Cluster } from '../registry/cluster.ts';
import type { Served } from '../registry/served.ts';

/** Answers one request for a resource: whoever handles it also answers it, or throws a StatusError. */
export type Handler = (exchange: Exchange, served: Served, cluster: Cluster) => Promise<void>;
