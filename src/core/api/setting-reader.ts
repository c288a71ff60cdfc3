import type { Json } from '../json/index.ts';
import { commaList } from './cluster.ts';
import { type Decode, Notes } from './decode.ts';
import { parseDuration } from './duration.ts';
import type { Problem } from './parsed.ts';
import { parseYaml } from './yaml.ts';

/**
 * Reads the keys of a ConfigMap. A key that cannot be read keeps the last good value, or the default where there was
 * none, and leaves a problem under its own name.
 */
export class SettingReader {
  readonly problems: Problem[] = [];
  readonly #data: ReadonlyMap<string, string>;

  constructor(data: ReadonlyMap<string, string>) {
    this.#data = data;
  }

  entries(): Iterable<[string, string]> {
    return this.#data;
  }

  /** The text of a key, empty where it is absent. */
  text(key: string, absent = ''): string {
    return this.#data.get(key) ?? absent;
  }

  /** `true` only by the exact word, as Argo CD reads most switches. */
  isTrue(key: string): boolean {
    return this.#data.get(key) === 'true';
  }

  /** `false` only by the exact word. */
  isNotFalse(key: string): boolean {
    return this.#data.get(key) !== 'false';
  }

  commaList(key: string): readonly string[] {
    return commaList(this.text(key));
  }

  /** One of a few words; an empty text is absent. */
  word<T extends string>(key: string, words: readonly T[], fallback: Fallback<T>): T {
    const written = this.text(key);
    if (written === '') return fallback.absent;
    const found = words.find((word) => word === written);
    if (found !== undefined) return found;
    return this.#keep(key, `invalid value for ${key}: ${printable(written)}`, fallback);
  }

  /** A Go duration in milliseconds. */
  duration(key: string, fallback: Fallback<number>): number {
    return this.#read(key, parseDuration, 'must be a duration such as 30s or 5m', fallback);
  }

  /** A whole number that is not negative. */
  count(key: string, fallback: Fallback<number>): number {
    const read = (written: string): number | undefined => (/^\d{1,9}$/.test(written) ? Number(written) : undefined);
    return this.#read(key, read, 'must be a whole number', fallback);
  }

  /** A value written as YAML. */
  yaml<T>(key: string, decode: Decode<T>, fallback: Fallback<T>): T {
    const written = this.text(key);
    const json = parseYaml(written);
    if (json === null) return fallback.absent;
    if (json === undefined) return this.#keep(key, 'is not valid YAML', fallback);
    const read = this.decode(key, json, decode);
    return read ?? fallback.last ?? fallback.absent;
  }

  /** Decodes a whole value; any problem inside refuses it and is noted under the key. */
  decode<T>(key: string, json: Json, decode: Decode<T>): T | undefined {
    const notes = new Notes();
    const value = decode(json, key, notes);
    this.problems.push(...notes.problems);
    return notes.problems.length > 0 ? undefined : value;
  }

  #read<T>(key: string, read: (written: string) => T | undefined, wanted: string, fallback: Fallback<T>): T {
    const written = this.text(key).trim();
    if (written === '') return fallback.absent;
    return read(written) ?? this.#keep(key, wanted, fallback);
  }

  #keep<T>(key: string, message: string, fallback: Fallback<T>): T {
    this.problems.push({ path: key, message });
    return fallback.last ?? fallback.absent;
  }
}

/** What a key means when it is absent, and what it last was when it cannot be read. */
export interface Fallback<T> {
  readonly absent: T;
  readonly last?: T | undefined;
}

/** Control characters would let a value write into terminals and logs. */
function printable(text: string): string {
  return text.slice(0, 100).replaceAll(/\p{C}/gu, '?');
}
