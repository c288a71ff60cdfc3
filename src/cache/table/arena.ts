const chunkBits = 20;
const chunkSize = 2 ** chunkBits;
/** Row and length stand before each piece, so that a chunk can be walked over. */
const header = 8;

interface Chunk {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  used: number;
  /** Bytes of pieces that still count. */
  live: number;
}

/**
 * Pieces of bytes, one for each row, side by side in large chunks: an array of its own costs each more than most pieces
 * hold. A chunk of which the most went gives its rest to another, so that holes do not stay.
 */
export class Arena {
  readonly #chunks: (Chunk | undefined)[] = [];
  readonly #freeNumbers: number[] = [];
  /** Number of the chunk, then the place in it, in one number. */
  readonly #places = new Map<number, number>();
  /** The chunk that takes what comes. */
  #filling = -1;
  #bytes = 0;

  put(row: number, piece: Uint8Array): void {
    this.delete(row);
    const size = header + piece.length;
    const before = this.#filling;
    const number = this.#chunkFor(size);
    const chunk = this.#chunks[number];
    if (chunk === undefined) throw new Error('a chunk was just made');
    chunk.view.setUint32(chunk.used, row);
    chunk.view.setUint32(chunk.used + 4, piece.length);
    chunk.bytes.set(piece, chunk.used + header);
    this.#places.set(row, number * chunkSize + chunk.used);
    chunk.used += size;
    chunk.live += size;
    // While a chunk was filled nobody looked at its holes.
    if (this.#filling !== before) this.#emptyIfHollow(before);
  }

  /** The piece of a row, valid until the next change. */
  get(row: number): Uint8Array | undefined {
    const place = this.#places.get(row);
    if (place === undefined) return undefined;
    const chunk = this.#chunks[Math.floor(place / chunkSize)];
    const at = place % chunkSize;
    return chunk?.bytes.subarray(at + header, at + header + chunk.view.getUint32(at + 4));
  }

  has(row: number): boolean {
    return this.#places.has(row);
  }

  delete(row: number): void {
    const place = this.#places.get(row);
    if (place === undefined) return;
    this.#places.delete(row);
    const number = Math.floor(place / chunkSize);
    const chunk = this.#chunks[number];
    if (chunk === undefined) return;
    chunk.live -= header + chunk.view.getUint32((place % chunkSize) + 4);
    if (number !== this.#filling) this.#emptyIfHollow(number);
  }

  get count(): number {
    return this.#places.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The number of a chunk with room; one that is larger than all gets a chunk of its own. */
  #chunkFor(size: number): number {
    if (size > chunkSize) return this.#add(size);
    const filling = this.#chunks[this.#filling];
    if (filling !== undefined && filling.used + size <= filling.bytes.length) return this.#filling;
    this.#filling = this.#next(size);
    return this.#filling;
  }

  /** Small at first, since most clusters hold little. */
  #next(size: number): number {
    const known = this.#bytes >>> 2;
    return this.#add(Math.min(chunkSize, Math.max(size, 4096, known)));
  }

  #add(size: number): number {
    const bytes = new Uint8Array(size);
    const number = this.#freeNumbers.pop() ?? this.#chunks.length;
    this.#chunks[number] = { bytes, view: new DataView(bytes.buffer), used: 0, live: 0 };
    this.#bytes += size;
    return number;
  }

  #emptyIfHollow(number: number): void {
    const chunk = this.#chunks[number];
    if (chunk !== undefined && chunk.live * 2 < chunk.bytes.length) this.#empty(number, chunk);
  }

  #empty(number: number, { bytes, view, used }: Chunk): void {
    this.#chunks[number] = undefined;
    for (let at = 0; at < used; ) {
      const [row, length] = [view.getUint32(at), view.getUint32(at + 4)];
      if (this.#places.get(row) === number * chunkSize + at) {
        this.#places.delete(row);
        this.put(row, bytes.subarray(at + header, at + header + length));
      }
      at += header + length;
    }
    // Only now: what was moved must not have gone to the same number.
    this.#freeNumbers.push(number);
    this.#bytes -= bytes.length;
  }
}
