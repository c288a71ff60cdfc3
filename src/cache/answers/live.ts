import { setImmediate as turn } from 'node:timers/promises';
import type { Live, LiveObject } from '../../core/diff/index.ts';
import { isArgosyError } from '../../core/errors/index.ts';
import {
  type GroupKind,
  type KubeObject,
  kindText,
  type ObjectKey,
  printApiVersion,
  printKey,
} from '../../core/objects/index.ts';
import type { Resource } from '../../kube/index.ts';
import type { Cell, CellState } from '../follow/cell.ts';
import type { Cells } from '../follow/cells.ts';
import type { Clock, Rhythm } from '../follow/rhythm.ts';
import type { Store } from '../store.ts';
import { none } from '../table/columns.ts';

/** Reads one object in the name of the Application; undefined where it is not there. Throws where that cannot be told. */
export type Fetch = (resource: Resource, key: ObjectKey) => Promise<KubeObject | undefined>;

export interface LiveParts {
  readonly store: Store;
  readonly cells: Cells;
  readonly clock: Clock;
  readonly rhythm: Rhythm;
}

export interface LiveQuestion {
  readonly instance: string;
  readonly targets: readonly ObjectKey[];
  readonly kinds: readonly GroupKind[];
}

const fetchesAtOnce = 8;
const stretchMs = 8;

/**
 * What a cluster holds of an Application. A kind that is not whole and fresh is unknown, and none of its objects are
 * shown. A kind the credential may not read is unknown as `<kind>:*`, for whoever would remove what is not asked for;
 * its targets are fetched one by one and stand for themselves.
 */
export async function gatherLive(parts: LiveParts, question: LiveQuestion, fetch: Fetch): Promise<Live> {
  const answer = new Answer(parts, question);
  await answer.settle();
  await answer.collect();
  answer.confirm();
  await answer.fetchMissing(fetch);
  return answer.live();
}

class Answer {
  readonly #parts: LiveParts;
  readonly #question: LiveQuestion;
  readonly #objects = new Map<string, LiveObject>();
  readonly #unknown = new Map<string, string>();
  /** Kinds of which nothing is shown. */
  readonly #hidden = new Set<string>();
  /** What was waited for, by kind. */
  readonly #settled = new Map<string, readonly Cell[]>();
  readonly #missing = new Map<string, ObjectKey>();

  constructor(parts: LiveParts, question: LiveQuestion) {
    this.#parts = parts;
    this.#question = question;
  }

  live(): Live {
    return { objects: this.#objects, unknown: this.#unknown };
  }

  /** Waits for kinds that are being read, reads those that are too old anew, and says which are not known. */
  async settle(): Promise<void> {
    const kinds = new Map<string, GroupKind>();
    for (const kind of [...this.#question.targets, ...this.#question.kinds]) kinds.set(kindText(kind), kind);
    for (const kind of this.#markedKinds()) kinds.set(kindText(kind), kind);
    const [broken] = [...this.#parts.cells.all()].flatMap(({ clusterError }) => clusterError ?? []);
    await Promise.all([...kinds].map(([text, kind]) => this.#settleKind(text, kind, broken)));
  }

  async #settleKind(text: string, kind: GroupKind, broken: string | undefined): Promise<void> {
    const { cells } = this.#parts;
    const reason = broken ?? cells.undiscovered(kind);
    if (reason !== undefined) {
      this.#hide(text, reason);
      for (const cell of cells.all()) if (cell.clusterError !== undefined) cell.tellLater(this.#question.instance);
      return;
    }
    const all = cells.of(kind);
    this.#settled.set(text, all);
    await Promise.all(all.map((cell) => this.#settleCell(text, cell)));
  }

  async #settleCell(text: string, cell: Cell): Promise<void> {
    const { clock, rhythm } = this.#parts;
    const deadline = clock.now() + rhythm.patienceMs;
    let state = cell.state();
    if (state.state === 'old') {
      await cell.refresh();
      state = cell.state();
    }
    while (state.state === 'reading' && clock.now() < deadline) {
      await within(cell.settled(), deadline - clock.now(), clock);
      state = cell.state();
    }
    this.#judge(text, cell, state);
  }

  #judge(text: string, cell: Cell, state: CellState): void {
    if (state.state === 'known' || state.state === 'old') return;
    cell.tellLater(this.#question.instance);
    if (state.state === 'dropped') this.#unknown.set(`${text}:*`, state.reason);
    else this.#hide(text, 'reason' in state ? state.reason : `${text} is still being read`);
  }

  /** Takes what is kept whole, and notes what must be fetched; others have their turn meanwhile. */
  async collect(): Promise<void> {
    const { store, cells } = this.#parts;
    const { instance, targets } = this.#question;
    const pause = paced();
    // What comes or goes while others have their turn is seen as it is when it is reached.
    for (const row of store.table.markedBy(instance)) {
      const key = this.#keyOf(row);
      if (this.#hidden.has(kindText(key))) continue;
      // Of what is only to be removed, the metadata says all that must be known.
      this.#take(key, row);
      if (pause.isDue()) await pause.take();
    }
    for (const key of targets) {
      if (this.#hidden.has(kindText(key)) || cells.resource(key) === undefined) continue;
      if (this.#needsFetch(key)) this.#missing.set(printKey(key), key);
      else this.#takeTarget(key);
      if (pause.isDue()) await pause.take();
    }
  }

  /**
   * Some kinds were known before others were, and may have been lost since: what was known of them is unknown again,
   * not absent.
   */
  confirm(): void {
    for (const [text, cells] of this.#settled) {
      if (this.#hidden.has(text)) continue;
      for (const cell of cells) this.#judge(text, cell, cell.state());
      if (!this.#hidden.has(text)) continue;
      for (const [name, { key }] of this.#objects) if (kindText(key) === text) this.#objects.delete(name);
      for (const [name, key] of this.#missing) if (kindText(key) === text) this.#missing.delete(name);
    }
  }

  /** A target may bear another Application's mark, or nobody's: it is there all the same. */
  #takeTarget(key: ObjectKey): void {
    const { store, cells } = this.#parts;
    const cell = cells.at(key, key.namespace);
    const row = cell === undefined ? none : store.table.find(cell.kind, key.namespace, key.name);
    if (row !== none && !this.#objects.has(printKey(key))) this.#take(key, row);
  }

  #take(key: ObjectKey, row: number): void {
    const object = this.#parts.store.body(row);
    if (object !== undefined) this.#objects.set(printKey(key), { key, object });
  }

  #needsFetch(key: ObjectKey): boolean {
    const { store, cells } = this.#parts;
    const cell = cells.at(key, key.namespace);
    if (cell === undefined || cell.state().state === 'dropped') return true;
    const row = store.table.find(cell.kind, key.namespace, key.name);
    return row !== none && !store.isWhole(row);
  }

  async fetchMissing(fetch: Fetch): Promise<void> {
    const keys = this.#missing.values();
    const worker = async (): Promise<void> => {
      for (const key of keys) await this.#fetchOne(key, fetch);
    };
    await Promise.all(Array.from({ length: fetchesAtOnce }, worker));
  }

  async #fetchOne(key: ObjectKey, fetch: Fetch): Promise<void> {
    const { store, cells } = this.#parts;
    const resource = cells.resource(key);
    if (resource === undefined) return;
    const text = printKey(key);
    this.#objects.delete(text);
    const before = cells.at(key, key.namespace);
    if (before?.state().state === 'dropped') before.lookAgain(this.#question.instance);
    try {
      const object = await fetch(resource, key);
      if (object === undefined) return;
      this.#objects.set(text, { key, object });
      const cell = cells.at(key, key.namespace);
      if (cell === undefined || cell.state().state !== 'known') return;
      const writer = this.#question.instance;
      store.take(object, { kind: cell.kind, epoch: cell.epoch, whole: true, lean: cell.lean, writer });
    } catch (error) {
      if (!isArgosyError(error)) throw error;
      const stub = error.code === 'kube-forbidden' ? this.#unmarked(resource, key) : undefined;
      if (stub === undefined) this.#unknown.set(text, error.message);
      else this.#objects.set(text, { key, object: stub });
    }
  }

  /**
   * An object that is surely there and bears nobody's mark: that alone tells it from what the Application wants, and
   * whoever may not read it still learns that it exists, as of a namespace that a sync need not create.
   */
  #unmarked(resource: Resource, key: ObjectKey): KubeObject | undefined {
    const { store, cells } = this.#parts;
    const cell = cells.at(key, key.namespace);
    if (cell?.state().state !== 'known') return undefined;
    const row = store.table.find(cell.kind, key.namespace, key.name);
    if (row === none || store.table.columns.instance[row] !== 0) return undefined;
    const place = key.namespace === '' ? {} : { namespace: key.namespace };
    return {
      apiVersion: printApiVersion(resource.group, resource.version),
      kind: resource.kind,
      metadata: {
        name: key.name,
        ...place,
        uid: store.table.uidOf(row),
        resourceVersion: String(store.table.columns.version[row] ?? ''),
      },
    };
  }

  #hide(text: string, reason: string): void {
    this.#hidden.add(text);
    this.#unknown.set(text, reason);
  }

  *#markedKinds(): Generator<GroupKind> {
    const { store } = this.#parts;
    for (const row of store.table.markedBy(this.#question.instance))
      yield store.kinds.kindOf(store.table.columns.kind[row] ?? 0);
  }

  #keyOf(row: number): ObjectKey {
    const { table, kinds } = this.#parts.store;
    return {
      ...kinds.kindOf(table.columns.kind[row] ?? 0),
      namespace: table.namespaceOf(row),
      name: table.nameOf(row),
    };
  }
}

/** Gives others a turn after some milliseconds of work. */
function paced(): { isDue(): boolean; take(): Promise<void> } {
  let began = performance.now();
  return {
    isDue: () => performance.now() - began >= stretchMs,
    take: async () => {
      await turn();
      began = performance.now();
    },
  };
}

async function within(promise: Promise<void>, ms: number, clock: Clock): Promise<void> {
  let cancel = (): void => undefined;
  const late = new Promise<void>((resolve) => {
    cancel = clock.after(ms, resolve);
  });
  await Promise.race([promise, late]);
  cancel();
}
