/** Which Applications ask for which project, as the watches last saw them. */
export class Members {
  readonly #projectOf = new Map<string, string>();
  readonly #keysOf = new Map<string, Set<string>>();
  readonly #onChange: (project: string) => void;

  /** `onChange` is told of every project that won or lost an Application. */
  constructor(onChange: (project: string) => void) {
    this.#onChange = onChange;
  }

  /** Notes the project of an Application; undefined for one that is gone or cannot be read. */
  set(key: string, project: string | undefined): void {
    const before = this.#projectOf.get(key);
    if (before === project) return;
    if (before !== undefined) this.#leave(key, before);
    if (project === undefined) this.#projectOf.delete(key);
    else this.#add(key, project);
    for (const each of [before, project]) if (each !== undefined) this.#onChange(each);
  }

  /** The project an Application asks for; undefined where it is not known. */
  projectOf(key: string): string | undefined {
    return this.#projectOf.get(key);
  }

  /** The Applications that ask for a project. */
  of(project: string): Iterable<string> {
    return this.#keysOf.get(project) ?? [];
  }

  /** Names of projects are tenants' to invent: what nobody asks for any more is not kept. */
  #leave(key: string, project: string): void {
    const keys = this.#keysOf.get(project);
    keys?.delete(key);
    if (keys?.size === 0) this.#keysOf.delete(project);
  }

  #add(key: string, project: string): void {
    this.#projectOf.set(key, project);
    const keys = this.#keysOf.get(project) ?? new Set<string>();
    this.#keysOf.set(project, keys.add(key));
  }
}
