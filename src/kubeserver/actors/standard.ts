import { ArgosyError } from '../../core/errors/index.ts';
import type { Access } from '../access/index.ts';
import type { Actor } from '../ports.ts';
import { aggregationActor } from './aggregation.ts';
import { claimActor } from './claims.ts';
import { daemonSetActor } from './daemon-set.ts';
import { deploymentActor } from './deployment.ts';
import { eventTtlActor } from './event-ttl.ts';
import { garbageCollector } from './garbage-collector.ts';
import { jobActor } from './job.ts';
import { namespaceActor } from './namespace.ts';
import { podActor } from './pod.ts';
import { replicaSetActor } from './replica-set.ts';
import { serviceAccountActor, tokenSecretActor } from './service-account.ts';
import { endpointsActor, loadBalancerActor } from './services.ts';
import { statefulSetActor } from './stateful-set.ts';

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
  const { tokens, caCertificate, off = [], podDelay = 20 } = options;
  const all = [
    serviceAccountActor(caCertificate),
    tokenSecretActor(tokens, caCertificate),
    aggregationActor(),
    namespaceActor(),
    garbageCollector(),
    deploymentActor(),
    replicaSetActor(),
    statefulSetActor(),
    daemonSetActor(),
    jobActor(),
    podActor(podDelay),
    claimActor(),
    endpointsActor(),
    loadBalancerActor(),
    eventTtlActor(),
  ];
  const unknown = off.filter((wanted) => !all.some(({ name }) => name === wanted));
  if (unknown.length > 0)
    throw new ArgosyError('usage', `there is no actor called ${unknown.join(', ')}`, {
      hint: `the actors are: ${all.map(({ name }) => name).join(', ')}`,
    });
  return all.filter(({ name }) => !off.includes(name));
}
