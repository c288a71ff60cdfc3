import { type GroupKind, kindText } from '../../core/objects/index.ts';

/** Numbers that stand for kinds in the table. A kind keeps its number, also when it is not served for a while. */
export class Kinds {
  readonly #kinds: GroupKind[] = [{ group: '', kind: '' }];
  readonly #numbers = new Map<string, number>();

  /** The number of a kind; it gets one if it has none. */
  number({ group, kind }: GroupKind): number {
    const text = kindText({ group, kind });
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const number = this.#kinds.length;
    this.#kinds.push({ group, kind });
    this.#numbers.set(text, number);
    return number;
  }

  /** The number of a kind; 0 where it has none. */
  numberOf(kind: GroupKind): number {
    return this.#numbers.get(kindText(kind)) ?? 0;
  }

  kindOf(number: number): GroupKind {
    return this.#kinds[number] ?? { group: '', kind: '' };
  }
}
