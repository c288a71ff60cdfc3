import { asJson, type KubeObject } from '../core/objects/index.ts';
import { claimPrefixes, inferOwners, isClaimOf } from '../core/tree/index.ts';
import { none } from './table/columns.ts';
import type { Kinds } from './table/kinds.ts';
import type { ObjectTable } from './table/object-table.ts';

/** More claim templates than any StatefulSet has: what is beyond is not looked for. */
const mostTemplates = 64;

/**
 * Owners that Kubernetes writes no reference for: they are found by names when somebody asks, so that only StatefulSets
 * with claims and a few objects of operators need anything kept.
 */
export class Inferred {
  readonly #table: ObjectTable;
  readonly #service: number;
  readonly #endpoints: number;
  readonly #claim: number;
  readonly #statefulSet: number;
  readonly #operator: number;
  readonly #operatorGroup: number;
  /** Of a StatefulSet: how the names of its claims begin. */
  readonly #prefixes = new Map<number, readonly string[]>();
  /** StatefulSets by namespace and beginning. */
  readonly #sets = new Map<string, Set<number>>();
  /** Of an operator: the name of its group. */
  readonly #groups = new Map<number, string>();

  constructor(table: ObjectTable, kinds: Kinds) {
    this.#table = table;
    this.#service = kinds.number({ group: '', kind: 'Service' });
    this.#endpoints = kinds.number({ group: '', kind: 'Endpoints' });
    this.#claim = kinds.number({ group: '', kind: 'PersistentVolumeClaim' });
    this.#statefulSet = kinds.number({ group: 'apps', kind: 'StatefulSet' });
    this.#operator = kinds.number({ group: 'operators.coreos.com', kind: 'ClusterServiceVersion' });
    this.#operatorGroup = kinds.number({ group: 'operators.coreos.com', kind: 'OperatorGroup' });
  }

  /** An object was taken in: what it tells of names is kept. */
  note(row: number, object: KubeObject, whole: boolean): void {
    const kind = this.#table.columns.kind[row];
    if (kind === this.#statefulSet && whole)
      this.#notePrefixes(row, claimPrefixes(asJson(object)).slice(0, mostTemplates));
    if (kind !== this.#operator) return;
    const [group] = inferOwners(asJson(object)).named;
    if (group === undefined) this.#groups.delete(row);
    else this.#groups.set(row, group.name);
  }

  /** An object went. */
  forget(row: number): void {
    if (this.#prefixes.has(row)) this.#notePrefixes(row, []);
    this.#groups.delete(row);
  }

  /** Whether an object of this row's kind may have an owner that is found by name. */
  mayHaveOwner(row: number): boolean {
    const kind = this.#table.columns.kind[row];
    return kind === this.#endpoints || kind === this.#claim || kind === this.#operator;
  }

  *ownersOf(row: number): Generator<number> {
    const { kind } = this.#table.columns;
    if (kind[row] === this.#endpoints && this.#isFree(row)) yield* this.#named(this.#service, row);
    else if (kind[row] === this.#claim) yield* this.#setsOf(row);
    else if (kind[row] === this.#operator) yield* this.#named(this.#operatorGroup, row, this.#groups.get(row) ?? '');
  }

  *childrenOf(row: number): Generator<number> {
    const { kind } = this.#table.columns;
    if (kind[row] === this.#service) yield* [...this.#named(this.#endpoints, row)].filter((each) => this.#isFree(each));
    else if (kind[row] === this.#statefulSet) yield* this.#claimsOf(row);
    else if (kind[row] === this.#operatorGroup) yield* this.#operatorsOf(row);
  }

  /** Who names its owner needs no inference. */
  #isFree(row: number): boolean {
    return this.#table.columns.owner[row] === none;
  }

  /** The object of a kind in the namespace of a row, of the same name if none is given. */
  *#named(kind: number, row: number, name = this.#table.nameOf(row)): Generator<number> {
    const found = this.#table.find(kind, this.#table.namespaceOf(row), name);
    if (found !== none) yield found;
  }

  *#setsOf(claim: number): Generator<number> {
    if (this.#sets.size === 0) return;
    const name = this.#table.nameOf(claim);
    const prefix = name.slice(0, name.lastIndexOf('-') + 1);
    if (!isClaimOf(name, [prefix])) return;
    yield* this.#sets.get(`${this.#table.namespaceOf(claim)}/${prefix}`) ?? [];
  }

  *#claimsOf(set: number): Generator<number> {
    const prefixes = this.#prefixes.get(set);
    if (prefixes === undefined) return;
    const { kind } = this.#table.columns;
    for (const row of this.#table.rowsIn(this.#table.namespaceOf(set)))
      if (kind[row] === this.#claim && isClaimOf(this.#table.nameOf(row), prefixes)) yield row;
  }

  *#operatorsOf(group: number): Generator<number> {
    const [namespace, name] = [this.#table.namespaceOf(group), this.#table.nameOf(group)];
    for (const [row, named] of this.#groups)
      if (named === name && this.#table.namespaceOf(row) === namespace) yield row;
  }

  #notePrefixes(row: number, prefixes: readonly string[]): void {
    const namespace = this.#table.namespaceOf(row);
    for (const prefix of this.#prefixes.get(row) ?? []) {
      const sets = this.#sets.get(`${namespace}/${prefix}`);
      sets?.delete(row);
      if (sets?.size === 0) this.#sets.delete(`${namespace}/${prefix}`);
    }
    if (prefixes.length === 0) this.#prefixes.delete(row);
    else this.#prefixes.set(row, prefixes);
    for (const prefix of prefixes) {
      const sets = this.#sets.get(`${namespace}/${prefix}`) ?? new Set();
      this.#sets.set(`${namespace}/${prefix}`, sets.add(row));
    }
  }
}
