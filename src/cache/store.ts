import type { KubeObject } from '../core/objects/index.ts';
import { bodyOf, isSecret, type Projector, project } from './projection.ts';
import { none } from './table/columns.ts';
import { ObjectTable } from './table/object-table.ts';

/** How far up the owners are followed: real chains have four links, a ring has no end. */
const longestChain = 32;
/** How long a uid that went is not believed to be there, whoever still tells of it; so many at the most. */
const goneMs = 60_000;
const mostGone = 50_000;
const partial = 1;

export interface StoreOptions {
  readonly projector: Projector;
  readonly now: () => number;
  /** An Application's objects, or what they own, have changed their meaning. */
  readonly touched: (instance: string) => void;
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
    if (isNew) row = table.insert({ kind: intake.kind, namespace, name }, uid);
    columns.epoch[row] = intake.epoch;
    this.#write(row, object, intake, isNew);
  }

  /** An object is no longer there. */
  drop(row: number, writer = ''): void {
    this.#touchAbove(row, writer);
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
    this.drop(row, this.instanceAbove(row));
  }

  /** Forgets all objects of a kind (in one namespace, or everywhere) that `stays` does not hold. */
  sweep(kind: number, namespace: string | undefined, stays: (row: number) => boolean): void {
    const { table } = this;
    const place = namespace === undefined ? undefined : table.namespaces.find(namespace);
    const { kind: kinds, namespace: places } = table.columns;
    for (const row of table.rows()) {
      if (kinds[row] !== kind || (place !== undefined && places[row] !== place) || stays(row)) continue;
      this.drop(row);
    }
  }

  /** The Application a row belongs to: by its own mark, or by that of what owns it. */
  instanceAbove(row: number): string {
    const { columns, instances } = this.table;
    let at = row;
    for (let step = 0; at !== none && step < longestChain; step++) {
      const id = columns.instance[at] ?? 0;
      if (id !== 0) return instances.text(id);
      at = columns.owner[at] ?? none;
    }
    return '';
  }

  /** A managed object; `whole` is false where only its metadata is kept. */
  body(row: number): { readonly object: KubeObject; readonly whole: boolean } | undefined {
    const { columns, bodies } = this.table;
    const object = bodies.get(row, columns.kind[row] ?? 0);
    return object === undefined ? undefined : { object, whole: ((columns.flags[row] ?? 0) & partial) === 0 };
  }

  /** A uid is never given twice. */
  #bury(uid: string): void {
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
    const next = project(object, this.#options.projector, lean);
    const changed =
      isNew ||
      columns.health[row] !== next.health ||
      columns.hash[row * 2] !== next.hash[0] ||
      columns.hash[row * 2 + 1] !== next.hash[1];
    const before = isNew ? '' : this.instanceAbove(row);
    columns.version[row] = next.version;
    columns.created[row] = next.created;
    columns.health[row] = next.health;
    columns.hash.set(next.hash, row * 2);
    table.mark(row, next.instance);
    const moved = table.own(row, next.owner);
    this.#keepBody(row, object, next.instance !== '', whole);
    const now = this.instanceAbove(row);
    if (!changed && !moved && before === now) return;
    for (const instance of new Set([before, now])) this.#touch(instance, writer);
  }

  #keepBody(row: number, object: KubeObject, managed: boolean, whole: boolean): void {
    const { columns, bodies } = this.table;
    if (!managed) {
      bodies.delete(row);
      columns.flags[row] = 0;
      return;
    }
    columns.flags[row] = whole && !isSecret(object) ? 0 : partial;
    bodies.set(row, columns.kind[row] ?? 0, bodyOf(object));
  }

  #touchAbove(row: number, writer: string): void {
    this.#touch(this.instanceAbove(row), writer);
  }

  #touch(instance: string, writer: string): void {
    if (instance !== '' && instance !== writer) this.#options.touched(instance);
  }
}
