/** Marks of the texts asked for last; a power of two, shared by all memories. */
const marks = new Int32Array(1 << 16);
const sampled = 16;
let owners = 0;
let turn = 0;

/** A number that keeps one memory's marks apart from another's. */
export function newOwner(): number {
  owners = (owners + 1) | 0;
  return Math.imul(owners, 0x9e3779b1);
}

/**
 * Tells whether a memory was asked for a text before, lately and probably. Keeping an answer costs as much as finding it,
 * so answers are kept from the second question on; what is asked once, by a flood of invented names too, leaves no trace.
 * A mark that was overwritten, or two texts with one mark, only move the moment at which an answer is kept.
 */
export function askedBefore(owner: number, text: string): boolean {
  let mark = owner ^ text.length;
  for (let at = Math.max(0, text.length - sampled); at < text.length; at++) {
    mark = Math.imul(mark ^ text.charCodeAt(at), 0x01000193);
  }
  const place = (mark ^ (mark >>> 16)) & (marks.length - 1);
  if (marks[place] === mark) return true;
  marks[place] = mark;
  // Two texts that share a place would push each other out for ever; every eighth is taken at its first question.
  turn = (turn + 1) & 7;
  return turn === 0;
}
