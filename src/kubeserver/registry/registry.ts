import { builtins } from './builtins.ts';
import type { Served } from './served.ts';

/** Every kind the server serves right now: built-in ones from the table, custom ones as their CRDs come and go. */
export class Registry {
  readonly #builtin = builtins();
  readonly #custom = new Map<string, readonly Served[]>();
  #byPath = new Map<string, Served>();
  #byKind = new Map<string, Served>();
  #all: readonly Served[] = [];
  /** Grows with every change; what is derived from the registry is cached under it. */
  generation = 0;

  constructor() {
    this.#rebuild();
  }

  find(group: string, version: string, plural: string): Served | undefined {
    return this.#byPath.get(`${group}/${version}/${plural}`);
  }

  /** The preferred version of a kind. */
  byKind(group: string, kind: string): Served | undefined {
    return this.#byKind.get(`${group}/${kind}`);
  }

  all(): readonly Served[] {
    return this.#all;
  }

  hasGroupVersion(group: string, version: string): boolean {
    return this.#all.some(({ info }) => info.group === group && info.version === version);
  }

  /** Serves the versions of a CRD from now on, instead of what it said before. */
  setCustom(definition: string, versions: readonly Served[]): void {
    this.#custom.set(definition, versions);
    this.#rebuild();
  }

  removeCustom(definition: string): void {
    if (this.#custom.delete(definition)) this.#rebuild();
  }

  #rebuild(): void {
    this.generation++;
    this.#all = [...this.#builtin, ...[...this.#custom.values()].flat()];
    this.#byPath = new Map();
    this.#byKind = new Map();
    for (const served of this.#all) {
      const { group, version, plural, kind } = served.info;
      this.#byPath.set(`${group}/${version}/${plural}`, served);
      const kindKey = `${group}/${kind}`;
      if (!this.#byKind.has(kindKey)) this.#byKind.set(kindKey, served);
    }
  }
}
