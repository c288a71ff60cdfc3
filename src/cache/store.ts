import { ArgosyError } from '../core/errors/index.ts';
import type { KubeObject } from '../core/objects/index.ts';
import { Inferred } from './inferred.ts';
import { bodyOf, fullHash, isSecret, type Projection, type Projector, partOf, project } from './projection.ts';
import { none } from './table/columns.ts';
import { Kinds } from './table/kinds.ts';
import { ObjectTable } from './table/object-table.ts';
import type { Sight } from './touches.ts';

/** How far and to how many owners one climbs: real chains have four links, a ring has no end. */
const longestChain = 32;
const mostAbove = 64;
const nobody: readonly string[] = [];
/** How long a uid that went is not believed to be there, whoever still tells of it; so many at the most. */
const goneMs = 60_000;
const mostGone = 50_000;
/** Flags of a row: only metadata is kept; what the object means has not been told yet. */
const [partial, untold] = [1, 2];
/** Kubernetes' own end at 253. */
const longestName = 1_024;
/** How many objects may come between two looks at the bytes. */
const checkEvery = 64;

export interface StoreOptions {
  readonly projector: Projector;
  readonly now: () => number;
  /** What all objects together may take. */
  readonly mostBytes: number;
  /** An Application's objects, or what they own, have changed their meaning. */
  readonly touched: (instance: string, sight?: Sight) => void;
  /** In this namespace an object came, went or changed that bears nobody's mark and names no owner. */
  readonly loosened?: ((namespace: string) => void) | undefined;
}

/** How an object came to us. */
export interface Intake {
  readonly kind: number;
  readonly epoch: number;
  /** False where only the metadata was read. */
  readonly whole: boolean;
  /** Whether the kind is followed by metadata only, so that its meaning must be told from that alone. */
  readonly lean: boolean;
  /** The Application that wrote it itself and need not hear of it. */
  readonly writer?: string | undefined;
}

/** Takes objects in, keeps of them what counts, and tells which Applications are touched. */
export class Store {
  readonly table = new ObjectTable();
  readonly kinds = new Kinds();
  readonly #inferred = new Inferred(this.table, this.kinds);
  readonly #options: StoreOptions;
  readonly #gone = new Map<string, number>();

  constructor(options: StoreOptions) {
    this.#options = options;
  }

  /** An object is there, or has changed. What is older than what is known only shows that it is still there. */
  take(object: KubeObject, intake: Intake): void {
    const { table } = this;
    const { columns } = table;
    const { name = '', namespace = '', uid = '' } = object.metadata;
    if (this.#gone.size > 0 && this.#gone.has(uid)) return;
    let row = table.find(intake.kind, namespace, name);
    if (row !== none && !table.hasUid(row, uid)) {
      this.drop(row);
      row = none;
    }
    if (row !== none && this.#isKnown(row, Number(object.metadata.resourceVersion), intake)) {
      columns.epoch[row] = intake.epoch;
      return;
    }
    const isNew = row === none;
    if (isNew) this.#makeRoom(namespace, name);
    if (isNew) row = table.insert({ kind: intake.kind, namespace, name }, uid);
    columns.epoch[row] = intake.epoch;
    this.#write(row, object, intake, isNew);
  }

  /** An object is no longer there. */
  drop(row: number, writers: readonly string[] = nobody): void {
    for (const instance of this.instancesAbove(row)) if (!writers.includes(instance)) this.#options.touched(instance);
    if (this.#isLoose(row)) this.#loosened(row);
    this.#inferred.forget(row);
    this.table.remove(row);
  }

  /** The watch says that an object went. An answer to a request of ours may still be on its way and show it. */
  wentAway(kind: number, object: KubeObject): void {
    const { name = '', namespace = '', uid = '' } = object.metadata;
    this.#bury(uid);
    const row = this.table.find(kind, namespace, name);
    if (row !== none && this.table.hasUid(row, uid)) this.drop(row);
  }

  /** We deleted it ourselves; what a watch still tells of it is from before. */
  deleted(row: number): void {
    this.#bury(this.table.uidOf(row));
    this.drop(row, this.instancesAbove(row));
  }

  /** Forgets all objects of a kind (in one namespace, or everywhere) that `stays` does not hold. */
  sweep(kind: number, namespace: string | undefined, stays: (row: number) => boolean): void {
    const { table } = this;
    if (table.countOf(kind) === 0) return;
    const { kind: kinds } = table.columns;
    const gone: number[] = [];
    for (const row of namespace === undefined ? table.rows() : table.rowsIn(namespace))
      if (kinds[row] === kind && !stays(row)) gone.push(row);
    for (const row of gone) this.drop(row);
  }

  /** What owns an object: what it names, and what is inferred; nothing of another namespace. */
  *ownersOf(row: number): Generator<number> {
    const { table } = this;
    for (const owner of table.owners(row)) if (table.canOwn(owner, row)) yield owner;
    if (this.#inferred.mayHaveOwner(row)) yield* this.#inferred.ownersOf(row);
  }

  /** What an object owns. */
  *childrenOf(row: number): Generator<number> {
    const { table } = this;
    if (row === none) return;
    for (const child of table.owned(row)) if (table.canOwn(row, child)) yield child;
    yield* this.#inferred.childrenOf(row);
  }

  /** The Applications a row belongs to: by its own mark, or by those of what owns it. */
  instancesAbove(row: number): readonly string[] {
    const { columns, instances } = this.table;
    let at = row;
    // Nearly all objects have one owner or none: no sets are needed to climb.
    for (let step = 0; step < longestChain; step++) {
      const id = columns.instance[at] ?? 0;
      if (id !== 0) return [instances.text(id)];
      if (this.table.hasMoreOwners(at) || this.#inferred.mayHaveOwner(at)) break;
      const owner = columns.owner[at] ?? none;
      if (owner === none || !this.table.canOwn(owner, at)) return nobody;
      at = owner;
    }
    return this.#instancesAround(at);
  }

  #instancesAround(row: number): readonly string[] {
    const { columns, instances } = this.table;
    const found = new Set<number>();
    const seen = new Set([row]);
    for (const at of seen) {
      const id = columns.instance[at] ?? 0;
      if (id !== 0) found.add(id);
      else if (seen.size < mostAbove) for (const owner of this.ownersOf(at)) seen.add(owner);
    }
    return [...found].map((id) => instances.text(id));
  }

  /** A managed object, or its metadata where only that is kept. */
  body(row: number): KubeObject | undefined {
    const { columns, bodies } = this.table;
    return bodies.get(row, columns.kind[row] ?? 0);
  }

  /** Whether all of an object is kept. */
  isWhole(row: number): boolean {
    const { columns, bodies } = this.table;
    return bodies.has(row) && ((columns.flags[row] ?? 0) & partial) === 0;
  }

  /** Clusters of tenants are read, too: nobody must be able to fill our memory. */
  #makeRoom(namespace: string, name: string): void {
    if (namespace.length > longestName || name.length > longestName)
      throw new ArgosyError('kube-malformed', `the name of an object has more than ${longestName} characters`);
    const { table } = this;
    if (table.count % checkEvery === 0 && table.bytes > this.#options.mostBytes)
      throw new ArgosyError(
        'kube-limit',
        `the cluster holds more than the ${this.#options.mostBytes} bytes kept of one`,
      );
  }

  /** A uid is never given twice. */
  #bury(uid: string): void {
    if (uid.length > longestName) return;
    const now = this.#options.now();
    this.#gone.delete(uid);
    this.#gone.set(uid, now);
    for (const [oldest, at] of this.#gone) {
      if (now - at <= goneMs && this.#gone.size <= mostGone) break;
      this.#gone.delete(oldest);
    }
  }

  /** The same version brings nothing new, unless it brings the body that was missing. */
  #isKnown(row: number, version: number, { whole }: Intake): boolean {
    const { columns } = this.table;
    const known = columns.version[row] ?? Number.NaN;
    const bringsBody = whole && ((columns.flags[row] ?? 0) & partial) !== 0;
    return version < known || (version === known && !bringsBody);
  }

  #write(row: number, object: KubeObject, { whole, lean, writer = '' }: Intake, isNew: boolean): void {
    const { table } = this;
    const { columns } = table;
    const next = project(object, this.#options.projector, { lean, isNew });
    const changed = isNew || columns.health[row] !== next.health || this.#hasChanged(row, next, lean);
    const before = isNew ? nobody : this.instancesAbove(row);
    const wasLoose = !isNew && this.#isLoose(row);
    columns.version[row] = next.version;
    columns.created[row] = next.created;
    columns.health[row] = next.health;
    if (next.hash !== undefined) {
      columns.hash[row * 2] = next.hash[0];
      columns.hash[row * 2 + 1] = next.hash[1];
    }
    table.mark(row, next.instance);
    const moved = table.own(row, next.owners);
    this.#inferred.note(row, object, whole);
    this.#keepBody(row, object, next.instance !== '', whole);
    if (next.hash === undefined) columns.flags[row] = (columns.flags[row] ?? 0) | untold;
    if (wasLoose !== this.#isLoose(row)) this.#loosened(row);
    const now = this.instancesAbove(row);
    if (before.length + now.length === 0 || (!changed && !moved && same(before, now))) return;
    const sight = { row, version: next.version };
    for (const instance of new Set([...before, ...now]))
      if (instance !== writer) this.#options.touched(instance, sight);
  }

  /** A list brings thousands of objects that will not change for long: what they meant is told when one does. */
  #hasChanged(row: number, { hash = [0, 0] }: Pick<Projection, 'hash'>, lean: boolean): boolean {
    const { columns } = this.table;
    const known = ((columns.flags[row] ?? 0) & untold) === 0 ? undefined : this.body(row);
    if (known !== undefined) columns.hash.set(fullHash(known, this.#options.projector, lean), row * 2);
    return columns.hash[row * 2] !== hash[0] || columns.hash[row * 2 + 1] !== hash[1];
  }

  /** Whether an object bears nobody's mark and names no owner. */
  #isLoose(row: number): boolean {
    const { instance, owner } = this.table.columns;
    return instance[row] === 0 && owner[row] === none;
  }

  #loosened(row: number): void {
    this.#options.loosened?.(this.table.namespaceOf(row));
  }

  #keepBody(row: number, object: KubeObject, managed: boolean, whole: boolean): void {
    const { columns, bodies } = this.table;
    if (!managed) {
      bodies.delete(row);
      columns.flags[row] = 0;
      return;
    }
    columns.flags[row] = whole && !isSecret(object) ? 0 : partial;
    bodies.set(row, columns.kind[row] ?? 0, whole ? bodyOf(object) : partOf(object));
  }
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, i) => b[i] === text);
}
