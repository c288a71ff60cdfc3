import type { ObjectReference, SettingsReport } from './report.ts';

/** A refused Secret and the sentence about it. */
export interface Rejection {
  readonly about: ObjectReference;
  readonly reason: string;
}

/**
 * Tells each refusal once, those of a namespace one after the other: a tenant with ten thousand bad Secrets waits for
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
    for (const namespace of this.#waiting.keys())
      if (!this.#working.has(namespace)) this.#working.set(namespace, this.#work(namespace));
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

  async #work(namespace: string): Promise<void> {
    await Promise.resolve(); // whoever updates goes on first
    for (;;) {
      const waiting = this.#waiting.get(namespace);
      const [next] = waiting ?? [];
      if (next === undefined || this.#stopped) break;
      waiting?.delete(next[0]);
      await this.#report.rejected(next[1].about, next[1].reason);
    }
    this.#waiting.delete(namespace);
    this.#working.delete(namespace);
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
