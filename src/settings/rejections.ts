import type { ObjectReference, SettingsReport } from './report.ts';

/** A refused Secret and the sentence about it. */
export interface Rejection {
  readonly about: ObjectReference;
  readonly reason: string;
}

/** Namespaces that are told something at once; one that is slow to tell holds up no other. */
const atOnce = 64;

/**
 * Tells each refusal once, namespaces in turn and one of each at a time: a tenant with ten thousand bad Secrets waits for
 * itself, not the others for him.
 */
export class Rejections {
  readonly #report: SettingsReport;
  /** By namespace, by name of the Secret: what was last said about it. */
  readonly #told = new Map<string, Map<string, { readonly uid: string; readonly reason: string }>>();
  readonly #waiting = new Map<string, Map<string, Rejection>>();
  /** One copy of each sentence, however many Secrets share it. */
  readonly #sentences = new Map<string, string>();
  readonly #working = new Map<string, Promise<void>>();
  #stopped = false;

  constructor(report: SettingsReport) {
    this.#report = report;
  }

  /** All refusals there are; those not told before are queued, those that are gone are forgotten. */
  update(rejections: Iterable<Rejection>): void {
    const now = new Map<string, Map<string, Rejection>>();
    for (const each of rejections) inner(now, each.about.namespace).set(each.about.name, each);
    for (const namespace of new Set([...this.#told.keys(), ...this.#waiting.keys(), ...now.keys()])) {
      this.#updateNamespace(namespace, now.get(namespace) ?? new Map());
    }
    if (now.size === 0) this.#sentences.clear();
    this.#begin();
  }

  #updateNamespace(namespace: string, now: ReadonlyMap<string, Rejection>): void {
    const told = inner(this.#told, namespace);
    const waiting = inner(this.#waiting, namespace);
    const before = told.size;
    for (const name of told.keys()) if (!now.has(name)) told.delete(name);
    for (const name of waiting.keys()) if (!now.has(name)) waiting.delete(name);
    for (const [name, each] of now) {
      const last = told.get(name);
      if (last?.uid === each.about.uid && last.reason === each.reason) continue;
      const reason = this.#sentence(each.reason);
      told.set(name, { uid: each.about.uid, reason });
      waiting.set(name, { about: each.about, reason });
    }
    if (told.size !== before) this.#report.counted(namespace, told.size);
    if (told.size === 0) this.#told.delete(namespace);
    if (waiting.size === 0) this.#waiting.delete(namespace);
  }

  #sentence(reason: string): string {
    const known = this.#sentences.get(reason);
    if (known !== undefined) return known;
    this.#sentences.set(reason, reason);
    return reason;
  }

  #begin(): void {
    while (this.#working.size < atOnce && !this.#stopped) {
      const next = this.#take();
      if (next === undefined) return;
      const { namespace } = next.about;
      const done = this.#tell(next).finally(() => {
        this.#working.delete(namespace);
        this.#begin();
      });
      this.#working.set(namespace, done);
    }
  }

  /** The next one of the namespace that waited longest for a turn, of those that wait for nothing. */
  #take(): Rejection | undefined {
    for (const [namespace, waiting] of this.#waiting) {
      if (this.#working.has(namespace)) continue;
      this.#waiting.delete(namespace);
      const [next] = waiting;
      if (next === undefined) continue;
      waiting.delete(next[0]);
      if (waiting.size > 0) this.#waiting.set(namespace, waiting);
      return next[1];
    }
    return undefined;
  }

  async #tell({ about, reason }: Rejection): Promise<void> {
    await Promise.resolve(); // whoever updates goes on first
    await this.#report.rejected(about, reason);
  }

  /** Ends when everything queued so far was told. */
  async settled(): Promise<void> {
    while (this.#working.size > 0) await Promise.all(this.#working.values());
  }

  stop(): void {
    this.#stopped = true;
  }
}

function inner<T>(map: Map<string, Map<string, T>>, key: string): Map<string, T> {
  const found = map.get(key) ?? new Map<string, T>();
  map.set(key, found);
  return found;
}
