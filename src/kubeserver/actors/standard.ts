import { type Access, bootstrapPolicy } from '../access/index.ts';
import type { Actor, Inside } from '../ports.ts';

export interface ActorOptions {
  readonly tokens: Access['tokens'];
  /** PEM of the certificate authority clients trust, published to every namespace. */
  readonly caCertificate: string;
  /** Names of actors to leave out. */
  readonly off?: readonly string[];
  /** How long a pod takes from one phase to the next, in milliseconds. */
  readonly podDelay?: number;
}

/** Every actor of the embedded cluster that is not turned off. */
export function standardActors(options: ActorOptions): Actor[] {
  const all: Actor[] = [];
  return all.filter(({ name }) => !(options.off ?? []).includes(name));
}

/** What a cluster is born with: its namespaces, roles, node and the `kubernetes` service. Safe to call again. */
export async function bootstrapCluster(inside: Inside): Promise<void> {
  await bootstrapPolicy(inside);
}
