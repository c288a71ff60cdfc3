import { randomInt } from 'node:crypto';
import { Bodies } from './bodies.ts';
import { Columns, none } from './columns.ts';
import { Interner } from './interner.ts';
import { MoreOwners } from './more-owners.ts';
import { Names } from './names.ts';
import { Places } from './places.ts';
import { RowIndex } from './row-index.ts';
import { uidText, uidWords } from './uid.ts';

/**
 * Everything that is known of a cluster's objects, in columns: found by key or uid, with what owns what and which
 * Application's mark they bear. An owner that was named but not seen yet is a row without a kind.
 */
export class ObjectTable {
  readonly columns = new Columns();
  readonly bodies = new Bodies();
  readonly namespaces = new Interner();
  readonly instances = new Interner();
  readonly #names = new Names();
  readonly #more = new MoreOwners();
  readonly #places = new Places(this.columns);
  readonly #perKind: number[] = [];
  readonly #marked = new Map<number, Set<number>>();
  readonly #byKey = new RowIndex((row) => this.#keyHash(row));
  readonly #byUid = new RowIndex((row) => mixWords(this.columns.uid, row * 4));
  #rows = 0;
  #free = none;
  /** Rows of owners that were named and not seen. */
  #unseen = 0;
  /** Objects, without owners that were only named. */
  count = 0;

  /** The row of an object; `none` where it is not known. */
  find(kind: number, namespace: string, name: string): number {
    const place = this.namespaces.find(namespace);
    if (place < 0) return none;
    this.#names.seek(name);
    return this.#findSought(kind, place);
  }

  /** Makes a row for an object that has none; if others have named it as their owner, they belong to it now. */
  insert(key: { readonly kind: number; readonly namespace: string; readonly name: string }, uid: string): number {
    const { columns } = this;
    const named = uid === '' || this.#unseen === 0 ? none : this.findUid(uid);
    const isNamed = named !== none && columns.kind[named] === 0;
    if (isNamed) this.#unseen--;
    const row = isNamed ? named : this.#newRow(uid);
    this.#names.seek(key.name);
    columns.nameOffset[row] = this.#names.keepSought();
    columns.nameLength[row] = this.#names.soughtLength;
    columns.kind[row] = key.kind;
    columns.namespace[row] = this.namespaces.hold(key.namespace);
    this.#places.enter(row, columns.namespace[row] ?? 0);
    this.#byKey.add(row);
    this.#perKind[key.kind] = this.countOf(key.kind) + 1;
    this.count++;
    return row;
  }

  /** Forgets an object. While others call it their owner, its uid stays. */
  remove(row: number): void {
    const { columns } = this;
    this.mark(row, '');
    this.own(row, []);
    this.bodies.delete(row);
    this.#byKey.delete(row);
    const [kind, place] = [columns.kind[row] ?? 0, columns.namespace[row] ?? 0];
    this.#places.leave(row, place);
    this.#perKind[kind] = this.countOf(kind) - 1;
    this.namespaces.release(place);
    this.#names.wasted += columns.nameLength[row] ?? 0;
    columns.kind[row] = 0;
    columns.namespace[row] = 0;
    columns.health[row] = 0;
    columns.flags[row] = 0;
    columns.hash[row * 2] = 0;
    columns.hash[row * 2 + 1] = 0;
    this.count--;
    this.#unseen++;
    this.#freeUnseen(row);
    if (this.#names.wasteful) this.#compactNames();
  }

  findUid(uid: string): number {
    const words = uidWords(uid);
    const column = this.columns.uid;
    return this.#byUid.find(mixWords(words, 0), (row) => sameWords(column, row * 4, words));
  }

  uidOf(row: number): string {
    return uidText(this.columns.uid, row);
  }

  hasUid(row: number, uid: string): boolean {
    return sameWords(this.columns.uid, row * 4, uidWords(uid));
  }

  nameOf(row: number): string {
    return this.#names.text(this.columns.nameOffset[row] ?? 0, this.columns.nameLength[row] ?? 0);
  }

  namespaceOf(row: number): string {
    return this.namespaces.text(this.columns.namespace[row] ?? 0);
  }

  /** Says whose mark an object bears; the empty text: nobody's. */
  mark(row: number, instance: string): void {
    const { columns, instances } = this;
    const old = columns.instance[row] ?? 0;
    if (instances.text(old) === instance) return;
    const rows = this.#marked.get(old);
    rows?.delete(row);
    if (rows?.size === 0) this.#marked.delete(old);
    instances.release(old);
    const id = instances.hold(instance);
    columns.instance[row] = id;
    if (id === 0) return;
    const marked = this.#marked.get(id);
    if (marked === undefined) this.#marked.set(id, new Set([row]));
    else marked.add(row);
  }

  /** The objects that bear an Application's mark. */
  markedBy(instance: string): Iterable<number> {
    return this.#marked.get(this.instances.find(instance)) ?? [];
  }

  /** Says which uids own an object. Answers whether that is news. */
  own(row: number, uids: readonly string[]): boolean {
    const moved = this.#ownFirst(row, uids[0] ?? '');
    if (uids.length < 2 && this.#more.of(row).length === 0) return moved;
    return this.#ownMore(row, uids.slice(1)) || moved;
  }

  /** Those that an object names as its owners, seen or not. */
  *owners(row: number): Generator<number> {
    const first = this.columns.owner[row] ?? none;
    if (first !== none) yield first;
    yield* this.#more.of(row);
  }

  /** Whether an object names more than one owner. */
  hasMoreOwners(row: number): boolean {
    return this.#more.of(row).length > 0;
  }

  /** What names an object as its owner, rightly or not. */
  *owned(row: number): Generator<number> {
    const { columns } = this;
    for (let at = columns.firstOwned[row] ?? none; at !== none; at = columns.nextOwned[at] ?? none) yield at;
    yield* this.#more.owned(row);
  }

  /**
   * Whether one can own the other as Kubernetes means it: from the same namespace, or from none. A name in a stranger's
   * object must not reach into another namespace.
   */
  canOwn(owner: number, row: number): boolean {
    const { kind, namespace } = this.columns;
    if (owner === row || kind[owner] === 0) return false;
    return namespace[owner] === 0 || namespace[owner] === namespace[row];
  }

  /** The objects of a namespace; the empty text: those of none. Nothing may come or go meanwhile. */
  rowsIn(namespace: string): Iterable<number> {
    const place = this.namespaces.find(namespace);
    return place < 0 ? [] : this.#places.rows(place);
  }

  /** How many objects of a kind there are. */
  countOf(kind: number): number {
    return this.#perKind[kind] ?? 0;
  }

  /** All rows of objects, in no order. */
  *rows(): Generator<number> {
    for (let row = 0; row < this.#rows; row++) if (this.columns.kind[row] !== 0) yield row;
  }

  get bytes(): number {
    const rows = this.columns.bytes + this.#byKey.bytes + this.#byUid.bytes + this.#names.bytes;
    return rows + this.bodies.bytes + this.namespaces.bytes + this.instances.bytes;
  }

  #ownFirst(row: number, uid: string): boolean {
    const old = this.columns.owner[row] ?? none;
    if (uid === '' ? old === none : old !== none && this.hasUid(old, uid)) return false;
    if (old !== none) this.#unlink(row, old);
    if (uid !== '') this.#link(row, this.#rowOfUid(uid));
    return true;
  }

  #ownMore(row: number, uids: readonly string[]): boolean {
    const old = this.#more.of(row);
    if (old.length === uids.length && old.every((owner, i) => this.hasUid(owner, uids[i] ?? ''))) return false;
    const owners = uids.map((uid) => this.#rowOfUid(uid));
    this.#more.set(row, owners);
    for (const owner of old) this.#freeUnseen(owner);
    return true;
  }

  /** The row of an owner, which is made where it was not seen yet. */
  #rowOfUid(uid: string): number {
    const found = this.findUid(uid);
    if (found !== none) return found;
    this.#unseen++;
    return this.#newRow(uid);
  }

  /** Gives back the row of an object that is not there and that nobody names any more. */
  #freeUnseen(row: number): void {
    const { columns } = this;
    if (columns.kind[row] !== 0 || columns.firstOwned[row] !== none || this.#more.owns(row)) return;
    this.#unseen--;
    this.#freeRow(row);
  }

  #findSought(kind: number, namespace: number): number {
    const { columns } = this;
    const names = this.#names;
    return this.#byKey.find(
      names.hashSought(seedOf(kind, namespace)),
      (row) =>
        columns.kind[row] === kind &&
        columns.namespace[row] === namespace &&
        names.isSought(columns.nameOffset[row] ?? 0, columns.nameLength[row] ?? 0),
    );
  }

  #keyHash(row: number): number {
    const { kind, namespace, nameOffset, nameLength } = this.columns;
    const seed = seedOf(kind[row] ?? 0, namespace[row] ?? 0);
    return this.#names.hashAt(nameOffset[row] ?? 0, nameLength[row] ?? 0, seed);
  }

  #newRow(uid: string): number {
    const { columns } = this;
    const row = this.#free === none ? this.#rows++ : this.#free;
    if (this.#free === row) this.#free = columns.nextOwned[row] ?? none;
    columns.reserve(this.#rows);
    columns.nextOwned[row] = none;
    copyWords(uidWords(uid), columns.uid, row * 4);
    if (uid !== '') this.#byUid.add(row);
    return row;
  }

  #freeRow(row: number): void {
    const { columns } = this;
    this.#byUid.delete(row);
    columns.owner[row] = none;
    columns.nextOwned[row] = this.#free;
    this.#free = row;
  }

  #link(row: number, owner: number): void {
    const { columns } = this;
    const first = columns.firstOwned[owner] ?? none;
    columns.owner[row] = owner;
    columns.previousOwned[row] = none;
    columns.nextOwned[row] = first;
    if (first !== none) columns.previousOwned[first] = row;
    columns.firstOwned[owner] = row;
  }

  #unlink(row: number, owner: number): void {
    const { columns } = this;
    const [before, after] = [columns.previousOwned[row] ?? none, columns.nextOwned[row] ?? none];
    if (before === none) columns.firstOwned[owner] = after;
    else columns.nextOwned[before] = after;
    if (after !== none) columns.previousOwned[after] = before;
    columns.owner[row] = none;
    columns.nextOwned[row] = none;
    columns.previousOwned[row] = none;
    this.#freeUnseen(owner);
  }

  #compactNames(): void {
    const { columns } = this;
    this.#names.compact((move) => {
      for (const row of this.rows())
        columns.nameOffset[row] = move(columns.nameOffset[row] ?? 0, columns.nameLength[row] ?? 0);
    });
  }
}

/** Names and uids are chosen by strangers: nobody must be able to make them all fall into one place. */
const secret = randomInt(2 ** 32);

/** Word by word: every object comes by here, and four words are too few for anything cleverer. */
function sameWords(column: Uint32Array, at: number, words: Uint32Array): boolean {
  for (let i = 0; i < 4; i++) if (column[at + i] !== words[i]) return false;
  return true;
}

function copyWords(words: Uint32Array, column: Uint32Array, at: number): void {
  for (let i = 0; i < 4; i++) column[at + i] = words[i] ?? 0;
}

function mixWords(words: Uint32Array, at: number): number {
  let mixed = secret;
  for (let i = at; i < at + 4; i++) {
    mixed = Math.imul(mixed ^ (words[i] ?? 0), 0x9e3779b1);
    mixed ^= mixed >>> 15;
  }
  return mixed >>> 0;
}

function seedOf(kind: number, namespace: number): number {
  return secret ^ Math.imul(kind, 0x9e3779b1) ^ Math.imul(namespace, 0x85ebca6b);
}
