/** Texts that many rows share, kept once and counted: a number stands for each, and goes when nobody holds it any more. */
export class Interner {
  readonly #ids = new Map<string, number>();
  readonly #texts: (string | undefined)[] = [''];
  readonly #held: number[] = [0];
  readonly #free: number[] = [];
  #length = 0;

  /** The number of a text, with one more holder. The empty text is always 0. */
  hold(text: string): number {
    if (text === '') return 0;
    const known = this.#ids.get(text);
    if (known !== undefined) {
      this.#held[known] = (this.#held[known] ?? 0) + 1;
      return known;
    }
    const id = this.#free.pop() ?? this.#texts.length;
    this.#ids.set(text, id);
    this.#texts[id] = text;
    this.#held[id] = 1;
    this.#length += text.length;
    return id;
  }

  /** Gives up one hold. */
  release(id: number): void {
    if (id === 0) return;
    const left = (this.#held[id] ?? 1) - 1;
    this.#held[id] = left;
    if (left > 0) return;
    this.#length -= this.#texts[id]?.length ?? 0;
    this.#ids.delete(this.#texts[id] ?? '');
    this.#texts[id] = undefined;
    this.#free.push(id);
  }

  /** The number of a text that somebody holds; -1 where nobody does. */
  find(text: string): number {
    return text === '' ? 0 : (this.#ids.get(text) ?? -1);
  }

  text(id: number): string {
    return this.#texts[id] ?? '';
  }

  get size(): number {
    return this.#ids.size;
  }

  /** About what the texts take. */
  get bytes(): number {
    return this.#length + this.#ids.size * 80;
  }
}
