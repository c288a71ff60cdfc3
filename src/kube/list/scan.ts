/** Where a walk over JSON bytes stands: it may stop at any byte and go on when more have come. */
export interface ScanState {
  /** Open brackets. */
  depth: number;
  inString: boolean;
}

const quote = 0x22;
const backslash = 0x5c;
const nativeSearchFrom = 48;

/**
 * Walks until the bracket depth falls to `until`, and answers the position after that bracket; -1 if the bytes end first.
 * Then `state` and `resumeAt` say where to go on. Brackets are only counted: JSON.parse tells a wrong pair.
 */
export class BracketScan {
  readonly state: ScanState = { depth: 0, inString: false };
  /** Where to go on when more bytes have come. */
  resumeAt = 0;
  /** The deepest nesting seen since the last reset. */
  deepest = 0;

  reset(): void {
    this.state.depth = 0;
    this.state.inString = false;
    this.deepest = 0;
  }

  run(bytes: Buffer, from: number, end: number, until: number): number {
    let at = from;
    let { depth } = this.state;
    let deepest = this.deepest;
    if (this.state.inString) {
      at = endOfString(bytes, at, end);
      if (at < 0) return this.#stop(-at - 1, depth, true, deepest);
    }
    while (at < end) {
      const byte = bytes[at++];
      if (byte === quote) {
        at = endOfString(bytes, at, end);
        if (at < 0) return this.#stop(-at - 1, depth, true, deepest);
      } else if (byte === 0x7b || byte === 0x5b) {
        if (++depth > deepest) deepest = depth;
      } else if ((byte === 0x7d || byte === 0x5d) && --depth === until) {
        this.#stop(at, depth, false, deepest);
        return at;
      }
    }
    return this.#stop(at, depth, false, deepest);
  }

  #stop(at: number, depth: number, inString: boolean, deepest: number): -1 {
    this.resumeAt = at;
    this.state.depth = depth;
    this.state.inString = inString;
    this.deepest = deepest;
    return -1;
  }
}

/**
 * The position after the closing quote of the string whose inside begins at `from`.
 * If the bytes end first: `-1 - p`, where p is the place to go on (before a backslash whose pair has not come yet).
 */
export function endOfString(bytes: Buffer, from: number, end: number): number {
  let at = from;
  for (;;) {
    const near = Math.min(end, at + nativeSearchFrom);
    while (at < near) {
      const byte = bytes[at];
      if (byte === quote) return at + 1;
      if (byte === backslash) {
        if (at + 1 >= end) return -1 - at;
        at += 2;
      } else at++;
    }
    if (at >= end) return -1 - at;
    // A long string: the native search for the closing quote is far quicker.
    const close = bytes.indexOf(quote, at);
    if (close < 0 || close >= end) return -1 - (escapesNext(bytes, at, end) ? end - 1 : end);
    if (!escapesNext(bytes, at, close)) return close + 1;
    at = close + 1;
  }
}

/** Whether the backslashes that end at `at` (no further back than `from`) escape the byte there. */
function escapesNext(bytes: Buffer, from: number, at: number): boolean {
  let first = at;
  while (first > from && bytes[first - 1] === backslash) first--;
  return (at - first) % 2 === 1;
}
