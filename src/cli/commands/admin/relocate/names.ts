/** The longest name of an object. */
const maxLength = 253;

/** Gives objects of tenants' namespaces names that are unique in one namespace, the same ones in every run. */
export class Names {
  readonly #taken: Set<string>;

  constructor(taken: Iterable<string>) {
    this.#taken = new Set(taken);
  }

  /** `<namespace>-<name>`; with a mark made of both where that is taken or too long. */
  give(namespace: string, name: string): string {
    const plain = `${namespace}-${name}`;
    let given = plain;
    // `a-b`/`c` and `a`/`b-c` would be one: the mark tells them apart, and depends on nothing else.
    for (let round = 0; this.#taken.has(given) || given.length > maxLength; round++) {
      const mark = fingerprint(`${namespace}/${name}${round === 0 ? '' : round}`);
      given = `${plain.slice(0, maxLength - mark.length - 1).replace(/[^a-z0-9]+$/, '')}-${mark}`;
    }
    this.#taken.add(given);
    return given;
  }
}

/** FNV-1a, eight hexadecimal digits. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, '0');
}
