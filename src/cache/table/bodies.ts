import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { KubeObject } from '../../core/objects/index.ts';

/** The window: small, since setting up a large one costs more than compressing most objects. */
const windowBits = 13;
const longestDictionary = 2 ** windowBits;
/** More than this no object of a cluster is: a larger one is a bug, not a body. */
const largest = 16 * 1024 * 1024;

/** Managed objects as compressed bytes; the first of a kind is the dictionary of the others, which are mostly like it. */
export class Bodies {
  readonly #bodies = new Map<number, Uint8Array>();
  readonly #dictionaries = new Map<number, Buffer>();
  #bytes = 0;

  set(row: number, kind: number, object: KubeObject): void {
    const text = Buffer.from(JSON.stringify(object));
    let dictionary = this.#dictionaries.get(kind);
    if (dictionary === undefined) {
      dictionary = Buffer.from(text.subarray(0, longestDictionary));
      this.#dictionaries.set(kind, dictionary);
    }
    const packed = deflateRawSync(text, { dictionary, level: 6, memLevel: 3, windowBits });
    this.delete(row);
    // An exact copy: the result of zlib is a slice of a far larger chunk.
    const body = Uint8Array.from(packed);
    this.#bodies.set(row, body);
    this.#bytes += body.byteLength;
  }

  get(row: number, kind: number): KubeObject | undefined {
    const body = this.#bodies.get(row);
    const dictionary = this.#dictionaries.get(kind);
    if (body === undefined || dictionary === undefined) return undefined;
    const text = inflateRawSync(body, { dictionary, maxOutputLength: largest }).toString('utf8');
    return JSON.parse(text) as KubeObject; // only objects are put in
  }

  delete(row: number): void {
    const body = this.#bodies.get(row);
    if (body === undefined) return;
    this.#bodies.delete(row);
    this.#bytes -= body.byteLength;
  }

  get count(): number {
    return this.#bodies.size;
  }

  get bytes(): number {
    let all = this.#bytes;
    for (const dictionary of this.#dictionaries.values()) all += dictionary.byteLength;
    return all;
  }
}
