import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { KubeObject } from '../../core/objects/index.ts';
import { Arena } from './arena.ts';

/** The window: small, since setting up a large one costs more than compressing most objects. */
const windowBits = 13;
const longestDictionary = 2 ** windowBits;
/** More than this no object of a cluster is: a larger one is a bug, not a body. */
const largest = 16 * 1024 * 1024;
/** So many characters may wait to be packed; who brings more packs the oldest at once. */
const mostWaiting = 16 * 1024 * 1024;

interface Waiting {
  readonly kind: number;
  readonly text: string;
}

/**
 * Managed objects as compressed bytes; the first of a kind is the dictionary of the others, which are mostly like it. A
 * new body waits as text until somebody has time to pack it: packing costs more than all the rest of taking it in.
 */
export class Bodies {
  readonly #packed = new Arena();
  /** Oldest first. */
  readonly #waiting = new Map<number, Waiting>();
  readonly #dictionaries = new Map<number, Buffer>();
  #waitingLength = 0;
  /** Called when a body waits to be packed. */
  onWaiting: () => void = () => undefined;

  set(row: number, kind: number, object: KubeObject): void {
    this.delete(row);
    const text = JSON.stringify(object);
    this.#waiting.set(row, { kind, text });
    this.#waitingLength += text.length;
    while (this.#waitingLength > mostWaiting) this.packSome(1);
    this.onWaiting();
  }

  get(row: number, kind: number): KubeObject | undefined {
    const text = this.#waiting.get(row)?.text ?? this.#unpack(row, kind);
    return text === undefined ? undefined : (JSON.parse(text) as KubeObject); // only objects are put in
  }

  has(row: number): boolean {
    return this.#waiting.has(row) || this.#packed.has(row);
  }

  delete(row: number): void {
    this.#waitingLength -= this.#waiting.get(row)?.text.length ?? 0;
    this.#waiting.delete(row);
    this.#packed.delete(row);
  }

  /** Packs the bodies that wait longest, at least one, until so many characters are done. */
  packSome(characters: number): void {
    let done = 0;
    for (const [row, { kind, text }] of this.#waiting) {
      this.delete(row);
      this.#pack(row, kind, text);
      done += text.length;
      if (done >= characters) return;
    }
  }

  /** How many bodies wait to be packed. */
  get waiting(): number {
    return this.#waiting.size;
  }

  get count(): number {
    return this.#packed.count + this.#waiting.size;
  }

  get bytes(): number {
    let all = this.#packed.bytes + this.#waitingLength;
    for (const dictionary of this.#dictionaries.values()) all += dictionary.byteLength;
    return all;
  }

  #pack(row: number, kind: number, text: string): void {
    const bytes = Buffer.from(text);
    let dictionary = this.#dictionaries.get(kind);
    if (dictionary === undefined) {
      dictionary = Buffer.from(bytes.subarray(0, longestDictionary));
      this.#dictionaries.set(kind, dictionary);
    }
    // Copied: the result of zlib is a slice of a far larger chunk.
    this.#packed.put(row, deflateRawSync(bytes, { dictionary, level: 6, memLevel: 3, windowBits }));
  }

  #unpack(row: number, kind: number): string | undefined {
    const body = this.#packed.get(row);
    const dictionary = this.#dictionaries.get(kind);
    if (body === undefined || dictionary === undefined) return undefined;
    return inflateRawSync(body, { dictionary, maxOutputLength: largest }).toString('utf8');
  }
}
