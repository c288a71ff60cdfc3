/**
 * The floor of decoding: splits a list at its brackets and parses item by item, and nothing else. No checks, no limits,
 * no rests; whatever stands around the items is not looked at.
 */
export class SplitAndParse {
  #rest: Buffer = Buffer.alloc(0);
  #at = 0;
  #depth = 0;
  #text = false;
  #start = -1;
  count = 0;

  push(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = this.#at;
    for (; at < bytes.length; at++) {
      const byte = bytes[at];
      if (this.#text) {
        if (byte === 0x5c) at++;
        else if (byte === 0x22) this.#text = false;
      } else if (byte === 0x22) this.#text = true;
      else if (byte === 0x7b || byte === 0x5b) {
        if (++this.#depth === 3 && byte === 0x7b) this.#start = at;
      } else if ((byte === 0x7d || byte === 0x5d) && --this.#depth === 2 && this.#start >= 0) {
        JSON.parse(bytes.toString('utf8', this.#start, at + 1));
        this.count++;
        this.#start = -1;
      }
    }
    const keep = this.#start >= 0 ? this.#start : bytes.length;
    this.#rest = bytes.subarray(keep);
    this.#at = at - keep;
    if (this.#start >= 0) this.#start = 0;
  }
}
