import { isNamespaced } from './scope.ts';
import type { Verdict } from './verdict.ts';

/** Kinds are few; whoever invents them without end starts the memory anew. */
const limit = 5000;
/** Longer than a group and a kind are; what is longer is not remembered. */
const longest = 512;

/** What is remembered about a kind. */
export interface KindAnswers {
  readonly group: string;
  /** Cluster-scoped whatever discovery says. */
  readonly clusterScoped: boolean;
  namespaced: Verdict | undefined;
  cluster: Verdict | undefined;
}

/** Answers by kind, then group: nearly every kind has one group only. */
export class KindMemo {
  readonly #byKind = new Map<string, KindAnswers[]>();
  #size = 0;

  /** The answers of a kind, empty at first. */
  of(group: string, kind: string): KindAnswers {
    const known = this.#byKind.get(kind);
    if (known === undefined) return this.#add(group, kind, []);
    for (const each of known) if (each.group === group) return each;
    return this.#add(group, kind, known);
  }

  #add(group: string, kind: string, others: KindAnswers[]): KindAnswers {
    if (this.#size >= limit) {
      this.#byKind.clear();
      this.#size = 0;
    }
    const clusterScoped = isNamespaced({ group, kind }, true) === false;
    const fresh: KindAnswers = { group, clusterScoped, namespaced: undefined, cluster: undefined };
    if (group.length + kind.length > longest) return fresh;
    this.#byKind.set(kind, [...others, fresh]);
    this.#size += 1;
    return fresh;
  }
}
