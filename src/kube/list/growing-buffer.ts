const initialSize = 128 * 1024;
const keepSize = 1024 * 1024;

/** Bytes that come in chunks and leave from the front; always in one piece, so that one scan and one parse see them whole. */
export class GrowingBuffer {
  readonly #cap: number;
  bytes: Buffer = Buffer.allocUnsafeSlow(initialSize);
  length = 0;
  /** Where the reader goes on; the owner moves it. */
  resumeAt = 0;

  constructor(cap: number) {
    this.#cap = cap;
  }

  append(chunk: Buffer, tooLarge: () => Error): void {
    const needed = this.length + chunk.length;
    if (needed > this.bytes.length) {
      if (needed > this.#cap + chunk.length) throw tooLarge();
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.bytes.length * 2));
      this.bytes.copy(larger, 0, 0, this.length);
      this.bytes = larger;
    }
    chunk.copy(this.bytes, this.length);
    this.length = needed;
  }

  /** Forgets what stands before a position; answers by how much everything moved. */
  dropBefore(position: number): number {
    const rest = this.length - position;
    if (position === 0) return 0;
    if (rest === 0 && this.bytes.length > keepSize) this.bytes = Buffer.allocUnsafeSlow(initialSize);
    else if (rest > 0) this.bytes.copyWithin(0, position, this.length);
    this.length = rest;
    this.resumeAt -= position;
    return position;
  }
}
