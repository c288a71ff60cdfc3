import type { Admission, Inside, RequestInfo, User } from '../ports.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import type { Registry } from './registry.ts';

/** What a write needs of the server around it. */
export interface Cluster {
  readonly store: MemoryStore;
  readonly registry: Registry;
  readonly inside: Inside;
  /** Set once the server is put together. */
  admission: readonly Admission[];
  now(): Date;
  random(bytes: number): Buffer;
}

/** Who writes, and how. */
export interface Writing {
  readonly info: RequestInfo;
  readonly user: User;
  readonly dryRun: boolean;
  /** Who is entered in the managed fields; empty: nobody (writes from inside). */
  readonly manager: string;
  /** True where the object carries its managed fields already (a creating apply). */
  readonly managed?: boolean;
}

/** A time as Kubernetes prints it: whole seconds, UTC. */
export function timestamp(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}
