import { ArgosyError } from '../../core/errors/index.ts';
import { isObject, type JsonObject } from '../../core/json/index.ts';
import { GrowingBuffer } from './growing-buffer.ts';
import { BracketScan, endOfString } from './scan.ts';

/** What one list may ask of us. */
export interface ListLimits {
  /** Of one item, in bytes. */
  readonly maxItem: number;
  /** Of everything around the items. */
  readonly maxShell: number;
  readonly maxDepth: number;
}

/** An API server itself stores ten thousand levels: one item of many must not make the list unreadable. */
export const defaultListLimits: ListLimits = { maxItem: 8 * 1024 * 1024, maxShell: 1024 * 1024, maxDepth: 20_000 };

type Mode = 'shell' | 'first-item' | 'item' | 'after-item' | 'next-item' | 'done';

/** The bytes of one item, valid only during the call, and how deep it is nested. */
export type OnItemBytes = (bytes: Buffer, start: number, end: number, levels: number) => void;

/**
 * Splits the bytes of a Kubernetes list into those of its items, without parsing the whole; what surrounds the items
 * (the shell) is kept and parsed at the end. A list that is cut off anywhere is an error, never a shorter list.
 */
export class ListSplitter {
  readonly #subject: string;
  readonly #limits: ListLimits;
  readonly #onItem: OnItemBytes;
  readonly #buffer: GrowingBuffer;
  readonly #scan = new BracketScan();
  #mode: Mode = 'shell';
  #shell = '';
  #shellDepth = 0;
  #seenItems = false;
  #lastString = '';
  #key = '';
  /** Where the item under way begins. */
  #start = 0;

  constructor(subject: string, onItem: OnItemBytes, limits: ListLimits = defaultListLimits) {
    this.#subject = subject;
    this.#limits = limits;
    this.#onItem = onItem;
    this.#buffer = new GrowingBuffer(limits.maxItem + limits.maxShell);
  }

  push(chunk: Buffer): void {
    this.#buffer.append(chunk, () => this.#wrong(`one item is larger than ${this.#limits.maxItem} bytes`));
    const { bytes, length } = this.#buffer;
    let at = this.#buffer.resumeAt;
    while (at < length) {
      const next = this.#mode === 'item' ? this.#inItem(bytes, at, length) : this.#outside(bytes, at, length);
      if (next < 0) break;
      at = next;
      this.#buffer.resumeAt = at;
    }
    const keepFrom = this.#mode === 'item' ? this.#start : this.#buffer.resumeAt;
    this.#start -= this.#buffer.dropBefore(keepFrom);
  }

  /** The shell as JSON; throws unless the list came to its end. */
  end(): JsonObject {
    if (this.#mode !== 'done') throw this.#wrong('the list breaks off before its end');
    try {
      const shell: unknown = JSON.parse(this.#shell);
      if (isObject(shell)) return shell;
    } catch {
      // Said below.
    }
    throw this.#wrong('what surrounds the items is no JSON');
  }

  #inItem(bytes: Buffer, at: number, length: number): number {
    const end = this.#scan.run(bytes, at, length, 0);
    if (this.#scan.deepest > this.#limits.maxDepth)
      throw this.#wrong(`an item is nested deeper than ${this.#limits.maxDepth}`);
    if ((end < 0 ? length : end) - this.#start > this.#limits.maxItem)
      throw this.#wrong(`one item is larger than ${this.#limits.maxItem} bytes`);
    if (end < 0) {
      this.#buffer.resumeAt = this.#scan.resumeAt;
      return -1;
    }
    this.#mode = 'after-item';
    this.#onItem(bytes, this.#start, end, this.#scan.deepest);
    return end;
  }

  #outside(bytes: Buffer, at: number, length: number): number {
    const byte = bytes[at] ?? 0;
    if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) return at + 1;
    switch (this.#mode) {
      case 'first-item':
      case 'next-item':
        if (byte === 0x7b) return this.#beginItem(at);
        if (byte === 0x5d && this.#mode === 'first-item') return this.#endItems(at);
        throw this.#wrong('an item of the list is no object');
      case 'after-item':
        if (byte === 0x2c) this.#mode = 'next-item';
        else if (byte === 0x5d) return this.#endItems(at);
        else throw this.#wrong('the items of the list are not separated by commas');
        return at + 1;
      case 'done':
        throw this.#wrong('something follows the end of the list');
      default:
        return this.#inShell(bytes, at, length);
    }
  }

  #beginItem(at: number): number {
    this.#mode = 'item';
    this.#start = at;
    this.#scan.reset();
    return at;
  }

  #endItems(at: number): number {
    this.#mode = 'shell';
    this.#shellDepth--;
    this.#keep(']');
    return at + 1;
  }

  /** One token of what surrounds the items. */
  #inShell(bytes: Buffer, at: number, length: number): number {
    const byte = bytes[at] ?? 0;
    if (byte === 0x22) return this.#shellString(bytes, at, length);
    this.#keep(String.fromCharCode(byte));
    if (byte === 0x3a && this.#shellDepth === 1) this.#key = this.#lastString;
    else if (byte === 0x7b || byte === 0x5b) this.#openInShell(byte);
    else if (byte === 0x7d || byte === 0x5d) {
      if (--this.#shellDepth === 0) this.#mode = 'done';
    } else if (this.#shellDepth === 0) throw this.#wrong('the answer is no JSON object');
    return at + 1;
  }

  #openInShell(byte: number): void {
    if (this.#shellDepth === 0 && byte !== 0x7b) throw this.#wrong('the answer is no JSON object');
    if (++this.#shellDepth > this.#limits.maxDepth) throw this.#wrong('the list is nested too deeply');
    if (this.#shellDepth !== 2 || byte !== 0x5b || this.#key !== 'items') return;
    if (this.#seenItems) throw this.#wrong('the list has items twice');
    this.#seenItems = true;
    this.#mode = 'first-item';
  }

  #shellString(bytes: Buffer, at: number, length: number): number {
    if (this.#shellDepth === 0) throw this.#wrong('the answer is no JSON object');
    const after = endOfString(bytes, at + 1, length);
    if (after < 0) {
      if (length - at > this.#limits.maxShell) throw this.#wrong('what surrounds the items is too large');
      return -1;
    }
    const text = bytes.toString('utf8', at, after);
    this.#lastString = text.slice(1, -1);
    this.#keep(text);
    return after;
  }

  #keep(text: string): void {
    this.#shell += text;
    if (this.#shell.length > this.#limits.maxShell) throw this.#wrong('what surrounds the items is too large');
  }

  #wrong(what: string): ArgosyError {
    return new ArgosyError('kube-malformed', `${this.#subject}: ${what}`, { subject: this.#subject });
  }
}
