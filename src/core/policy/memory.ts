import type { Cluster } from '../api/index.ts';
import type { DestinationMatch } from './destinations.ts';
import type { IdentityAnswer } from './identity.ts';
import { KindMemo } from './kind-memo.ts';
import { AnswerMemo, PairMemo } from './memo.ts';
import type { SourceMatch } from './sources.ts';
import type { Verdict } from './verdict.ts';

/** The answers a project has given so far; all of them follow from the project's parts and the keys alone. */
export class Memory {
  /** By address of the source. */
  readonly source = new AnswerMemo<SourceMatch>();
  /** By cluster and namespace; undefined asks for the cluster alone. */
  readonly destination = new PairMemo<Cluster, string | undefined, DestinationMatch>();
  /** By kind and group, for lists without names. */
  readonly kinds = new KindMemo();
  /** By cluster and namespace of an object. */
  readonly objectPlace = new PairMemo<Cluster, string, Verdict>();
  /** By cluster and destination namespace; the settings it was made under are kept with it. */
  readonly identity = new PairMemo<Cluster, string, IdentityAnswer>();
}
