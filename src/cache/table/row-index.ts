/**
 * A hash table of row numbers: four bytes a slot, open addressing, no tombstones. What a row's key is, and when two are
 * equal, is the owner's business.
 */
export class RowIndex {
  readonly #hashOf: (row: number) => number;
  /** Row + 1; 0 is an empty slot. */
  #slots = new Int32Array(64);
  #size = 0;

  constructor(hashOf: (row: number) => number) {
    this.#hashOf = hashOf;
  }

  /** The row with this hash that `same` accepts; -1 where there is none. */
  find(hash: number, same: (row: number) => boolean): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let at = spread(hash) & mask; ; at = (at + 1) & mask) {
      const row = (slots[at] ?? 0) - 1;
      if (row < 0) return -1;
      if (same(row)) return row;
    }
  }

  add(row: number): void {
    if ((this.#size + 1) * 5 > this.#slots.length * 4) this.#resize(this.#slots.length * 2);
    this.#put(row);
    this.#size++;
  }

  delete(row: number): void {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let hole = spread(this.#hashOf(row)) & mask;
    while (slots[hole] !== row + 1) {
      if (slots[hole] === 0) return;
      hole = (hole + 1) & mask;
    }
    // Whoever stands further on only because the hole was taken moves up, so that searches may stop at empty slots.
    for (let at = (hole + 1) & mask; slots[at] !== 0; at = (at + 1) & mask) {
      const moved = slots[at] ?? 0;
      const home = spread(this.#hashOf(moved - 1)) & mask;
      if (((at - home) & mask) < ((at - hole) & mask)) continue;
      slots[hole] = moved;
      hole = at;
    }
    slots[hole] = 0;
    this.#size--;
    if (slots.length > 64 && this.#size * 5 < slots.length) this.#resize(slots.length / 2);
  }

  get bytes(): number {
    return this.#slots.byteLength;
  }

  #put(row: number): void {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let at = spread(this.#hashOf(row)) & mask;
    while (slots[at] !== 0) at = (at + 1) & mask;
    slots[at] = row + 1;
  }

  #resize(length: number): void {
    const old = this.#slots;
    this.#slots = new Int32Array(length);
    for (const slot of old) if (slot !== 0) this.#put(slot - 1);
  }
}

/** Similar hashes must not stand side by side. */
function spread(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
