const encoder = new TextEncoder();
const decoder = new TextDecoder();
const longest = 1024;

/** Names as bytes, one behind the other. Whoever holds an offset and a length can have the text back. */
export class Names {
  #bytes = new Uint8Array(4096);
  #used = 0;
  /** Bytes of names that were let go. */
  wasted = 0;
  /** The name that was last looked for, as bytes. */
  readonly #sought = new Uint8Array(longest);
  #soughtLength = 0;

  /** Makes a name the one that `hashSought`, `isSought` and `keepSought` speak of. */
  seek(name: string): void {
    const { read, written } = encoder.encodeInto(name, this.#sought);
    // Kubernetes names end at 253; one that does not fit is told apart by its end and length at least.
    if (read < name.length)
      encoder.encodeInto(`${name.length}:${name.slice(-64)}`, this.#sought.subarray(longest - 96));
    this.#soughtLength = read < name.length ? longest : written;
  }

  get soughtLength(): number {
    return this.#soughtLength;
  }

  hashSought(seed: number): number {
    return hash(this.#sought, 0, this.#soughtLength, seed);
  }

  isSought(offset: number, length: number): boolean {
    if (length !== this.#soughtLength) return false;
    for (let i = 0; i < length; i++) if (this.#bytes[offset + i] !== this.#sought[i]) return false;
    return true;
  }

  /** Appends the sought name and answers its offset. */
  keepSought(): number {
    const length = this.#soughtLength;
    if (this.#used + length > this.#bytes.length) {
      const larger = new Uint8Array(this.#used + length + (this.#used >>> 3) + 4096);
      larger.set(this.#bytes.subarray(0, this.#used));
      this.#bytes = larger;
    }
    const offset = this.#used;
    // A view for each name would cost more than the few bytes it has.
    for (let i = 0; i < length; i++) this.#bytes[offset + i] = this.#sought[i] ?? 0;
    this.#used += length;
    return offset;
  }

  hashAt(offset: number, length: number, seed: number): number {
    return hash(this.#bytes, offset, length, seed);
  }

  text(offset: number, length: number): string {
    return decoder.decode(this.#bytes.subarray(offset, offset + length));
  }

  /** Moves the names that are still held together; `each` calls back with every one of them and gets its new offset. */
  compact(each: (move: (offset: number, length: number) => number) => void): void {
    const old = this.#bytes;
    const next = new Uint8Array(this.#used - this.wasted + 4096);
    let used = 0;
    each((offset, length) => {
      next.set(old.subarray(offset, offset + length), used);
      used += length;
      return used - length;
    });
    this.#bytes = next;
    this.#used = used;
    this.wasted = 0;
  }

  get wasteful(): boolean {
    return this.wasted > 65_536 && this.wasted * 4 > this.#used;
  }

  get bytes(): number {
    return this.#bytes.byteLength;
  }
}

function hash(bytes: Uint8Array, offset: number, length: number, seed: number): number {
  let value = seed ^ 0x811c9dc5;
  for (let i = offset; i < offset + length; i++) {
    value = Math.imul(value ^ (bytes[i] ?? 0), 0x01000193);
    value ^= value >>> 13;
  }
  return value >>> 0;
}
